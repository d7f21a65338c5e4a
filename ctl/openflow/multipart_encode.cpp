// SPDX-License-Identifier: BSD-3-Clause
#include <cassert>

#include "openflow/message_types.hpp"
#include "openflow/multipart_types.hpp"
#include "openflow/wire.hpp"

namespace hoist::openflow {
namespace {

/// Entries that hoist's tables hold, as far as it knows; a table that does not fit the NIC goes on
/// in software.
constexpr std::uint32_t kMaxEntries = 1u << 22;
constexpr std::uint32_t kOf10WildcardsAll = (1u << 22) - 1;

Multipart type_of(EmptyReply kind) noexcept {
  switch (kind) {
    case EmptyReply::kQueueStats:
      return Multipart::kQueue;
    case EmptyReply::kGroupStats:
      return Multipart::kGroup;
    case EmptyReply::kGroupDesc:
      return Multipart::kGroupDesc;
  }
  return Multipart::kQueue;
}

void encode_one(Bytes& out, Envelope to, Multipart type, ByteSpan body) {
  MultipartReply reply(out, to, to_integer(type));
  reply.add(body);
  reply.finish();
}

void put_table_stats(Bytes& entry, Version version, const TableStats& table) {
  put8(entry, table.table_id);
  put_zeros(entry, 3);
  if (version == Version::kOf10) {
    put_text(entry, table.name, 32);
    put32(entry, kOf10WildcardsAll);
    put32(entry, kMaxEntries);
  }
  put32(entry, table.active_count);
  put64(entry, table.lookup_count);
  put64(entry, table.matched_count);
}

}  // namespace

MultipartReply::MultipartReply(Bytes& out, Envelope to, std::uint16_t type,
                               std::uint32_t nicira_subtype)
    : out_(out), to_(to), type_(type), nicira_subtype_(nicira_subtype) {
  begin_part();
}

void MultipartReply::begin_part() {
  const bool is_10 = to_.version == Version::kOf10;
  part_.clear();
  (void)begin_message(
      part_, to_, is_10 ? to_integer(Of10Type::kStatsReply) : to_integer(Type::kMultipartReply));
  put16(part_, type_);
  put16(part_, 0);
  if (!is_10) put32(part_, 0);
  if (type_ == to_integer(Multipart::kExperimenter)) {
    put32(part_, kNiciraId);
    put32(part_, nicira_subtype_);
    if (is_10) put32(part_, 0);
  }
  empty_size_ = part_.size();
}

void MultipartReply::end_part(bool more) {
  set16(part_, Header::kSize + 2, more ? 1 : 0);
  end_message(part_, 0);
  put_bytes(out_, part_);
}

void MultipartReply::add(std::span<const std::uint8_t> entry) {
  assert(empty_size_ + entry.size() <= kMaxSize);
  if (part_.size() + entry.size() > kMaxSize) {
    end_part(true);
    begin_part();
  }
  put_bytes(part_, entry);
}

void MultipartReply::finish() { end_part(false); }

void encode(Bytes& out, Envelope to, const Description& d) {
  constexpr std::size_t kLine = 256;
  constexpr std::size_t kSerial = 32;
  Bytes body(4 * kLine + kSerial);
  std::size_t at = 0;
  const auto place = [&body, &at](std::string_view text, std::size_t size) {
    std::memcpy(body.data() + at, text.data(), std::min(text.size(), size - 1));
    at += size;
  };
  place(d.manufacturer, kLine);
  place(d.hardware, kLine);
  place(d.software, kLine);
  place(d.serial, kSerial);
  place(d.datapath, kLine);
  encode_one(out, to, Multipart::kDesc, body);
}

void encode(Bytes& out, Envelope to, const AggregateReply& aggregate) {
  Bytes body;
  put64(body, aggregate.count.packets);
  put64(body, aggregate.count.bytes);
  put32(body, aggregate.flow_count);
  put32(body, 0);
  const Multipart type = aggregate.is_nicira ? Multipart::kExperimenter : Multipart::kAggregate;
  MultipartReply reply(out, to, to_integer(type), to_integer(NiciraStats::kAggregate));
  reply.add(body);
  reply.finish();
}

void encode_table_stats(Bytes& out, Envelope to, std::span<const TableStats> tables) {
  MultipartReply reply(out, to, to_integer(Multipart::kTable));
  Bytes entry;
  for (const TableStats& table : tables) {
    entry.clear();
    put_table_stats(entry, to.version, table);
    reply.add(entry);
  }
  reply.finish();
}

void encode_table_descs(Bytes& out, Envelope to, std::span<const TableStats> tables) {
  MultipartReply reply(out, to, to_integer(Multipart::kTableDesc));
  for (const TableStats& table : tables) {
    const std::uint8_t entry[] = {0, 8, table.table_id, 0, 0, 0, 0, 0};  // length, id, pad, config
    reply.add(entry);
  }
  reply.finish();
}

void encode_group_features(Bytes& out, Envelope to) {
  encode_one(out, to, Multipart::kGroupFeatures, Bytes(40));
}

void encode_empty(Bytes& out, Envelope to, EmptyReply kind) {
  MultipartReply(out, to, to_integer(type_of(kind))).finish();
}

}  // namespace hoist::openflow

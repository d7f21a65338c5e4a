// SPDX-License-Identifier: BSD-3-Clause
#include "hoist/packet_in.hpp"

#include "openflow/match_codec.hpp"
#include "openflow/message_types.hpp"
#include "openflow/multipart_types.hpp"
#include "openflow/wire.hpp"

namespace hoist::openflow {
namespace {

using F = FieldId;

/// NXPINT_*: properties of NXT_PACKET_IN2 (nicira-ext.h).
enum class Property : std::uint16_t {
  kPacket,
  kFullLen,
  kBufferId,
  kTableId,
  kCookie,
  kReason,
  kMetadata,
  kUserdata,
};

/// OFPR_*; what came with 1.4 (action set, group, packet-out) is an action before it.
std::uint8_t reason_of(const PacketIn& packet, Version version) noexcept {
  return packet.reason > 2 && !is_at_least(version, Version::kOf14) ? std::uint8_t{1}
                                                                    : packet.reason;
}

void demand(Match& match, const FlowKey& key, FieldId id, bool always) {
  const Field& f = field(id);
  const FieldValue value = get_field(key, f);
  if (!always && value == FieldValue{}) return;
  set_field(match.value, f, value, full_mask(f));
  set_field(match.mask, f, full_mask(f), full_mask(f));
}

/// What a packet-in says of the pipeline: the port, and every other such field that is not zero.
MiniMatch pipeline_state(const FlowKey& key) {
  Match match;
  demand(match, key, F::kInPort, true);
  for (const FieldId id : {F::kMetadata, F::kTunnelId, F::kPktMark, F::kCtState, F::kCtZone,
                           F::kCtMark, F::kCtLabel, F::kCtNwProto, F::kCtNwSrc, F::kCtNwDst,
                           F::kCtIpv6Src, F::kCtIpv6Dst, F::kCtTpSrc, F::kCtTpDst}) {
    demand(match, key, id, false);
  }
  for (int i = 0; i < 16; ++i) {
    demand(match, key, static_cast<FieldId>(static_cast<int>(F::kReg0) + i), false);
  }
  return MiniMatch(match);
}

ByteSpan sent_part(const PacketIn& packet) noexcept {
  constexpr std::size_t kMost = 65000;  // leaves room for what stands around it
  return ByteSpan(packet.frame)
      .first(std::min<std::size_t>({packet.frame.size(), packet.max_len, kMost}));
}
std::uint16_t total_length(const PacketIn& packet) noexcept {
  return static_cast<std::uint16_t>(std::min<std::size_t>(packet.frame.size(), UINT16_MAX));
}

void put_of10(Bytes& out, const PacketInMessage& m) {
  put32(out, m.buffer_id);
  put16(out, total_length(*m.packet));
  put16(out, port_to_16(PortNo{m.packet->key.in_port.host()}));
  put8(out, reason_of(*m.packet, Version::kOf10));
  put8(out, 0);
  put_bytes(out, sent_part(*m.packet));
}

void put_of13(Bytes& out, Version version, const PacketInMessage& m) {
  put32(out, m.buffer_id);
  put16(out, total_length(*m.packet));
  put8(out, reason_of(*m.packet, version));
  put8(out, m.packet->table_id);
  put64(out, m.cookie);
  put_oxm_match(out, pipeline_state(m.packet->key), flavor_of(version));
  put16(out, 0);
  put_bytes(out, sent_part(*m.packet));
}

/// NXT_PACKET_IN.
void put_nicira(Bytes& out, Version version, const PacketInMessage& m) {
  put32(out, m.buffer_id);
  put16(out, total_length(*m.packet));
  put8(out, reason_of(*m.packet, version));
  put8(out, m.packet->table_id);
  put64(out, m.cookie);
  const std::size_t length_at = out.size();
  put_zeros(out, 8);
  const std::size_t match_at = out.size();
  put_entries(out, pipeline_state(m.packet->key), Flavor::kNxm);
  set16(out, length_at, out.size() - match_at);
  pad_to_8(out, match_at);
  put16(out, 0);
  put_bytes(out, sent_part(*m.packet));
}

template <class Body>
void put_property(Bytes& out, Property type, Body body) {
  const std::size_t start = out.size();
  put16(out, to_integer(type));
  put16(out, 0);
  body();
  set16(out, start + 2, out.size() - start);
  pad_to_8(out, start);
}

void put_nicira2(Bytes& out, Version version, const PacketInMessage& m) {
  const PacketIn& p = *m.packet;
  const ByteSpan frame = sent_part(p);
  put_property(out, Property::kPacket, [&] { put_bytes(out, frame); });
  if (frame.size() != p.frame.size()) {
    put_property(out, Property::kFullLen,
                 [&] { put32(out, static_cast<std::uint32_t>(p.frame.size())); });
  }
  if (m.buffer_id != UINT32_MAX)
    put_property(out, Property::kBufferId, [&] { put32(out, m.buffer_id); });
  put_property(out, Property::kTableId, [&] { put8(out, p.table_id); });
  put_property(out, Property::kCookie, [&] {
    put32(out, 0);
    put64(out, m.cookie);
  });
  put_property(out, Property::kReason, [&] { put8(out, p.reason); });
  put_property(out, Property::kMetadata,
               [&] { put_entries(out, pipeline_state(p.key), flavor_of(version)); });
  if (!p.userdata.empty())
    put_property(out, Property::kUserdata, [&] { put_bytes(out, p.userdata); });
}

}  // namespace

void encode(Bytes& out, Envelope to, const PacketInMessage& packet_in,
            PacketInMessage::Format format) {
  using Format = PacketInMessage::Format;
  if (format == Format::kStandard) {
    const std::size_t start = begin_message(out, to, to_integer(Type::kPacketIn));
    if (to.version == Version::kOf10) {
      put_of10(out, packet_in);
    } else {
      put_of13(out, to.version, packet_in);
    }
    end_message(out, start);
    return;
  }
  const bool is_2 = format == Format::kNicira2;
  const std::size_t start = begin_nicira(
      out, to, to_integer(is_2 ? NiciraMessage::kPacketIn2 : NiciraMessage::kPacketIn));
  if (is_2) {
    put_nicira2(out, to.version, packet_in);
  } else {
    put_nicira(out, to.version, packet_in);
  }
  end_message(out, start);
}

}  // namespace hoist::openflow

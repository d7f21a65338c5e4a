// SPDX-License-Identifier: BSD-3-Clause
#include "openflow/port_encode.hpp"

#include "openflow/message_types.hpp"
#include "openflow/multipart_types.hpp"
#include "openflow/wire.hpp"

namespace hoist::openflow {
namespace {

constexpr std::uint32_t kLinkDown = 1u << 0;
constexpr std::uint32_t kLive = 1u << 2;

/// OFPPF_* of the speed, full duplex; 0 if no bit says it (then `speed` does, from 1.3 on).
std::uint32_t speed_bit(std::uint32_t mbps, Version version) noexcept {
  const bool is_10 = version == Version::kOf10;
  switch (mbps) {
    case 10:
      return 1u << 1;
    case 100:
      return 1u << 3;
    case 1000:
      return 1u << 5;
    case 10000:
      return 1u << 6;
    case 40000:
      return is_10 ? 0 : 1u << 7;
    case 100000:
      return is_10 ? 0 : 1u << 8;
    case 1000000:
      return is_10 ? 0 : 1u << 9;
    default:
      return is_10 || mbps == 0 ? 0 : 1u << 10;  // OFPPF_OTHER
  }
}

std::uint32_t config_of(const PortStatus& status, Version version) noexcept {
  const std::uint32_t of13 =
      PortFlags::kDown | PortFlags::kNoRecv | PortFlags::kNoFwd | PortFlags::kNoPacketIn;
  return version == Version::kOf10 ? status.flags & (of13 | PortFlags::kNoFlood)
                                   : status.flags & of13;
}
std::uint32_t state_of(const PortStatus& status, Version version) noexcept {
  if (!status.is_link_up) return kLinkDown;
  return version == Version::kOf10 ? 0 : kLive;
}

/// curr, advertised, supported, peer
void put_features(Bytes& out, std::uint32_t current) {
  put32(out, current);
  put_zeros(out, 12);
}
void put_speeds(Bytes& out, std::uint32_t mbps) {
  constexpr std::uint32_t kMostMbps = UINT32_MAX / 1000;
  put32(out, std::min(mbps, kMostMbps) * 1000);
  put32(out, std::min(mbps, kMostMbps) * 1000);
}

void put_counters(Bytes& out, const PortCounters& c) {
  for (const std::uint64_t v :
       {c.ingress_packets, c.egress_packets, c.ingress_bytes, c.egress_bytes, c.ingress_dropped,
        c.egress_dropped, c.ingress_errors, c.egress_errors}) {
    put64(out, v);
  }
}
/// Frame, overrun and CRC errors, collisions: not counted apart.
void put_unknown_errors(Bytes& out) {
  for (int i = 0; i < 4; ++i) put64(out, UINT64_MAX);
}

template <class Item, class Put>
void encode_all(Bytes& out, Envelope to, Multipart type, std::span<const Item> items,
                Put put_item) {
  MultipartReply reply(out, to, to_integer(type));
  Bytes entry;
  for (const Item& item : items) {
    entry.clear();
    put_item(entry, to.version, item);
    reply.add(entry);
  }
  reply.finish();
}

}  // namespace

void put_port_desc(Bytes& out, Version version, const PortDesc& port) {
  const PortStatus& s = port.status;
  const std::size_t start = out.size();
  const bool is_14 = is_at_least(version, Version::kOf14);
  put_port(out, version, s.number);
  if (is_14) {
    put32(out, 0);  // length, below
  } else if (version != Version::kOf10) {
    put32(out, 0);
  }
  put_bytes(out, s.mac);
  if (version != Version::kOf10) put16(out, 0);
  put_text(out, s.name, 16);
  put32(out, config_of(s, version));
  put32(out, state_of(s, version));
  if (is_14) {
    put16(out, 0);  // OFPPDPT_ETHERNET
    put16(out, 32);
    put32(out, 0);
  }
  put_features(out, speed_bit(s.speed_mbps, version));
  if (version != Version::kOf10) put_speeds(out, s.speed_mbps);
  if (is_14) set16(out, start + 4, out.size() - start);
}

void put_port_stats(Bytes& out, Version version, const PortStats& s) {
  const bool is_14 = is_at_least(version, Version::kOf14);
  if (is_14) {
    put16(out, 80 + 40);
    put16(out, 0);
  }
  put_port(out, version, s.port_no);
  if (is_14) {
    put32(out, s.duration_s);
    put32(out, s.duration_ns);
  } else {
    put_zeros(out, version == Version::kOf10 ? 6 : 4);
  }
  put_counters(out, s.counters);
  if (is_14) {
    put16(out, 0);  // OFPPSPT_ETHERNET
    put16(out, 40);
    put32(out, 0);
  }
  put_unknown_errors(out);
  if (version == Version::kOf13) {
    put32(out, s.duration_s);
    put32(out, s.duration_ns);
  }
}

void encode_port_status(Bytes& out, Envelope to, PortChange change, const PortDesc& port) {
  const std::size_t start = begin_message(out, to, to_integer(Type::kPortStatus));
  put8(out, to_integer(change));
  put_zeros(out, 7);
  put_port_desc(out, to.version, port);
  end_message(out, start);
}

void encode_port_descs(Bytes& out, Envelope to, std::span<const PortDesc> ports) {
  encode_all(out, to, Multipart::kPortDesc, ports, put_port_desc);
}
void encode_port_stats(Bytes& out, Envelope to, std::span<const PortStats> ports) {
  encode_all(out, to, Multipart::kPort, ports, put_port_stats);
}

}  // namespace hoist::openflow

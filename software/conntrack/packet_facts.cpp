// SPDX-License-Identifier: BSD-3-Clause
#include "conntrack/packet_facts.hpp"

#include <rte_ip.h>
#include <rte_mbuf.h>

#include <algorithm>

#include "packet/wire.hpp"

namespace hoist::software {
namespace {

/// Bytes of a datagram from its IP header on, as far as they lie in the first segment.
struct Datagram {
  const std::uint8_t* ip;
  const std::uint8_t* l4;
  std::size_t l4_size;      ///< Of the datagram.
  std::size_t l4_readable;  ///< Of those, in the first segment.
  std::uint8_t family;
  std::uint8_t ip_proto;
};

void read_addresses(const Datagram& d, Tuple& tuple) noexcept {
  tuple.family = d.family;
  tuple.ip_proto = d.ip_proto;
  if (d.family == 4) {
    std::memcpy(tuple.src.data(), d.ip + 12, 4);
    std::memcpy(tuple.dst.data(), d.ip + 16, 4);
  } else {
    std::memcpy(tuple.src.data(), d.ip + 8, 16);
    std::memcpy(tuple.dst.data(), d.ip + 24, 16);
  }
}

bool read_ports(const Datagram& d, Tuple& tuple) noexcept {
  if (d.l4_readable < 4) return false;
  tuple.src_port = Be16{wire::load16(d.l4)};
  tuple.dst_port = Be16{wire::load16(d.l4 + 2)};
  return tuple.src_port != Be16{0} && tuple.dst_port != Be16{0};
}

/// Echo and the like: its identifier stands for ports.
bool read_identifier(const Datagram& d, Tuple& tuple) noexcept {
  if (d.l4_readable < 8 || d.l4[1] != 0 || answer_type(d.ip_proto, d.l4[0]) == 255) return false;
  tuple.src_port = Be16{wire::load16(d.l4 + 4)};
  tuple.dst_port = Be16{static_cast<std::uint16_t>(d.l4[0] << 8)};
  return true;
}

/// Shift of the window scale option of a SYN (RFC 7323, 2.2).
std::uint8_t read_scale(const std::uint8_t* option, std::size_t size) noexcept {
  while (size >= 3) {
    if (option[0] == 0) return 0;
    const std::size_t length = option[0] == 1 ? 1 : std::max<std::size_t>(option[1], 2);
    if (option[0] == 3) {
      const auto shift = std::min<std::uint8_t>(option[2], 14);
      return static_cast<std::uint8_t>(shift | TcpPeer::kHasScale);
    }
    if (length > size) return 0;
    option += length;
    size -= length;
  }
  return 0;
}

bool read_tcp(const Datagram& d, TcpSegment& segment) noexcept {
  if (d.l4_readable < 20) return false;
  const std::size_t header_size = (d.l4[12] >> 4) * std::size_t{4};
  if (header_size < 20 || header_size > d.l4_size || header_size > d.l4_readable) return false;
  segment.flags = static_cast<std::uint16_t>(wire::load16(d.l4 + 12) & 0xfff);
  segment.window = wire::load16(d.l4 + 14);
  segment.sequence = wire::load32(d.l4 + 4);
  segment.acknowledged = wire::load32(d.l4 + 8);
  segment.size = static_cast<std::uint32_t>(d.l4_size - header_size);
  segment.scale =
      segment.has(TcpSegment::kSyn) ? read_scale(d.l4 + 20, header_size - 20) : std::uint8_t{0};
  return true;
}

bool is_error(std::uint8_t ip_proto, std::uint8_t type) noexcept {
  if (ip_proto == wire::kIpIcmpv6) return type >= 1 && type <= 4;
  return type == 3 || type == 4 || type == 5 || type == 11 || type == 12;
}

/// Finds the datagram inside an ICMP error. IPv6: without extension headers.
bool find_inner(const Datagram& outer, Datagram& inner) noexcept {
  if (outer.l4_readable < 8) return false;
  inner.ip = outer.l4 + 8;
  const std::size_t size = outer.l4_readable - 8;
  inner.family = outer.family;
  std::size_t header_size = 40;
  if (outer.family == 4) {
    if (size < 20 || inner.ip[0] >> 4 != 4) return false;
    header_size = (inner.ip[0] & 15) * std::size_t{4};
    const bool is_later_fragment = (wire::load16(inner.ip + 6) & 0x1fff) != 0;
    if (header_size < 20 || is_later_fragment) return false;
    inner.ip_proto = inner.ip[9];
  } else {
    if (size < 40 || inner.ip[0] >> 4 != 6) return false;
    inner.ip_proto = inner.ip[6];
  }
  if (size < header_size) return false;
  inner.l4 = inner.ip + header_size;
  inner.l4_size = inner.l4_readable = size - header_size;
  return true;
}

/// The tuple of what an ICMP error answers, reversed: the way that the error itself goes.
bool read_related(const Datagram& outer, Tuple& tuple) noexcept {
  Datagram inner;
  if (!find_inner(outer, inner)) return false;
  const std::array<std::uint8_t, 16> error_dst = tuple.dst;
  read_addresses(inner, tuple);
  if (tuple.src != error_dst) return false;
  const bool is_icmp = inner.ip_proto == (inner.family == 4 ? wire::kIpIcmp : wire::kIpIcmpv6);
  const bool has_key = is_icmp                     ? read_identifier(inner, tuple)
                       : has_ports(inner.ip_proto) ? read_ports(inner, tuple)
                                                   : true;
  if (has_key) tuple = reversed(tuple);
  return has_key;
}

bool is_bad(std::uint64_t flags, std::uint64_t mask, std::uint64_t bad) noexcept {
  return (flags & mask) == bad;
}
bool is_vouched_for(std::uint64_t flags, std::uint64_t mask, std::uint64_t good) noexcept {
  return (flags & mask) == good;
}

bool is_l3_checksum_right(const rte_mbuf& packet, const Datagram& d) noexcept {
  if (d.family != 4) return true;
  constexpr std::uint64_t kMask = RTE_MBUF_F_RX_IP_CKSUM_MASK;
  if (is_vouched_for(packet.ol_flags, kMask, RTE_MBUF_F_RX_IP_CKSUM_GOOD)) return true;
  if (is_bad(packet.ol_flags, kMask, RTE_MBUF_F_RX_IP_CKSUM_BAD)) return false;
  return rte_raw_cksum(d.ip, (d.ip[0] & 15) * std::size_t{4}) == 0xffff;
}

/// One's complement sum over the layer 4 of a packet, in memory order.
bool sum_l4(const rte_mbuf& packet, const Layers& layers, std::uint32_t& sum) noexcept {
  std::uint16_t raw;
  if (rte_raw_cksum_mbuf(&packet, layers.l4_offset, layers.l4_size, &raw) != 0) return false;
  sum += raw;
  return true;
}

bool is_l4_checksum_right(const rte_mbuf& packet, const Layers& layers,
                          const Datagram& d) noexcept {
  const bool is_udp = d.ip_proto == wire::kIpUdp;
  const bool is_icmp = d.ip_proto == wire::kIpIcmp && d.family == 4;
  const bool is_icmpv6 = d.ip_proto == wire::kIpIcmpv6 && d.family == 6;
  if (d.ip_proto != wire::kIpTcp && !is_udp && !is_icmp && !is_icmpv6) return true;
  if (is_udp && d.family == 4 && wire::load16(d.l4 + 6) == 0) return true;
  if (!is_icmp && !is_icmpv6) {
    constexpr std::uint64_t kMask = RTE_MBUF_F_RX_L4_CKSUM_MASK;
    if (is_vouched_for(packet.ol_flags, kMask, RTE_MBUF_F_RX_L4_CKSUM_GOOD)) return true;
    if (is_bad(packet.ol_flags, kMask, RTE_MBUF_F_RX_L4_CKSUM_BAD)) return false;
  }
  std::uint32_t sum = 0;
  if (!is_icmp) {  // The pseudo header.
    sum += d.family == 4 ? rte_raw_cksum(d.ip + 12, 8) : rte_raw_cksum(d.ip + 8, 32);
    sum += Be16{d.ip_proto}.wire();
    sum += Be16{layers.l4_size}.wire();
  }
  if (!sum_l4(packet, layers, sum)) return false;
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  return sum == 0xffff;
}

/// Fills all of a sound packet's facts but the checksums; false: it is not sound.
bool read_l4(const Datagram& d, TrackedPacket& out) noexcept {
  switch (d.ip_proto) {
    case wire::kIpTcp:
      return read_ports(d, out.tuple) && read_tcp(d, out.tcp);
    case wire::kIpUdp: {
      if (d.l4_readable < 8 || !read_ports(d, out.tuple)) return false;
      const std::size_t size = wire::load16(d.l4 + 4);
      return size >= 8 && size <= d.l4_size;
    }
    case wire::kIpSctp:
      return d.l4_readable >= 12 && read_ports(d, out.tuple);
    case wire::kIpIcmp:
    case wire::kIpIcmpv6:
      if ((d.ip_proto == wire::kIpIcmp) != (d.family == 4)) return true;
      if (d.l4_readable == 0) return false;
      out.is_related = is_error(d.ip_proto, d.l4[0]);
      return out.is_related ? read_related(d, out.tuple) : read_identifier(d, out.tuple);
    default:
      return true;
  }
}

}  // namespace

TrackedPacket packet_facts(const rte_mbuf& packet, const Layers& layers,
                           std::uint16_t zone) noexcept {
  TrackedPacket out{};
  out.tuple.zone = zone;
  const bool is_whole = layers.is_ip() && layers.l4_offset != Layers::kNone &&
                        !layers.has(Layers::kFragment) && !layers.is_malformed() &&
                        layers.l4_offset <= packet.data_len;
  if (!is_whole) return out;
  const auto* frame = rte_pktmbuf_mtod(&packet, const std::uint8_t*);
  const Datagram d{
      .ip = frame + layers.l3_offset,
      .l4 = frame + layers.l4_offset,
      .l4_size = layers.l4_size,
      .l4_readable = std::min<std::size_t>(
          layers.l4_size, static_cast<std::size_t>(packet.data_len - layers.l4_offset)),
      .family = layers.eth_type == wire::kEthIpv4 ? std::uint8_t{4} : std::uint8_t{6},
      .ip_proto = layers.ip_proto};
  read_addresses(d, out.tuple);
  out.is_sound =
      read_l4(d, out) && is_l3_checksum_right(packet, d) && is_l4_checksum_right(packet, layers, d);
  return out;
}

Layers regular_layers(const std::uint8_t* frame) noexcept {
  constexpr std::uint16_t kL3 = 14, kL4 = 34;
  const std::uint8_t ip_proto = frame[23];
  return {.l2_end = kL3,
          .l3_offset = kL3,
          .l4_offset = kL4,
          .l4_size = static_cast<std::uint16_t>(wire::load16(frame + 16) - (kL4 - kL3)),
          .eth_type = wire::kEthIpv4,
          .ip_proto = ip_proto,
          .flags = static_cast<std::uint8_t>(has_ports(ip_proto) ? Layers::kHasL4 : 0)};
}

}  // namespace hoist::software

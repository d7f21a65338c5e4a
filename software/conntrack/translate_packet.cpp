// SPDX-License-Identifier: BSD-3-Clause
#include <rte_mbuf.h>

#include <algorithm>
#include <span>

#include "conntrack/packet_facts.hpp"
#include "packet/checksum.hpp"
#include "packet/edit.hpp"

namespace hoist::software {
namespace {

using Bytes = std::span<const std::uint8_t>;

bool write(rte_mbuf& packet, Layers& layers, FieldId id, Bytes bytes) noexcept {
  FieldValue value{};
  std::ranges::copy(bytes, value.end() - static_cast<std::ptrdiff_t>(bytes.size()));
  return set_field(packet, layers, field(id), value, full_mask(field(id)));
}
bool write(rte_mbuf& packet, Layers& layers, FieldId id, Be16 port) noexcept {
  return set_field(packet, layers, field(id), field_value(port.host()), full_mask(field(id)));
}

bool write_ports(rte_mbuf& packet, Layers& layers, const Tuple& to) noexcept {
  switch (to.ip_proto) {
    case wire::kIpTcp:
      return write(packet, layers, FieldId::kTcpSrc, to.src_port) &&
             write(packet, layers, FieldId::kTcpDst, to.dst_port);
    case wire::kIpUdp:
      return write(packet, layers, FieldId::kUdpSrc, to.src_port) &&
             write(packet, layers, FieldId::kUdpDst, to.dst_port);
    case wire::kIpSctp:
      return write(packet, layers, FieldId::kSctpSrc, to.src_port) &&
             write(packet, layers, FieldId::kSctpDst, to.dst_port);
    default:
      return true;
  }
}

bool write_address(rte_mbuf& packet, Layers& layers, const Tuple& to, bool is_source) noexcept {
  const auto& address = is_source ? to.src : to.dst;
  if (to.family == 4) {
    const FieldId id = is_source ? FieldId::kNwSrc : FieldId::kNwDst;
    return write(packet, layers, id, Bytes(address).first(4));
  }
  return write(packet, layers, is_source ? FieldId::kIpv6Src : FieldId::kIpv6Dst, address);
}

void write_identifier(rte_mbuf& packet, const Layers& layers, Be16 id) noexcept {
  auto* icmp = rte_pktmbuf_mtod_offset(&packet, std::uint8_t*, layers.l4_offset);
  ChecksumDelta delta;
  delta.replace(wire::load16(icmp + 4), id.host());
  wire::store16(icmp + 4, id.host());
  delta.apply(icmp + 2);
}

/// Writes into what an ICMP error quotes, keeping the quoted checksums and the error's own right.
class QuotedDatagram {
 public:
  /// `icmp`: the error; `size`: of it, as far as it can be read. The quoted headers are known to be
  /// there (packet_facts()).
  QuotedDatagram(std::uint8_t* icmp, std::size_t size, std::uint8_t family) noexcept
      : icmp_(icmp), end_(icmp + size), ip_(icmp + 8), family_(family) {
    l4_ = ip_ + (family == 4 ? (ip_[0] & 15) * std::size_t{4} : 40);
    proto_ = family == 4 ? ip_[9] : ip_[6];
  }
  void become(const Tuple& to) noexcept {
    ChecksumDelta ip, l4;
    const std::size_t size = family_ == 4 ? 4 : 16;
    std::uint8_t* src = ip_ + (family_ == 4 ? 12 : 8);
    put(src, Bytes(to.src).first(size), ip);
    put(src + size, Bytes(to.dst).first(size), ip);
    l4 = proto_ == wire::kIpIcmp ? ChecksumDelta{} : ip;  // The pseudo header.
    if (family_ == 4) put_checksum(ip_ + 10, ip);
    write_l4(to, l4);
    total_.apply(icmp_ + 2);
  }

 private:
  void put(std::uint8_t* at, Bytes bytes, ChecksumDelta& covering) noexcept {
    const bool is_odd = (at - icmp_) % 2 != 0;
    covering.replace(at, bytes.data(), bytes.size(), false);
    total_.replace(at, bytes.data(), bytes.size(), is_odd);
    std::ranges::copy(bytes, at);
  }
  void put_checksum(std::uint8_t* at, const ChecksumDelta& delta) noexcept {
    const std::uint16_t before = wire::load16(at);
    delta.apply(at);
    total_.replace(before, wire::load16(at));
  }
  void write_l4(const Tuple& to, ChecksumDelta& delta) noexcept {
    const auto put_port = [&](std::size_t offset, Be16 port) {
      if (l4_ + offset + 2 > end_) return;
      std::array<std::uint8_t, 2> bytes;
      wire::store16(bytes.data(), port.host());
      put(l4_ + offset, bytes, delta);
    };
    if (proto_ == wire::kIpIcmp) {
      put_port(4, to.src_port);
      if (l4_ + 4 <= end_) put_checksum(l4_ + 2, delta);
      return;
    }
    if (proto_ == wire::kIpIcmpv6 && l4_ + 4 <= end_) put_checksum(l4_ + 2, delta);
    if (!has_ports(proto_)) return;
    put_port(0, to.src_port);
    put_port(2, to.dst_port);
    const std::size_t checksum = proto_ == wire::kIpUdp ? 6 : 16;
    if (proto_ == wire::kIpSctp || l4_ + checksum + 2 > end_) return;
    const bool is_absent = proto_ == wire::kIpUdp && wire::load16(l4_ + checksum) == 0;
    if (!is_absent) put_checksum(l4_ + checksum, delta);
  }

  std::uint8_t* icmp_;
  std::uint8_t* end_;
  std::uint8_t* ip_;
  std::uint8_t* l4_;
  std::uint8_t family_;
  std::uint8_t proto_;
  ChecksumDelta total_;
};

void translate_quoted(rte_mbuf& packet, const Layers& layers, const Tuple& translated) noexcept {
  auto* icmp = rte_pktmbuf_mtod_offset(&packet, std::uint8_t*, layers.l4_offset);
  const auto readable = static_cast<std::size_t>(packet.data_len - layers.l4_offset);
  QuotedDatagram quoted(icmp, std::min<std::size_t>(layers.l4_size, readable), translated.family);
  quoted.become(reversed(translated));
}

bool is_short_way(const rte_mbuf& packet, const Layers& layers, const Tuple& to) noexcept {
  const bool has_l4 = to.ip_proto == wire::kIpTcp || to.ip_proto == wire::kIpUdp;
  return to.family == 4 && has_l4 && layers.l4_offset + 20u <= packet.data_len;
}

/// TCP and UDP over IPv4: nearly all there is to translate.
void translate_ipv4(std::uint8_t* ip, std::uint8_t* l4, const Tuple& to,
                    bool moves_source) noexcept {
  const auto put = [](std::uint8_t* at, std::uint16_t value, ChecksumDelta& delta) {
    delta.replace(wire::load16(at), value);
    wire::store16(at, value);
  };
  const std::uint8_t* address = moves_source ? to.src.data() : to.dst.data();
  std::uint8_t* place = ip + (moves_source ? 12 : 16);
  ChecksumDelta delta;
  put(place, wire::load16(address), delta);
  put(place + 2, wire::load16(address + 2), delta);
  delta.apply(ip + 10);
  put(l4, to.src_port.host(), delta);
  put(l4 + 2, to.dst_port.host(), delta);
  if (to.ip_proto == wire::kIpTcp) return delta.apply(l4 + 16);
  delta.apply_optional(l4 + 6);
}

}  // namespace

bool translate_packet(rte_mbuf& packet, Layers& layers, const Tuple& translated,
                      const PacketTrack& track) noexcept {
  const bool moves_source = (track.state & CtState::kSourceNat) != 0;
  if (!track.is_related && is_short_way(packet, layers, translated)) {
    auto* frame = rte_pktmbuf_mtod(&packet, std::uint8_t*);
    translate_ipv4(frame + layers.l3_offset, frame + layers.l4_offset, translated, moves_source);
    return true;
  }
  if (!write_address(packet, layers, translated, moves_source)) return false;
  if (track.is_related) {
    translate_quoted(packet, layers, translated);
    return true;
  }
  if (translated.ip_proto == wire::kIpIcmp) {
    write_identifier(packet, layers, translated.src_port);
    return true;
  }
  return write_ports(packet, layers, translated);
}

}  // namespace hoist::software

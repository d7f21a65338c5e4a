// SPDX-License-Identifier: BSD-3-Clause
#include "support/random_packet.hpp"

#include <algorithm>
#include <array>

namespace hoist::test {
namespace {

constexpr std::array<MacAddress, 5> kMacs = {{{0x02, 0, 0, 0, 0, 0x01},
                                              {0x02, 0, 0, 0, 0, 0x02},
                                              {0x02, 0, 0, 0, 0x01, 0x02},
                                              {0x01, 0x00, 0x5e, 0, 0, 0x01},
                                              {0xff, 0xff, 0xff, 0xff, 0xff, 0xff}}};
constexpr std::array<std::uint32_t, 5> kIpv4 = {0x0a000001, 0x0a000002, 0x0a000101, 0xc0a80101,
                                                0xe0000001};
constexpr std::array<std::uint8_t, 4> kIpv6Last = {1, 2, 3, 0x81};
constexpr std::array<std::uint16_t, 5> kPorts = {0, 53, 80, 1000, 0xffff};
constexpr std::array<std::uint16_t, 4> kVids = {0, 1, 5, 0xfff};
constexpr std::array<std::uint32_t, 4> kLabels = {0, 16, 17, 0xfffff};
constexpr std::array<std::uint8_t, 4> kTtls = {0, 1, 2, 64};
constexpr std::array<std::uint8_t, 5> kTos = {0, 1, 0x28, 0xb8, 0xff};
constexpr std::array<std::uint16_t, 5> kFlagSets = {0x002, 0x010, 0x012, 0x011, 0xfff};
constexpr std::array<std::uint16_t, 4> kArpOps = {1, 2, 3, 0x0101};
constexpr std::array<std::uint8_t, 4> kIcmpTypes = {0, 3, 8, 11};
constexpr std::array<std::uint8_t, 5> kIcmpv6Types = {1, 128, 129, 133, 137};
constexpr std::array<std::uint8_t, 6> kProtocols = {1, 6, 17, 47, 58, 132};
constexpr std::array<std::uint16_t, 8> kEthTypes = {0x0800, 0x0806, 0x86dd, 0x8035,
                                                    0x8847, 0x8848, 0x88b5, 0x05ff};

/// Draws from the pools.
class Dice {
 public:
  explicit Dice(Random& random) : random_(random) {}

  std::size_t below(std::size_t n) { return random_() % n; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class T, std::size_t n>
  const T& pick(const std::array<T, n>& pool) {
    return pool[below(n)];
  }
  std::uint8_t small8(std::size_t n) { return static_cast<std::uint8_t>(below(n)); }
  std::uint64_t word() { return random_(); }

  Be32 ip4() { return Be32{pick(kIpv4)}; }
  Ipv6Address ip6() {
    return {0xfd, 0, 0, small8(2), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, pick(kIpv6Last)};
  }
  std::optional<MacAddress> mac_or_none() {
    return one_in(3) ? std::nullopt : std::optional(pick(kMacs));
  }

 private:
  Random& random_;
};

void add_payload(Packet& p, Dice& d) {
  if (!d.one_in(3)) p.payload(d.below(24));
}

void add_neighbour(Packet& p, Dice& d) {
  Neighbour n{.type = static_cast<std::uint8_t>(135 + d.below(2)),
              .code = static_cast<std::uint8_t>(d.one_in(8)),
              .target = d.ip6(),
              .sll = d.mac_or_none(),
              .tll = d.mac_or_none()};
  p.neighbour(n);
  if (d.one_in(6)) p.payload(Bytes{d.small8(4), d.small8(3), 2, 0, 0, 0, 0, 1});
}

void add_l4(Packet& p, Dice& d, bool is_v6) {
  switch (d.below(8)) {
    case 0:
    case 1:
    case 2: {
      Tcp tcp{.src = d.pick(kPorts), .dst = d.pick(kPorts), .flags = d.pick(kFlagSets)};
      if (d.one_in(4)) tcp.options = Bytes(4 * (1 + d.below(10)), 1);
      if (d.one_in(16)) tcp.data_offset = d.small8(16);
      p.tcp(tcp);
      break;
    }
    case 3:
    case 4: {
      Udp udp{.src = d.pick(kPorts), .dst = d.pick(kPorts)};
      if (d.one_in(6)) udp.checksum = 0;
      if (d.one_in(12)) udp.length = static_cast<std::uint16_t>(d.below(64));
      p.udp(udp);
      break;
    }
    case 5:
      p.sctp({.src = d.pick(kPorts), .dst = d.pick(kPorts)});
      break;
    case 6:
      if (is_v6 && d.one_in(2)) return add_neighbour(p, d);
      if (is_v6 != d.one_in(12)) {
        p.icmpv6({.type = d.pick(kIcmpv6Types), .code = d.small8(2)});
      } else {
        p.icmp({.type = d.pick(kIcmpTypes), .code = d.small8(2)});
      }
      break;
    default:
      break;
  }
  add_payload(p, d);
}

void add_ipv4(Packet& p, Dice& d) {
  Ipv4 ip{.src = d.ip4(), .dst = d.ip4(), .tos = d.pick(kTos), .ttl = d.pick(kTtls)};
  if (d.one_in(8)) ip.options = Bytes(4 * (1 + d.below(10)), 1);
  const bool is_later = d.one_in(12);
  if (is_later) ip.fragment_offset = static_cast<std::uint16_t>(1 + d.below(100));
  ip.more_fragments = d.one_in(12);
  ip.dont_fragment = d.one_in(4);
  if (is_later || d.one_in(12)) ip.proto = d.pick(kProtocols);
  if (d.one_in(24)) ip.total_length = static_cast<std::uint16_t>(d.below(80));
  if (d.one_in(40)) ip.ihl = d.small8(16);
  if (d.one_in(60)) ip.version = d.small8(16);
  p.ipv4(ip);
  if (is_later) return add_payload(p, d);
  add_l4(p, d, false);
}

void add_ipv6(Packet& p, Dice& d) {
  Ipv6 ip{.src = d.ip6(),
          .dst = d.ip6(),
          .traffic_class = d.pick(kTos),
          .hop_limit = d.pick(kTtls),
          .label = d.pick(kLabels)};
  if (d.one_in(24)) ip.payload_length = static_cast<std::uint16_t>(d.below(80));
  if (d.one_in(24)) ip.next_header = d.pick(kProtocols);
  if (d.one_in(60)) ip.version = d.small8(16);
  p.ipv6(ip);
  constexpr std::array<std::uint8_t, 7> kExtensions = {0, 43, 60, 51, 50, 59, 135};
  for (std::size_t n = d.one_in(3) ? d.below(4) : 0; n > 0; --n) {
    Ipv6Extension extension{.type = d.pick(kExtensions), .body = Bytes(d.below(20))};
    if (d.one_in(16)) extension.length = d.small8(8);
    p.extension(extension);
  }
  if (d.one_in(8)) {
    const bool is_later = d.one_in(2);
    p.fragment({.offset = static_cast<std::uint16_t>(is_later ? 1 + d.below(100) : 0),
                .more = d.one_in(2)});
    if (is_later && d.one_in(2)) return add_payload(p, d);
  }
  add_l4(p, d, true);
}

void add_arp(Packet& p, Dice& d) {
  Arp arp{.op = d.pick(kArpOps),
          .sha = d.pick(kMacs),
          .spa = d.ip4(),
          .tha = d.pick(kMacs),
          .tpa = d.ip4()};
  if (d.one_in(8)) arp.ethertype = 0x8035;
  if (d.one_in(24)) arp.hardware = 6;
  if (d.one_in(24)) arp.protocol_bytes = 16;
  p.arp(arp);
}

void add_ip_or_arp(Packet& p, Dice& d) {
  const std::size_t kind = d.below(20);
  if (kind < 10) {
    add_ipv4(p, d);
  } else if (kind < 17) {
    add_ipv6(p, d);
  } else if (kind < 19) {
    add_arp(p, d);
  } else {
    add_payload(p, d);
  }
}

void damage(Bytes& frame, Dice& d) {
  if (d.one_in(2)) {
    frame.resize(d.below(frame.size() + 1));
  } else {
    for (std::size_t n = 1 + d.below(3); n > 0; --n) {
      frame[12 + d.below(frame.size() - 12)] = static_cast<std::uint8_t>(d.word());
    }
  }
}

FieldValue from_bytes(std::span<const std::uint8_t> bytes) {
  FieldValue out{};
  std::copy(bytes.begin(), bytes.end(), out.end() - static_cast<std::ptrdiff_t>(bytes.size()));
  return out;
}

/// A value of a field of layers 2 to 3 that is an integer.
std::optional<std::uint64_t> random_l2_or_l3(FieldId id, Dice& d) {
  switch (id) {
    using enum FieldId;
    case kNwSrc:
    case kNwDst:
    case kArpSpa:
    case kArpTpa:
      return d.pick(kIpv4);
    case kEthType:
      return d.pick(kEthTypes);
    case kVlanVid:
    case kVlanTci:
      return d.one_in(4) ? 0u : kVlanPresent | d.pick(kVids);
    case kMplsLabel:
    case kIpv6Label:
      return d.pick(kLabels);
    case kMplsTtl:
    case kIpTtl:
      return d.pick(kTtls);
    case kIpTos:
      return d.pick(kTos);
    case kIpDscp:
      return d.pick(kTos) >> 2;
    case kIpProto:
      return d.pick(kProtocols);
    case kArpOp:
      return d.pick(kArpOps);
    case kIpv6Exthdr:
      return d.one_in(2) ? 1u : std::uint64_t{1} << d.below(9);
    default:
      return std::nullopt;
  }
}

std::optional<std::uint64_t> random_l4(FieldId id, Dice& d) {
  switch (id) {
    using enum FieldId;
    case kTcpFlags:
      return d.pick(kFlagSets);
    case kTcpSrc:
    case kTcpDst:
    case kUdpSrc:
    case kUdpDst:
    case kSctpSrc:
    case kSctpDst:
      return d.pick(kPorts);
    case kIcmpType:
      return d.pick(kIcmpTypes);
    case kIcmpv6Type:
      return d.one_in(3) ? 135 + d.below(2) : d.pick(kIcmpv6Types);
    case kIcmpCode:
    case kIcmpv6Code:
      return d.below(2);
    default:
      return std::nullopt;
  }
}

}  // namespace

Bytes random_packet(Random& random) {
  Dice d(random);
  Packet p;
  p.eth({.dst = d.pick(kMacs), .src = d.pick(kMacs)});
  constexpr std::array<std::size_t, 8> kTags = {0, 0, 0, 0, 1, 1, 2, 3};
  for (std::size_t n = d.pick(kTags); n > 0; --n) {
    const std::uint16_t tpid = d.one_in(3) ? 0x88a8 : 0x8100;
    p.vlan({.vid = d.pick(kVids), .pcp = d.small8(8), .cfi = d.one_in(16), .tpid = tpid});
  }
  if (d.one_in(24)) d.one_in(2) ? p.llc() : p.snap({.oui = d.one_in(4) ? 1u : 0u});
  if (d.one_in(10)) {
    const std::uint16_t ethertype = d.one_in(3) ? 0x8848 : 0x8847;
    for (std::size_t n = 1 + d.below(3); n > 0; --n) {
      p.mpls({.label = d.pick(kLabels),
              .tc = d.small8(8),
              .ttl = d.pick(kTtls),
              .ethertype = ethertype});
    }
  }
  add_ip_or_arp(p, d);
  if (d.one_in(4)) p.pad_to(60);
  Bytes frame = p.bytes();
  if (frame.size() > 14 && d.one_in(16)) damage(frame, d);
  return frame;
}

FieldValue random_value(const Field& field, Random& random) {
  Dice d(random);
  if (field.bits == 48) return from_bytes(d.pick(kMacs));
  if (field.prerequisite != Prerequisite::kNone && field.bits == 128) return from_bytes(d.ip6());
  if (const auto value = random_l2_or_l3(field.id, d)) return field_value(*value);
  if (const auto value = random_l4(field.id, d)) return field_value(*value);
  return field_value(d.below(std::size_t{1} << std::min<std::size_t>(field.bits, 2)));
}

}  // namespace hoist::test

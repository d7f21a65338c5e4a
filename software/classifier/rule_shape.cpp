// SPDX-License-Identifier: BSD-3-Clause
#include "classifier/rule_shape.hpp"

#include <array>
#include <span>

namespace hoist::software {
namespace {

constexpr int kTcp = 6, kUdp = 17, kSctp = 132, kIcmp = 1, kIcmpv6 = 58;
constexpr int kAnyProto = -1;    ///< The class says nothing of ip_proto.
constexpr int kOtherProto = -2;  ///< A protocol that has no class of its own.

/// What makes a packet belong to a class. No eth_types: whatever the other classes do not name.
struct Membership {
  std::span<const std::uint16_t> eth_types;
  int ip_proto;
};

constexpr std::array<std::uint16_t, 1> kIpv4Types = {0x0800};
constexpr std::array<std::uint16_t, 1> kIpv6Types = {0x86dd};
constexpr std::array<std::uint16_t, 2> kArpTypes = {0x0806, 0x8035};
constexpr std::array<std::uint16_t, 2> kMplsTypes = {0x8847, 0x8848};
constexpr std::array<std::uint16_t, 6> kNamedTypes = {0x0800, 0x86dd, 0x0806,
                                                      0x8035, 0x8847, 0x8848};

/// Indexed by PacketClass.
constexpr std::array<Membership, kPacketClassCount> kMembership = {{
    {{}, kAnyProto},
    {kArpTypes, kAnyProto},
    {kMplsTypes, kAnyProto},
    {kIpv4Types, kTcp},
    {kIpv4Types, kUdp},
    {kIpv4Types, kSctp},
    {kIpv4Types, kIcmp},
    {kIpv4Types, kOtherProto},
    {kIpv6Types, kTcp},
    {kIpv6Types, kUdp},
    {kIpv6Types, kSctp},
    {kIpv6Types, kIcmpv6},
    {kIpv6Types, kOtherProto},
}};

struct Masked {
  std::uint32_t value;
  std::uint32_t mask;
  [[nodiscard]] bool matches(std::uint32_t v) const noexcept { return ((v ^ value) & mask) == 0; }
};

/// Says whether some, and whether all, values that the class allows match.
struct Overlap {
  bool some;
  bool all;
};

Overlap eth_type_overlap(const Masked& m, const Membership& c) noexcept {
  if (c.eth_types.empty()) {
    bool is_named = false;
    for (const std::uint16_t t : kNamedTypes) is_named |= m.mask == 0xffff && m.value == t;
    return {!is_named, m.mask == 0};
  }
  Overlap o{false, true};
  for (const std::uint16_t t : c.eth_types) {
    o.some |= m.matches(t);
    o.all &= m.matches(t);
  }
  return o;
}

Overlap ip_proto_overlap(const Masked& m, const Membership& c) noexcept {
  if (c.ip_proto >= 0) {
    const bool is_match = m.matches(static_cast<std::uint32_t>(c.ip_proto));
    return {is_match, is_match};
  }
  if (c.ip_proto == kAnyProto || m.mask != 0xff) return {true, m.mask == 0};
  const bool is_icmp = c.eth_types[0] == 0x0800 ? m.value == kIcmp : m.value == kIcmpv6;
  return {m.value != kTcp && m.value != kUdp && m.value != kSctp && !is_icmp, false};
}

}  // namespace

RuleShape rule_shape(const FlowMask& flow_mask, const std::uint64_t* values) noexcept {
  RuleShape shape;
  FlowKey value{};
  FlowKey mask{};
  if ((flow_mask.map() & 1) != 0) {
    words(value)[0] = values[0];
    words(mask)[0] = flow_mask.word(0);
  }
  const bool is_one_port = mask.in_port.host() == 0xffffffff;
  if (is_one_port) shape.in_port = PortNo{value.in_port.host()};
  // All that is consulted lies in word 0 and is the port, the Ethernet type or the protocol.
  const bool is_coarse = (flow_mask.map() & ~std::uint64_t{1}) == 0 && mask.ip_frag == 0 &&
                         (is_one_port || mask.in_port.host() == 0);
  const Masked eth_type{value.eth_type.host(), mask.eth_type.host()};
  const Masked ip_proto{value.ip_proto, mask.ip_proto};
  for (std::size_t i = 0; i < kPacketClassCount; ++i) {
    const Overlap e = eth_type_overlap(eth_type, kMembership[i]);
    const Overlap p = ip_proto_overlap(ip_proto, kMembership[i]);
    const auto bit = static_cast<PacketClassSet>(1u << i);
    if (e.some && p.some) shape.may_match = static_cast<PacketClassSet>(shape.may_match | bit);
    if (is_coarse && e.all && p.all) shape.covers = static_cast<PacketClassSet>(shape.covers | bit);
  }
  return shape;
}

}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
// IPv6 neighbour discovery (RFC 4861, 4.3 and 4.4): the target address. The link-layer options have
// no row: which of several options counts is a matter of each NIC.
#include <algorithm>

#include "translate/match_builder.hpp"

namespace hoist::offload {
namespace {

constexpr std::uint16_t kSolicit = 135;
constexpr std::uint16_t kAdvertise = 136;

bool is_zero(const Ipv6Address& a) {
  return std::ranges::all_of(a, [](std::uint8_t b) { return b == 0; });
}

}  // namespace

void express_neighbor(MatchBuilder& builder) {
  const Ipv6Address& mask = builder.left.mask.nd_target;
  const Ipv6Address& value = builder.left.value.nd_target;
  // A message too short for a target has zero there in software, and no item in hardware.
  if (is_zero(mask) || is_zero(value) || builder.eth_type != kEthIpv6 || builder.ip_proto != 58)
    return;
  HwItem& item = builder.pattern.at(Layer::kL4);
  if (item.type != RTE_FLOW_ITEM_TYPE_ICMP6 || item.mask[0] != 0xff) return;
  if (item.spec[0] != kSolicit && item.spec[0] != kAdvertise) return;
  const bool is_full = std::ranges::all_of(mask, [](std::uint8_t b) { return b == 0xff; });
  if (!builder.can(IrregularRow::kNdTarget, is_full)) return;
  static_assert(offsetof(rte_flow_item_icmp6_nd_ns, target_addr) ==
                offsetof(rte_flow_item_icmp6_nd_na, target_addr));
  item.type =
      item.spec[0] == kSolicit ? RTE_FLOW_ITEM_TYPE_ICMP6_ND_NS : RTE_FLOW_ITEM_TYPE_ICMP6_ND_NA;
  builder.pattern.put(Layer::kL4, offsetof(rte_flow_item_icmp6_nd_ns, target_addr), value.data(),
                      mask.data(), mask.size());
  builder.left.mask.nd_target = {};
}

}  // namespace hoist::offload

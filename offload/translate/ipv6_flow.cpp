// SPDX-License-Identifier: BSD-3-Clause
// IPv6 traffic class and flow label, which share the first word of the header (RFC 8200, 3):
//   version 4 | traffic class 8 | flow label 20 bits
#include "translate/match_builder.hpp"

namespace hoist::offload {

void express_ipv6_flow(MatchBuilder& builder) {
  if (builder.eth_type != kEthIpv6) return;
  std::uint32_t mask = 0;
  std::uint32_t value = 0;
  const std::uint8_t tos = builder.left.mask.ip_tos;
  if (tos != 0 && builder.can(IrregularRow::kIpv6Tos, tos == 0xff)) {
    mask |= std::uint32_t{tos} << 20;
    value |= std::uint32_t{builder.left.value.ip_tos} << 20;
    builder.left.mask.ip_tos = 0;
  }
  const std::uint32_t label = builder.left.mask.ipv6_label.host();
  if (label != 0 && builder.can(IrregularRow::kIpv6Label, label == 0xfffff)) {
    mask |= label;
    value |= builder.left.value.ipv6_label.host();
    builder.left.mask.ipv6_label = Be32{0};
  }
  if (mask == 0) return;
  const Be32 wire_mask{mask};
  const Be32 wire_value{value & mask};
  builder.pattern.need(Layer::kL3, RTE_FLOW_ITEM_TYPE_IPV6);
  builder.pattern.put(Layer::kL3, offsetof(rte_ipv6_hdr, vtc_flow), &wire_value, &wire_mask, 4);
}

}  // namespace hoist::offload

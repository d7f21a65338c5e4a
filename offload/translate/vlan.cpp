// SPDX-License-Identifier: BSD-3-Clause
// The outer VLAN tag. Whether there is one decides the pattern's shape (see match.cpp); here go the
// tag's own bits.
#include "translate/match_builder.hpp"

namespace hoist::offload {
namespace {

constexpr std::uint16_t kPcpMask = 0xe000;

}  // namespace

TagForm tag_form(const Match& match) noexcept {
  const std::uint16_t mask = match.mask.vlan_tci.host();
  const std::uint16_t value = match.value.vlan_tci.host();
  if (mask == 0) return TagForm::kAgnostic;
  if (value != 0) return TagForm::kTagged;  // a packet without a tag has all bits zero
  return (mask & kVlanPresent) != 0 ? TagForm::kUntagged : TagForm::kAgnostic;
}

void express_vlan(MatchBuilder& builder) {
  const std::uint16_t mask = builder.left.mask.vlan_tci.host();
  const std::uint16_t value = builder.left.value.vlan_tci.host();
  if (builder.tag == TagForm::kAgnostic) return;  // bits left, if any, match both with and without
  if (builder.tag == TagForm::kUntagged) {
    const bool can =
        builder.eth_type != 0 || builder.context.capabilities.has(Feature::kMatchHasVlan);
    if (can) builder.left.mask.vlan_tci = Be16{0};
    return;
  }
  if ((mask & kVlanPresent) != 0 && (value & kVlanPresent) == 0) {
    builder.is_never = true;  // bits of a tag, and no tag
    builder.left.mask.vlan_tci = Be16{0};
    return;
  }
  if (!builder.can(IrregularRow::kVlan)) return;
  std::uint16_t expressed = kVlanPresent;
  const auto part = [&](std::uint16_t bits, IrregularRow row) {
    const std::uint16_t m = mask & bits;
    if (m == 0 || builder.can(row, m == bits))
      expressed = static_cast<std::uint16_t>(expressed | m);
  };
  part(kVlanVidMask, IrregularRow::kVlanVid);
  part(kPcpMask, IrregularRow::kVlanPcp);
  const Be16 item_mask{static_cast<std::uint16_t>(mask & expressed & ~kVlanPresent)};
  const Be16 item_value{static_cast<std::uint16_t>(value & item_mask.host())};
  builder.pattern.need(Layer::kVlan, RTE_FLOW_ITEM_TYPE_VLAN);
  builder.pattern.put(Layer::kVlan, offsetof(rte_flow_item_vlan, hdr.vlan_tci), &item_value,
                      &item_mask, sizeof item_mask);
  builder.left.mask.vlan_tci = Be16{static_cast<std::uint16_t>(mask & ~expressed)};
}

}  // namespace hoist::offload

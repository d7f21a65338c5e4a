// SPDX-License-Identifier: BSD-3-Clause
#include "install/rte_form.hpp"

#include <algorithm>

namespace hoist::offload {

RteForm::RteForm(const HwRule& rule, std::span<const std::uint16_t> queues) {
  attributes_.group = rule.group;
  attributes_.priority = rule.priority;
  attributes_.transfer = rule.is_transfer ? 1 : 0;
  attributes_.ingress = rule.is_transfer ? 0 : 1;
  std::size_t n = 0;
  for (const HwItem& item : rule.match.items) {
    if (item.type == RTE_FLOW_ITEM_TYPE_VOID) continue;
    const bool asks = std::ranges::any_of(item.mask, [](std::uint8_t b) { return b != 0; });
    // An item that asks for nothing but the layer has no spec: drivers refuse empty masks.
    items_[n++] = rte_flow_item{.type = item.type,
                                .spec = asks ? item.spec.data() : nullptr,
                                .last = nullptr,
                                .mask = asks ? item.mask.data() : nullptr};
  }
  items_[n] = rte_flow_item{.type = RTE_FLOW_ITEM_TYPE_END};
  rss_.queue_num = static_cast<std::uint32_t>(queues.size());
  rss_.queue = queues.data();
  for (std::size_t i = 0; i < rule.actions.count; ++i) {
    const HwAction& action = rule.actions.list[i];
    const bool is_rss = action.type == RTE_FLOW_ACTION_TYPE_RSS;
    const void* conf = action.has_conf ? action.conf.data() : nullptr;
    actions_[i] = rte_flow_action{.type = action.type, .conf = is_rss ? &rss_ : conf};
  }
  actions_[rule.actions.count] = rte_flow_action{.type = RTE_FLOW_ACTION_TYPE_END};
}

}  // namespace hoist::offload

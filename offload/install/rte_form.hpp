// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_flow.h>

#include <array>
#include <cstdint>
#include <span>

#include "translate/hw_rule.hpp"

namespace hoist::offload {

/// A HwRule as rte_flow's arrays. Points into the rule and the queues, which must outlive it.
class RteForm {
 public:
  RteForm(const HwRule& rule, std::span<const std::uint16_t> queues);
  RteForm(const RteForm&) = delete;
  RteForm& operator=(const RteForm&) = delete;

  [[nodiscard]] const rte_flow_attr* attributes() const noexcept { return &attributes_; }
  [[nodiscard]] const rte_flow_item* items() const noexcept { return items_.data(); }
  [[nodiscard]] const rte_flow_action* actions() const noexcept { return actions_.data(); }

 private:
  rte_flow_attr attributes_{};
  rte_flow_action_rss rss_{};
  std::array<rte_flow_item, kLayerCount + 1> items_{};
  std::array<rte_flow_action, HwActions::kMax + 1> actions_{};
};

}  // namespace hoist::offload

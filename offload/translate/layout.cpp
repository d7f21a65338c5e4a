// SPDX-License-Identifier: BSD-3-Clause
#include "translate/layout.hpp"

#include <algorithm>

#include "hoist/types.hpp"

namespace hoist::offload {
namespace {

constexpr std::uint32_t kGroupsPerBridge = 256;

}  // namespace

Layout make_layout(const Capabilities& capabilities, std::uint32_t slot) noexcept {
  Layout layout;
  layout.has_groups = capabilities.has(Feature::kGroups);
  const std::uint32_t priorities =
      layout.has_groups ? capabilities.priority_count : capabilities.root_priority_count;
  layout.default_priority = priorities - 1;
  if (!layout.has_groups) {
    layout.table_count = slot == 0 ? 1 : 0;
    layout.first_priority = std::min(kHazardPriority + 1, layout.default_priority);
  } else {
    layout.admission_group = 1 + slot * kGroupsPerBridge;
    layout.base = layout.admission_group + 1;
    const std::uint32_t last =
        std::min(layout.admission_group + kGroupsPerBridge, capabilities.group_count);
    layout.table_count = last > layout.base + 1 ? last - layout.base - 1 : 0;
    layout.table_count = std::min<std::uint32_t>(layout.table_count, kTableCount);
    layout.punt_group = last - 1;
  }
  // Without groups a miss goes to software by itself, and the last priority is free.
  const std::uint32_t end = layout.default_priority + (layout.has_groups ? 0 : 1);
  layout.level_count = (end - layout.first_priority) / 2;
  return layout;
}

}  // namespace hoist::offload

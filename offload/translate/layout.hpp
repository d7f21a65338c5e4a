// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "nic/capabilities.hpp"

namespace hoist::offload {

/// Which hardware groups and priorities one bridge uses on one domain.
///
/// With groups: group 0 only steers, the next admits packets (hazards), table t is group base + t,
/// and the last hands packets to software; so every jump leads to a higher group, as some NICs
/// demand. Without groups: table 0 is group 0.
struct Layout {
  bool has_groups = false;
  std::uint32_t base = 0;  ///< Group of table 0: 2 for a domain's first bridge.
  std::uint32_t admission_group = 0;
  std::uint32_t punt_group = 0;
  std::uint32_t table_count = 1;       ///< Tables 0 to table_count - 1 have a group.
  std::uint32_t first_priority = 0;    ///< Priorities below are the steering's (one-group NICs).
  std::uint32_t level_count = 1;       ///< Levels of rules; each has two priorities.
  std::uint32_t default_priority = 0;  ///< Of a table's last rule.

  [[nodiscard]] std::uint32_t group(std::uint8_t table_id) const noexcept {
    return has_groups ? base + table_id : 0;
  }
  /// Priority of a level's exceptions (guards of single rules); its rules come next.
  [[nodiscard]] std::uint32_t exception_priority(std::uint32_t level) const noexcept {
    return first_priority + 2 * level;
  }
  [[nodiscard]] std::uint32_t rule_priority(std::uint32_t level) const noexcept {
    return first_priority + 2 * level + 1;
  }
};

/// Priorities of the steering rules in a one-group NIC: pause first, then hazards.
inline constexpr std::uint32_t kPausePriority = 0;
inline constexpr std::uint32_t kHazardPriority = 1;

/// The layout of the domain's bridge number `slot`, from 0. table_count 0: no room for it.
[[nodiscard]] Layout make_layout(const Capabilities& capabilities, std::uint32_t slot) noexcept;

}  // namespace hoist::offload

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "hoist/instructions.hpp"
#include "hoist/match.hpp"
#include "openflow/message.hpp"
#include "openflow/rule_slab.hpp"

namespace hoist::openflow {

/// Says whether instructions send packets to `port` (OpenFlow 1.3, 6.4: out_port).
[[nodiscard]] bool outputs_to(const Instructions& instructions, PortNo port) noexcept;
/// Likewise for a group.
[[nodiscard]] bool uses_group(const Instructions& instructions, std::uint32_t group_id) noexcept;

/// Which rules a non-strict request means.
struct RuleFilter {
  static constexpr std::uint8_t kAllTables = 0xff;
  static constexpr std::uint32_t kAnyGroup = 0xffffffff;

  std::uint8_t table_id = kAllTables;
  PortNo out_port = PortNo::kAny;
  std::uint32_t out_group = kAnyGroup;
  std::uint64_t cookie = 0;
  std::uint64_t cookie_mask = 0;
  MiniMatch match;

  static RuleFilter of(const FlowStatsFilter& filter);
  /// A deletion's filter: all that `mod` names.
  static RuleFilter of_deletion(const FlowMod& mod);
  /// A modification's: its out_port and out_group mean nothing.
  static RuleFilter of_modification(const FlowMod& mod);

  /// Cookie, output and group alone: what strict requests look at besides the key.
  [[nodiscard]] bool selects_strictly(const RuleSpec& rule) const noexcept;
  [[nodiscard]] bool selects(const RuleSpec& rule) const noexcept;
};

}  // namespace hoist::openflow

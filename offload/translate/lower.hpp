// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "translate/actions.hpp"
#include "translate/context.hpp"
#include "translate/hw_rule.hpp"
#include "translate/layout.hpp"
#include "translate/match.hpp"

namespace hoist::offload {

/// Where a rule of one table stands.
struct Position {
  const Layout& layout;
  std::uint8_t table_id;
  std::uint32_t level;
  std::uint32_t table_mark = 0;  ///< Resume token of the table; 0: none needed (table 0).
};

/// Appends "MARK `mark` (unless 0) and hand to software".
void add_punt(HwActions& actions, const Layout& layout, const Capabilities& capabilities,
              std::uint32_t mark);

/// Whether the pattern's L3 item takes a mask on the TTL.
[[nodiscard]] bool can_mask_ttl(const HwMatch& match, const Capabilities& capabilities) noexcept;

/// The hardware rules of tier full: one for each form of packet, and its exceptions.
[[nodiscard]] std::vector<HwRule> lower_full(const HwMatches& matches, const HwProgram& program,
                                             const Context& context, const Position& position);
/// Tier partial: counts, and hands over with the rule's token.
[[nodiscard]] std::vector<HwRule> lower_partial(const HwMatches& matches, const Context& context,
                                                const Position& position, std::uint32_t rule_mark);
/// A guard: hands over with the table's token.
[[nodiscard]] std::vector<HwRule> lower_guard(const HwMatches& matches, const Context& context,
                                              const Position& position);
/// A table's last rule: what nothing matched goes on in software, at this table.
[[nodiscard]] HwRule lower_default(const Context& context, const Position& position);

}  // namespace hoist::offload

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

#include "hoist/match.hpp"
#include "hoist/rule.hpp"
#include "translate/actions.hpp"
#include "translate/context.hpp"
#include "translate/hazard.hpp"
#include "translate/layout.hpp"
#include "translate/match.hpp"
#include "translate/refused.hpp"

namespace hoist::offload {

/// What one way of carrying a rule takes.
struct Cost {
  std::uint8_t rule_count = 0;  ///< Hardware rules.
  HazardSet hazards;
};

/// What the translator says of one rule on one domain: all that the planner wants to know.
struct Assessment {
  bool is_never = false;     ///< No packet in hardware matches it: needs neither rule nor guard.
  std::optional<Cost> full;  ///< Nothing: `refused` says why.
  std::optional<Cost> partial;
  std::optional<Cost> guard;
  bool is_bound = false;                   ///< Comes and goes with others, which share its meter.
  bool needs_tags = false;                 ///< Only TagMode::kSingle can carry it in full.
  std::optional<std::uint8_t> next_table;  ///< Of tier full.
  MiniMatch matched;  ///< What hardware matches for it: its match, or a wider one.
  Refused refused;
};

/// A rule in hardware form: tier full.
struct HwForm {
  HwMatches matches;
  HwProgram program;
};

/// Pure.
std::variant<HwForm, Refused> translate(const RuleSpec& rule, const Context& context,
                                        const Layout& layout);
[[nodiscard]] Assessment assess(const RuleSpec& rule, const Context& context, const Layout& layout);
/// The match of a partial rule or guard: exact, or else wide.
[[nodiscard]] HwMatches guard_match(const RuleSpec& rule, const Context& context);

}  // namespace hoist::offload

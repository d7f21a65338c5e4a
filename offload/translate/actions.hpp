// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "hoist/meter.hpp"
#include "hoist/rule.hpp"
#include "translate/action_rows.hpp"
#include "translate/context.hpp"
#include "translate/match.hpp"
#include "translate/refused.hpp"

namespace hoist::offload {

/// How a rule in hardware ends.
struct HwFate {
  enum class Kind : std::uint8_t { kDrop, kTable, kPort };
  Kind kind = Kind::kDrop;
  std::uint8_t table_id = 0;          ///< kTable: where the packet goes on.
  EthdevId ethdev = EthdevId::kNone;  ///< kPort.
  bool operator==(const HwFate&) const = default;
};

/// A rule's instructions in hardware form: rewrites, then one fate.
struct HwProgram {
  HwActions rewrites;
  HwFate fate;
  NeededItems needed;
  std::optional<MeterId> meter;  ///< Asked before all else.
  bool needs_ttl_guard = false;  ///< Packets with a TTL of 0 or 1 must go to software instead.
  bool needs_tags = false;       ///< Hands tagged packets to a later table.
  EthdevId never_back = EthdevId::kNone;  ///< Packets from this port are dropped instead (OpenFlow
                                          ///< 1.3, 4.5: no output to the ingress port).
};

/// Pure. Refuses what has no hardware form, naming the action.
std::variant<HwProgram, Refused> translate_actions(const Match& match, const RuleSpec& rule,
                                                   const Context& context);

/// The action set of a rule that ends the pipeline, in its order of execution (OpenFlow 1.3, 5.10),
/// the last of each kind only.
[[nodiscard]] std::vector<Action> ordered_action_set(const ActionList& write_actions);

}  // namespace hoist::offload

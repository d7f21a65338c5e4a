// SPDX-License-Identifier: BSD-3-Clause
#include "openflow/rule_filter.hpp"

#include <algorithm>

namespace hoist::openflow {
namespace {

bool is_output_to(const Action& action, PortNo port) noexcept {
  if (const auto* output = std::get_if<OutputAction>(&action)) return output->port == port;
  if (const auto* enqueue = std::get_if<EnqueueAction>(&action)) return enqueue->port == port;
  return port == PortNo::kController && std::holds_alternative<ControllerAction>(action);
}

template <class Predicate>
bool any_action(const Instructions& instructions, Predicate predicate) {
  return std::ranges::any_of(instructions.apply_actions, predicate) ||
         std::ranges::any_of(instructions.write_actions, predicate);
}

}  // namespace

bool outputs_to(const Instructions& instructions, PortNo port) noexcept {
  return any_action(instructions, [port](const Action& a) { return is_output_to(a, port); });
}

bool uses_group(const Instructions& instructions, std::uint32_t group_id) noexcept {
  return any_action(instructions, [group_id](const Action& a) {
    const auto* group = std::get_if<GroupAction>(&a);
    return group != nullptr && group->group_id == group_id;
  });
}

RuleFilter RuleFilter::of(const FlowStatsFilter& filter) {
  return RuleFilter{.table_id = filter.table_id,
                    .out_port = filter.out_port,
                    .out_group = filter.out_group,
                    .cookie = filter.cookie,
                    .cookie_mask = filter.cookie_mask,
                    .match = MiniMatch(filter.match)};
}

RuleFilter RuleFilter::of_deletion(const FlowMod& mod) {
  RuleFilter filter = of_modification(mod);
  filter.out_port = mod.out_port;
  filter.out_group = mod.out_group;
  return filter;
}

RuleFilter RuleFilter::of_modification(const FlowMod& mod) {
  return RuleFilter{.table_id = mod.table_id,
                    .cookie = mod.cookie,
                    .cookie_mask = mod.cookie_mask,
                    .match = MiniMatch(mod.match)};
}

bool RuleFilter::selects_strictly(const RuleSpec& rule) const noexcept {
  return ((rule.cookie ^ cookie) & cookie_mask) == 0 &&
         (out_port == PortNo::kAny || outputs_to(*rule.instructions, out_port)) &&
         (out_group == kAnyGroup || uses_group(*rule.instructions, out_group));
}

bool RuleFilter::selects(const RuleSpec& rule) const noexcept {
  return (table_id == kAllTables || table_id == rule.table_id) && selects_strictly(rule) &&
         covers(match, rule.match);
}

}  // namespace hoist::openflow

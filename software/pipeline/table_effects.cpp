// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/table_effects.hpp"

#include <algorithm>

namespace hoist::software {

TableEffects::Key TableEffects::key_of(const MiniMatch& match) {
  const FlowMask mask(match);
  std::vector<std::uint64_t> values;
  for (const MiniMatch::Word& w : match.words()) values.push_back(w.value);
  const RuleShape shape = rule_shape(mask, values.data());
  return {shape.in_port.has_value(), shape.in_port.value_or(PortNo{}), shape.may_match};
}

bool TableEffects::add(const MiniMatch& match, const Program& program, std::uint8_t table_id) {
  Group& group = groups_[key_of(match)];
  if (++group.programs[&program] != 1) return false;
  const Effects before = group.effects;
  group.effects.merge(effects_of(program, table_id));
  return !(before == group.effects);
}

void TableEffects::remove(const MiniMatch& match, const Program& program) {
  const auto group = groups_.find(key_of(match));
  if (group == groups_.end()) return;
  const auto entry = group->second.programs.find(&program);
  if (entry == group->second.programs.end() || --entry->second != 0) return;
  group->second.programs.erase(entry);
  group->second.is_stale = is_stale_ = true;
}

bool TableEffects::shrink(std::uint8_t table_id) {
  if (!is_stale_) return false;
  is_stale_ = false;
  bool has_changed = false;
  for (auto it = groups_.begin(); it != groups_.end();) {
    Group& group = it->second;
    if (group.is_stale) {
      group.is_stale = false;
      const Effects before = std::exchange(group.effects, {});
      for (const auto& [program, count] : group.programs) {
        group.effects.merge(effects_of(*program, table_id));
      }
      has_changed |= !(before == group.effects);
    }
    it = group.programs.empty() ? groups_.erase(it) : std::next(it);
  }
  return has_changed;
}

void TableEffects::collect(const std::vector<PortNo>& in_ports, bool any_port,
                           PacketClassSet classes, Effects& into) const {
  for (const auto& [key, group] : groups_) {
    if ((key.classes & classes) == 0) continue;
    const bool is_port = any_port || !key.has_port || std::ranges::count(in_ports, key.port) != 0;
    if (is_port) into.merge(group.effects);
  }
}

}  // namespace hoist::software

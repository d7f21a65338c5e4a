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

std::size_t TableEffects::HashOfEffects::operator()(const Effects& effects) const noexcept {
  std::size_t hash = std::hash<std::bitset<256>>()(effects.targets);
  const auto mix = [&hash](std::uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  };
  for (const std::uint64_t word : effects.reads) mix(word);
  for (const std::uint64_t word : effects.writes) mix(word);
  for (const PortNo port : effects.in_ports) mix(to_integer(port));
  return hash;
}

bool TableEffects::add(const MiniMatch& match, const Program& program, std::uint8_t table_id) {
  Group& group = groups_[key_of(match)];
  const auto [kind, is_new] = group.kinds.try_emplace(effects_of(program, table_id), 0);
  ++kind->second;
  if (!is_new) return false;
  const Effects before = group.effects;
  group.effects.merge(kind->first);
  return !(before == group.effects);
}

void TableEffects::remove(const MiniMatch& match, const Program& program, std::uint8_t table_id) {
  const auto group = groups_.find(key_of(match));
  if (group == groups_.end()) return;
  auto& kinds = group->second.kinds;
  const auto kind = kinds.find(effects_of(program, table_id));
  if (kind == kinds.end() || --kind->second != 0) return;
  kinds.erase(kind);
  group->second.is_stale = is_stale_ = true;
}

bool TableEffects::shrink() {
  if (!is_stale_) return false;
  is_stale_ = false;
  bool has_changed = false;
  for (auto it = groups_.begin(); it != groups_.end();) {
    Group& group = it->second;
    if (group.is_stale) {
      group.is_stale = false;
      const Effects before = std::exchange(group.effects, {});
      for (const auto& [effects, count] : group.kinds) group.effects.merge(effects);
      has_changed |= !(before == group.effects);
    }
    it = group.kinds.empty() ? groups_.erase(it) : std::next(it);
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

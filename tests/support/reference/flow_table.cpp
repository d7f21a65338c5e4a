// SPDX-License-Identifier: BSD-3-Clause
#include "support/reference/flow_table.hpp"

namespace hoist::reference {
namespace {

/// Bit by bit over the whole key, without MiniMatch's own matches().
bool is_match(const Match& match, const FlowKey& key) {
  for (std::size_t i = 0; i < kFlowKeyWords; ++i) {
    if (((words(key)[i] ^ words(match.value)[i]) & words(match.mask)[i]) != 0) return false;
  }
  return true;
}

}  // namespace

void FlowTable::remove(RuleId id) {
  std::erase_if(rules_, [id](const auto& rule) { return rule->id == id; });
}

const RuleSpec* FlowTable::look_up(const FlowKey& key, std::uint64_t frame_bytes) {
  const RuleSpec* best = nullptr;
  for (const auto& rule : rules_) {
    const bool is_better = best == nullptr || rule->priority > best->priority;
    if (is_better && is_match(rule->match.expand(), key)) best = rule.get();
  }
  ++count_.lookups;
  if (best == nullptr) return nullptr;
  ++count_.matches;
  rule_counts_[best->id] += TrafficCount{.packets = 1, .bytes = frame_bytes};
  return best;
}

}  // namespace hoist::reference

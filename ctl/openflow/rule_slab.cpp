// SPDX-License-Identifier: BSD-3-Clause
#include "openflow/rule_slab.hpp"

#include <algorithm>

namespace hoist::openflow {

RuleId RuleSlab::allocate() {
  if (!free_.empty()) {
    const std::uint32_t id = free_.back();
    free_.pop_back();
    return RuleId{id};
  }
  if (used_ == max_rules_) return RuleId::kNone;
  if ((used_ & (kChunkSize - 1)) == 0) chunks_.push_back(std::make_unique<Rule[]>(kChunkSize));
  return RuleId{++used_};
}

void RuleSlab::release(RuleId id) {
  (*this)[id] = Rule{};
  free_.push_back(to_integer(id));
}

void RuleSlab::count(const RuleHit& hit) noexcept {
  if (find(hit.rule) == nullptr) return;
  Rule* rule = &(*this)[hit.rule];
  while (rule->state == Rule::State::kRetired && rule->link != 0) rule = &at(rule->link);
  if (rule->state == Rule::State::kFree) return;
  rule->count += hit.count;
  rule->used_ms = std::max(rule->used_ms, hit.last_used_ms);
}

}  // namespace hoist::openflow

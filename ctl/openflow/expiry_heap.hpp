// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "openflow/rule_slab.hpp"

namespace hoist::openflow {

/// When `rule` times out as things stand, or UINT64_MAX. Milliseconds of Datapath::now_ms().
[[nodiscard]] inline std::uint64_t idle_deadline_ms(const Rule& rule) noexcept {
  return rule.idle_timeout == 0
             ? UINT64_MAX
             : std::max(rule.used_ms, rule.created_ms) + rule.idle_timeout * 1000u;
}
[[nodiscard]] inline std::uint64_t hard_deadline_ms(const Rule& rule) noexcept {
  return rule.hard_timeout == 0 ? UINT64_MAX : rule.modified_ms + rule.hard_timeout * 1000u;
}
[[nodiscard]] inline std::uint64_t deadline_ms(const Rule& rule) noexcept {
  return std::min(idle_deadline_ms(rule), hard_deadline_ms(rule));
}

/// Rules that can time out, soonest first. Entries are not taken out when a rule goes or is used:
/// they are looked at again when they come up. Rules without timeouts cost nothing.
class ExpiryHeap {
 public:
  void add(RuleId id, const Rule& rule) {
    const std::uint64_t due = deadline_ms(rule);
    if (due != UINT64_MAX) heap_.push({due, rule.created_ms, id});
  }

  /// The soonest time at which a rule may be due; UINT64_MAX if none can be.
  [[nodiscard]] std::uint64_t next_ms() const noexcept {
    return heap_.empty() ? UINT64_MAX : heap_.top().due_ms;
  }

  /// Takes out a rule of `bridge` that is due; kNone if there is none (left).
  RuleId pop(const RuleSlab& slab, BridgeId bridge, std::uint64_t now_ms) {
    while (!heap_.empty() && heap_.top().due_ms <= now_ms) {
      const Entry entry = heap_.top();
      heap_.pop();
      const Rule& rule = slab[entry.id];
      const bool is_same = rule.state == Rule::State::kLive && rule.bridge == bridge &&
                           rule.created_ms == entry.created_ms;
      if (!is_same) continue;
      if (deadline_ms(rule) <= now_ms) return entry.id;
      add(entry.id, rule);
    }
    return RuleId::kNone;
  }

 private:
  struct Entry {
    std::uint64_t due_ms;
    std::uint64_t created_ms;  ///< Tells a rule from another that got the same id later.
    RuleId id;
    bool operator>(const Entry& other) const noexcept { return due_ms > other.due_ms; }
  };
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap_;
};

}  // namespace hoist::openflow

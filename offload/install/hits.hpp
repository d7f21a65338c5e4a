// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <unordered_map>

#include "hoist/datapath.hpp"

namespace hoist::offload {

/// What hardware counted and control has not yet fetched. One entry a rule, so it is bounded by the
/// rules.
class Hits {
 public:
  /// Offload thread.
  void add(RuleId rule, const TrafficCount& gained, std::uint64_t now_ms) {
    if (gained.packets == 0 && gained.bytes == 0) return;
    const std::lock_guard guard(mutex_);
    RuleHit& hit = waiting_[rule];
    hit.rule = rule;
    hit.count += gained;
    hit.last_used_ms = now_ms;
  }
  /// Control thread.
  void take(const std::function<void(const RuleHit&)>& visit) {
    std::unordered_map<RuleId, RuleHit> taken;
    {
      const std::lock_guard guard(mutex_);
      taken.swap(waiting_);
    }
    for (const auto& [rule, hit] : taken) visit(hit);
  }

 private:
  std::mutex mutex_;
  std::unordered_map<RuleId, RuleHit> waiting_;
};

}  // namespace hoist::offload

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
  void add_meter(const MeterHit& gained) {
    if (gained.in == TrafficCount{} && gained.dropped == TrafficCount{}) return;
    const std::lock_guard guard(mutex_);
    const auto key = std::uint64_t{to_integer(gained.bridge)} << 32 | to_integer(gained.meter);
    MeterHit& hit = waiting_meters_[key];
    hit.bridge = gained.bridge;
    hit.meter = gained.meter;
    hit.in += gained.in;
    hit.dropped += gained.dropped;
  }
  /// Control thread.
  void take_meters(const std::function<void(const MeterHit&)>& visit) {
    std::unordered_map<std::uint64_t, MeterHit> taken;
    {
      const std::lock_guard guard(mutex_);
      taken.swap(waiting_meters_);
    }
    for (const auto& [key, hit] : taken) visit(hit);
  }
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
  std::unordered_map<std::uint64_t, MeterHit> waiting_meters_;  ///< By bridge and meter.
};

}  // namespace hoist::offload

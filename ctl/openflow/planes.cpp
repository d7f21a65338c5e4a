// SPDX-License-Identifier: BSD-3-Clause
#include "openflow/planes.hpp"

#include <algorithm>

namespace hoist::openflow {
namespace {

/// While rules wait for room in hardware, what software carries is told this often.
constexpr std::uint64_t kObservationMs = 500;

}  // namespace

Stamp Planes::publish(BridgeId bridge, const Commit& commit) {
  if (!commit.changes.empty()) {
    last_.version = datapath_.apply(bridge, commit.changes);
    last_.sequence = flow_manager_.submit(bridge, commit.changes);
  }
  if (!commit.retired.empty()) retirements_.push_back({last_, commit.retired});
  return last_;
}

bool Planes::is_fresh(FlowManager::Sequence refresh) {
  if (!flow_manager_.is_settled(refresh)) return false;
  collect();
  return true;
}

void Planes::collect() {
  collected_ms_ = datapath_.now_ms();
  std::vector<RuleHit> in_software;
  const bool is_wanted = flow_manager_.wants_hits();
  datapath_.collect([&](const RuleHit& hit) {
    slab_.count(hit);
    if (is_wanted) in_software.push_back(hit);
  });
  flow_manager_.collect_meters(on_meter_hit_);
  flow_manager_.collect([this](const RuleHit& hit) { slab_.count(hit); });
  if (!in_software.empty()) flow_manager_.observe(std::move(in_software));
}

bool Planes::poll() {
  const bool is_due = datapath_.now_ms() - collected_ms_ >= kObservationMs;
  if (is_due && flow_manager_.wants_hits()) collect();
  const auto end = std::ranges::find_if(
      retirements_, [this](const Retirement& r) { return !is_settled(r.stamp); });
  if (end == retirements_.begin()) return !retirements_.empty();
  collect();
  std::vector<Retirement> done(retirements_.begin(), end);
  retirements_.erase(retirements_.begin(), end);
  for (const Retirement& retirement : done) {
    for (const RuleId id : retirement.rules) {
      const Rule& rule = slab_[id];
      if (on_gone_ && rule.is_removal_reported) on_gone_(rule);
    }
    for (const RuleId id : retirement.rules) slab_.release(id);
  }
  return !retirements_.empty();
}

}  // namespace hoist::openflow

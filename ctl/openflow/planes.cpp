// SPDX-License-Identifier: BSD-3-Clause
#include "openflow/planes.hpp"

#include <algorithm>

namespace hoist::openflow {

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
  const auto count = [this](const RuleHit& hit) { slab_.count(hit); };
  datapath_.collect(count);
  flow_manager_.collect(count);
}

bool Planes::poll() {
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

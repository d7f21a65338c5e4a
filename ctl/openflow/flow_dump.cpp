// SPDX-License-Identifier: BSD-3-Clause
#include "openflow/flow_dump.hpp"

#include <algorithm>

#include "openflow/rule_stats.hpp"

namespace hoist::openflow {

bool FlowDump::write_slice(std::uint64_t now_ms) {
  const std::size_t end = std::min(ids_.size(), next_ + kSlice);
  for (; next_ < end; ++next_) {
    if (!rules_.is_live(ids_[next_])) continue;
    const Rule& rule = rules_.rule(ids_[next_]);
    if (filter_.selects(*rule.spec)) reply_.add(stats_of(rule, now_ms));
  }
  if (next_ < ids_.size()) return false;
  reply_.finish();
  return true;
}

}  // namespace hoist::openflow

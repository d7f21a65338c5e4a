// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "openflow/codec.hpp"
#include "openflow/rule_filter.hpp"
#include "openflow/rule_store.hpp"

namespace hoist::openflow {

/// Answers a FlowStatsRequest a slice at a time, so that a dump of 200,000 rules holds nobody up.
/// Rules that come meanwhile are left out, rules that go may be. Control thread.
class FlowDump {
 public:
  static constexpr std::size_t kSlice = 512;  ///< Rules a call; well below a millisecond.

  FlowDump(Bytes& out, Envelope to, const FlowStatsRequest& request, const RuleStore& rules)
      : rules_(rules),
        filter_(RuleFilter::of(request.filter)),
        ids_(rules.ids(request.filter.table_id)),
        reply_(out, to, request.is_nicira) {}

  /// Writes the next slice; returns whether it was the last.
  bool write_slice(std::uint64_t now_ms);

 private:
  const RuleStore& rules_;
  RuleFilter filter_;
  std::vector<RuleId> ids_;
  std::size_t next_ = 0;
  FlowStatsReply reply_;
};

}  // namespace hoist::openflow

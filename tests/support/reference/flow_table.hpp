// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "hoist/datapath.hpp"
#include "hoist/rule.hpp"

namespace hoist::reference {

/// One OpenFlow table: a list that is searched from end to end.
class FlowTable {
 public:
  void add(std::shared_ptr<const RuleSpec> rule) { rules_.push_back(std::move(rule)); }
  void remove(RuleId id);

  /// Counts a lookup and, with a rule found, a match and the packet.
  const RuleSpec* look_up(const FlowKey& key, std::uint64_t frame_bytes);
  [[nodiscard]] const TableCount& count() const { return count_; }
  [[nodiscard]] const std::map<RuleId, TrafficCount>& rule_counts() const { return rule_counts_; }

 private:
  std::vector<std::shared_ptr<const RuleSpec>> rules_;
  TableCount count_;
  std::map<RuleId, TrafficCount> rule_counts_;
};

}  // namespace hoist::reference

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "classifier/flow_mask.hpp"
#include "classifier/priority_counts.hpp"
#include "classifier/rule_shape.hpp"

namespace hoist::software {

/// Keeps count of what the rules of a table consult, for each (in_port, PacketClass). Control
/// thread.
///
/// Rules of one mask and one shape share a record, so 200,000 rules `ip,ip_dst=x` are one. Adding
/// and removing cost O(log n) of the priorities in use by the record.
class ConsultedIndex {
 public:
  /// `mask` must stay until the last remove() that names it. The shape is that of the rule.
  void add(const FlowMask& mask, const RuleShape& shape, std::uint16_t priority);
  void remove(const FlowMask& mask, const RuleShape& shape, std::uint16_t priority);

  /// A rule that covers classes hides rules of lower priority from now on / no longer does.
  void hide(const RuleShape& shape, std::uint16_t priority);
  void unhide(const RuleShape& shape, std::uint16_t priority);

  [[nodiscard]] FlowKey consulted(PortNo in_port, PacketClass packet_class) const;
  /// Changes whenever an answer of consulted() may have changed.
  [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }

 private:
  using RecordKey = std::pair<const FlowMask*, PacketClassSet>;

  struct Cover {
    PacketClassSet classes;
    std::uint16_t priority;
  };
  struct Port {
    std::map<RecordKey, PriorityCounts> records;
    std::vector<Cover> covers;
  };
  /// Any port is one more "port".
  static constexpr std::uint64_t kAnyPort = ~std::uint64_t{0};
  [[nodiscard]] static std::uint64_t port_key(const RuleShape& shape) noexcept;
  void erase_if_empty(std::uint64_t port_key);

  std::unordered_map<std::uint64_t, Port> ports_;
  std::uint64_t generation_ = 1;
};

}  // namespace hoist::software

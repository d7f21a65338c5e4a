// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "openflow/codec.hpp"
#include "openflow/rule_filter.hpp"
#include "openflow/rule_store.hpp"

namespace hoist::openflow {

/// The flow monitors of one session: what `ovs-ofctl monitor BRIDGE watch:` hears. Control thread.
class FlowMonitors {
 public:
  // NXFMF_* and OFPFMF_*: which events, and what they say.
  static constexpr std::uint16_t kInitial = 1u << 0;
  static constexpr std::uint16_t kAdd = 1u << 1;
  static constexpr std::uint16_t kRemove = 1u << 2;
  static constexpr std::uint16_t kModify = 1u << 3;
  static constexpr std::uint16_t kInstructions = 1u << 4;
  static constexpr std::uint16_t kOwn = 1u << 5;  ///< The session's own changes in full.

  /// Adds, changes or removes a monitor.
  Decoded<void> handle(const FlowMonitorRequest& request);
  /// Fails if there is no such monitor.
  Decoded<void> cancel(std::uint32_t monitor_id);
  [[nodiscard]] bool is_empty() const noexcept { return monitors_.empty(); }

  /// Appends what `session` is to hear of `events`, if anything.
  void tell(Bytes& out, Version version, std::uint32_t session, std::span<const RuleEvent> events,
            const RuleStore& rules, std::uint64_t now_ms) const;

 private:
  struct Monitor {
    std::uint32_t id;
    std::uint16_t flags;
    bool is_nicira;
    RuleFilter filter;
  };
  Decoded<void> add(const FlowMonitorRequest& request);
  /// The flags of all monitors that an event concerns, together; 0: none.
  [[nodiscard]] std::uint16_t concerned(const RuleEvent& event) const;

  std::vector<Monitor> monitors_;
};

}  // namespace hoist::openflow

// SPDX-License-Identifier: BSD-3-Clause
#include "openflow/flow_monitor.hpp"

#include <algorithm>
#include <optional>

#include "openflow/rule_stats.hpp"

namespace hoist::openflow {
namespace {

// OFPFMC_*.
constexpr std::uint8_t kAddCommand = 0;
constexpr std::uint8_t kModifyCommand = 1;
constexpr std::uint8_t kDeleteCommand = 2;

std::uint16_t flag_of(RuleEvent::Kind kind) noexcept {
  switch (kind) {
    case RuleEvent::Kind::kAdded:
      return FlowMonitors::kAdd;
    case RuleEvent::Kind::kModified:
      return FlowMonitors::kModify;
    case RuleEvent::Kind::kRemoved:
      break;
  }
  return FlowMonitors::kRemove;
}

FlowEvent event_of(RuleEvent::Kind kind) noexcept {
  switch (kind) {
    case RuleEvent::Kind::kAdded:
      return FlowEvent::kAdded;
    case RuleEvent::Kind::kModified:
      return FlowEvent::kModified;
    case RuleEvent::Kind::kRemoved:
      break;
  }
  return FlowEvent::kRemoved;
}

}  // namespace

Decoded<void> FlowMonitors::handle(const FlowMonitorRequest& request) {
  switch (request.command) {
    case kAddCommand:
      return add(request);
    case kModifyCommand: {
      Decoded<void> cancelled = cancel(request.monitor_id);
      return cancelled ? add(request) : cancelled;
    }
    case kDeleteCommand:
      return cancel(request.monitor_id);
    default:
      return fault(ErrorName::kMonitorBadCommand, "unknown flow monitor command");
  }
}

Decoded<void> FlowMonitors::add(const FlowMonitorRequest& request) {
  if (std::ranges::find(monitors_, request.monitor_id, &Monitor::id) != monitors_.end()) {
    return fault(ErrorName::kMonitorExists, "monitor exists already");
  }
  monitors_.push_back({.id = request.monitor_id,
                       .flags = request.flags,
                       .is_nicira = request.is_nicira,
                       .filter = RuleFilter::of(request.filter)});
  return {};
}

Decoded<void> FlowMonitors::cancel(std::uint32_t monitor_id) {
  if (std::erase_if(monitors_, [=](const Monitor& m) { return m.id == monitor_id; }) == 0) {
    return fault(ErrorName::kMonitorUnknown, "no such monitor");
  }
  return {};
}

std::uint16_t FlowMonitors::concerned(const RuleEvent& event) const {
  unsigned flags = 0;
  for (const Monitor& monitor : monitors_) {
    if ((monitor.flags & flag_of(event.kind)) == 0) continue;
    RuleFilter filter = monitor.filter;
    const bool left_port = event.old_instructions != nullptr && filter.out_port != PortNo::kAny &&
                           outputs_to(*event.old_instructions, filter.out_port);
    if (left_port) filter.out_port = PortNo::kAny;
    if (filter.selects(*event.spec)) flags |= monitor.flags;
  }
  return static_cast<std::uint16_t>(flags);
}

void FlowMonitors::tell(Bytes& out, Version version, std::uint32_t session,
                        std::span<const RuleEvent> events, const RuleStore& rules,
                        std::uint64_t now_ms) const {
  std::optional<FlowMonitorReply> reply;
  std::uint32_t abbreviated_xid = 0;
  bool has_abbreviated = false;
  for (const RuleEvent& event : events) {
    const std::uint16_t flags = concerned(event);
    if (flags == 0) continue;
    if (!reply) reply.emplace(out, Envelope{version, 0}, monitors_.front().is_nicira);
    if (event.origin.session == session && (flags & kOwn) == 0) {
      if (!has_abbreviated || abbreviated_xid != event.origin.xid) {
        reply->add_abbreviated(event.origin.xid);
      }
      has_abbreviated = true;
      abbreviated_xid = event.origin.xid;
      continue;
    }
    FlowStats stats = stats_of(rules.rule(event.id), now_ms);
    stats.match = &event.spec->match;
    stats.cookie = event.spec->cookie;
    stats.instructions = (flags & kInstructions) != 0 ? event.spec->instructions.get() : nullptr;
    reply->add(event_of(event.kind), stats, static_cast<std::uint8_t>(event.reason));
  }
  if (reply) reply->finish();
}

}  // namespace hoist::openflow

// SPDX-License-Identifier: BSD-3-Clause
// Roles, and what a session is told unasked.
#include <algorithm>
#include <utility>

#include "openflow/rule_stats.hpp"
#include "openflow/session.hpp"

namespace hoist::openflow {
namespace {

constexpr std::uint16_t kDefaultMissSendLen = 128;

}  // namespace

Decoded<void> Session::handle(const RoleRequest& request, const Context& at) {
  const bool is_election = request.role == Role::kMaster || request.role == Role::kSlave;
  if (is_election && !request.is_nicira && !bridge_.take_generation(request.generation_id)) {
    return fault(ErrorName::kRoleStale, "an older election's number");
  }
  if (request.role != Role::kNoChange) role_ = request.role;
  bridge_.wishes_changed();
  if (request.role == Role::kMaster) bridge_.set_master(*this);
  encode_role_reply(output_, to(at),
                    RoleRequest{role_, bridge_.generation_id(), request.is_nicira});
  return {};
}

void Session::step_down() noexcept {
  if (role_ != Role::kMaster) return;
  role_ = Role::kSlave;
  bridge_.wishes_changed();
}

Decoded<void> Session::handle(const GetAsyncRequest& /*request*/, const Context& at) {
  encode_async_reply(output_, to(at), async_);
  return {};
}

Decoded<void> Session::handle(const SetAsync& masks, const Context& /*at*/) {
  async_ = masks;
  if (options_.is_service && miss_send_len_ == 0) miss_send_len_ = kDefaultMissSendLen;
  bridge_.wishes_changed();
  return {};
}

Decoded<void> Session::handle(const NxSetAsync& request, const Context& at) {
  return handle(request.masks, at);
}

Decoded<void> Session::handle(const NxSetPacketInFormat& request, const Context& /*at*/) {
  if (request.format > 2) return fault(ErrorName::kPermission, "unknown packet-in format");
  packet_in_format_ = static_cast<PacketInMessage::Format>(request.format);
  return {};
}

Decoded<void> Session::handle(const NxSetControllerId& request, const Context& /*at*/) {
  controller_id_ = request.controller_id;
  bridge_.wishes_changed();
  return {};
}

Decoded<void> Session::handle(const FlowMonitorRequest& request, const Context& at) {
  if (Decoded<void> done = monitors_.handle(request); !done) return done;
  bridge_.monitors_changed();
  constexpr std::uint8_t kDeleteCommand = 2;  // OFPFMC_DELETE.
  if (request.command == kDeleteCommand) return {};
  FlowMonitorReply reply(output_, to(at), request.is_nicira);
  if ((request.flags & FlowMonitors::kInitial) != 0) {
    const std::uint64_t now_ms = bridge_.now_ms();
    for (const RuleId id : bridge_.rules().select(RuleFilter::of(request.filter))) {
      FlowStats stats = stats_of(bridge_.rules().rule(id), now_ms);
      if ((request.flags & FlowMonitors::kInstructions) == 0) stats.instructions = nullptr;
      reply.add(FlowEvent::kInitial, stats);
    }
  }
  reply.finish();
  return {};
}

Decoded<void> Session::handle(const NxFlowMonitorCancel& request, const Context& /*at*/) {
  Decoded<void> result = monitors_.cancel(request.monitor_id);
  bridge_.monitors_changed();
  return result;
}

bool Session::hears(Async kind, std::uint8_t reason) const noexcept {
  if (!is_greeted_ || (options_.is_service && miss_send_len_ == 0)) return false;
  const std::size_t side = role_ == Role::kSlave ? 1 : 0;
  const std::uint32_t mask = kind == Async::kPacketIn     ? async_.packet_in_mask[side]
                             : kind == Async::kPortStatus ? async_.port_status_mask[side]
                                                          : async_.flow_removed_mask[side];
  return (mask >> (reason & 31) & 1) != 0;
}

bool Session::wants(Async kind, std::uint8_t reason) {
  if (!hears(kind, reason)) return false;
  if (!is_congested()) return true;
  ++dropped_count_;
  return false;
}

bool Session::wants_misses() const noexcept {
  constexpr std::uint8_t kNoMatch = 0;  // OFPR_NO_MATCH
  return version_ < Version::kOf13 && controller_id_ == 0 && hears(Async::kPacketIn, kNoMatch);
}

void Session::packet_in(const PacketIn& packet) {
  if (packet.controller_id != controller_id_ || !wants(Async::kPacketIn, packet.reason)) return;
  PacketInMessage message{.packet = &packet};
  const Rule* rule = bridge_.rules().find(packet.rule);
  if (ImplicitMiss::is_from(rule) && !wants_misses()) return;
  if (rule != nullptr && rule->spec) message.cookie = rule->spec->cookie;
  encode(output_, Envelope{version_, 0}, message, packet_in_format_);
}

void Session::flow_removed(const Rule& rule) {
  const bool has_reason = version_ >= Version::kOf14;
  const auto reason = has_reason
                          ? rule.removed_reason
                          : std::min(rule.removed_reason, to_integer(RemovedReason::kDelete));
  if (!wants(Async::kFlowRemoved, reason)) return;
  encode(output_, Envelope{version_, 0}, FlowRemoved{stats_of(rule, bridge_.now_ms()), reason},
         is_nxm_);
}

void Session::port_changed(PortChange change, const PortDesc& port) {
  if (!wants(Async::kPortStatus, static_cast<std::uint8_t>(change))) return;
  encode_port_status(output_, Envelope{version_, 0}, change, port);
}

void Session::tell_monitors(std::span<const RuleEvent> events) {
  if (monitors_.is_empty() || is_given_up_) return;
  if (output_.size() + unsent_size_ > kFlowUpdatesMax) {
    is_given_up_ = true;
    close_reason_ = "does not read its flow updates";
    output_ = {};
    return;
  }
  monitors_.tell(output_, version_, id_, events, bridge_.rules(), bridge_.now_ms());
}

}  // namespace hoist::openflow

// SPDX-License-Identifier: BSD-3-Clause
#include "openflow/bridge.hpp"

#include <algorithm>
#include <utility>

#include "openflow/session.hpp"

namespace hoist::openflow {

Bridge::Bridge(Config config, Planes& planes, RuleSlab& slab, InstructionPool& instructions)
    : config_(std::move(config)),
      planes_(planes),
      rules_(config_.id, slab, instructions, [this](const RuleSpec& rule) { return check(rule); }),
      implicit_miss_(config_.id, slab) {}

void Bridge::flush() {
  submit_meters();
  if (!rules_.has_pending()) return;
  Commit commit = rules_.commit();
  implicit_miss_.follow(wants_misses(), commit);
  planes_.publish(id(), commit);
  if (commit.events.empty()) return;
  for (Session* session : sessions_) session->tell_monitors(commit.events);
}

void Bridge::expire() {
  const std::uint64_t now = now_ms();
  if (!expiry_) {
    if (rules_.next_expiry_ms() > now) return;
    expiry_ = PendingExpiry{planes_.refresh(), now};
  }
  if (!planes_.is_fresh(expiry_->refresh)) return;
  rules_.expire(expiry_->asked_ms);
  expiry_.reset();
  flush();
}

std::vector<PortDesc> Bridge::ports() const {
  std::vector<PortDesc> out;
  for (PortStatus& status : planes_.datapath().ports(id())) {
    const bool is_local = status.number == PortNo::kLocal;
    out.push_back({std::move(status), is_local});
  }
  std::ranges::sort(out, {}, [](const PortDesc& port) { return to_integer(port.status.number); });
  return out;
}

std::optional<PortDesc> Bridge::port(PortNo number) const {
  for (PortDesc& port : ports()) {
    if (port.status.number == number) return std::move(port);
  }
  return std::nullopt;
}

Result<void> Bridge::set_port_flags(PortNo number, std::uint32_t flags, std::uint32_t mask) {
  std::optional<PortDesc> desc = port(number);
  if (!desc) return failure(Errc::kNotFound, "no such port");
  const std::uint32_t wanted = (desc->status.flags & ~mask) | (flags & mask);
  if (wanted == desc->status.flags) return {};
  Result<void> result = planes_.datapath().set_port_flags(id(), number, wanted);
  if (!result) return result;
  desc = port(number);
  if (desc) port_changed(PortChange::kModify, desc->status);
  return {};
}

std::uint64_t Bridge::port_age_ms(PortNo number) const {
  const auto birth = std::ranges::find(births_, number, &PortBirth::number);
  return birth == births_.end() ? 0 : now_ms() - birth->ms;
}

void Bridge::port_added(const PortStatus& status) {
  std::erase_if(births_, [&](const PortBirth& birth) { return birth.number == status.number; });
  births_.push_back({status.number, now_ms()});
  port_changed(PortChange::kAdd, status);
}

void Bridge::packet_in(const PacketIn& packet) {
  for (Session* session : sessions_) session->packet_in(packet);
}

void Bridge::flow_removed(const Rule& rule) {
  for (Session* session : sessions_) session->flow_removed(rule);
}

void Bridge::port_changed(PortChange change, const PortStatus& status) {
  const PortDesc desc{status, status.number == PortNo::kLocal};
  for (Session* session : sessions_) session->port_changed(change, desc);
}

bool Bridge::wants_misses() const {
  if (std::ranges::none_of(sessions_, [](const Session* s) { return s->wants_misses(); })) {
    return false;
  }
  return !rules_.has_miss_rule(0);
}

void Bridge::wishes_changed() {
  flush();
  Commit commit;
  implicit_miss_.follow(wants_misses(), commit);
  if (!commit.changes.empty()) planes_.publish(id(), commit);
}

void Bridge::add_session(Session& session) { sessions_.push_back(&session); }

void Bridge::remove_session(Session& session) {
  std::erase(sessions_, &session);
  monitors_changed();
  wishes_changed();
}

void Bridge::set_master(Session& session) {
  for (Session* other : sessions_) {
    if (other != &session) other->step_down();
  }
}

bool Bridge::take_generation(std::uint64_t generation_id) {
  // The distance is signed on purpose: numbers wrap around.
  if (generation_id_ && static_cast<std::int64_t>(generation_id - *generation_id_) < 0)
    return false;
  generation_id_ = generation_id;
  return true;
}

void Bridge::monitors_changed() {
  rules_.set_watched(
      std::ranges::any_of(sessions_, [](const Session* s) { return s->has_monitors(); }));
}

Decoded<void> Bridge::check_meter(std::uint32_t meter_id) const {
  const bool is_number = meter_id != 0 && meter_id <= to_integer(MeterId::kMax);
  if (is_number && meters_.find(MeterId{meter_id}) != nullptr) return {};
  return fault(ErrorName::kMeterModInvalid, "no meter " + std::to_string(meter_id));
}

Decoded<void> Bridge::check_actions(const ActionList& actions) const {
  for (const Action& action : actions) {
    if (const auto* group = std::get_if<GroupAction>(&action)) {
      return fault(ErrorName::kActionBadOutGroup, "no group " + std::to_string(group->group_id));
    }
    if (const auto* meter = std::get_if<MeterAction>(&action)) {
      if (Decoded<void> known = check_meter(meter->meter_id); !known) return known;
    }
  }
  return {};
}

Decoded<void> Bridge::check(const RuleSpec& rule) const {
  const Instructions& instructions = *rule.instructions;
  if (instructions.meter_id) {
    if (Decoded<void> known = check_meter(*instructions.meter_id); !known) return known;
  }
  if (Decoded<void> result = check_actions(instructions.apply_actions); !result) return result;
  if (Decoded<void> result = check_actions(instructions.write_actions); !result) return result;
  if (const Result<void> result = planes_.datapath().check(rule); !result) {
    return tl::unexpected<Fault>(fault_of(result.error()));
  }
  return {};
}

Fault fault_of(const Error& error) {
  switch (error.code) {
    case Errc::kFull:
      return {ErrorName::kFlowModTableFull, error.message};
    case Errc::kUnsupported:
      return {ErrorName::kActionBadType, error.message};
    case Errc::kNotFound:
      return {ErrorName::kActionBadOutPort, error.message};
    case Errc::kInvalidArgument:
      return {ErrorName::kActionBadArgument, error.message};
    default:
      return {ErrorName::kPermission, error.message};
  }
}

}  // namespace hoist::openflow

// SPDX-License-Identifier: BSD-3-Clause
#include "support/reference/execution.hpp"

#include <algorithm>
#include <cstring>

#include "support/reference/frame_editor.hpp"
#include "support/reference/prerequisites.hpp"

namespace hoist::reference {

/// One overload an action.
struct Execution::Perform {
  Execution& x;

  void operator()(const OutputAction& a) { x.output(a.port, a.max_len); }
  void operator()(const ControllerAction& a) {
    x.give_controller({.reason = a.reason,
                       .controller_id = a.controller_id,
                       .max_len = a.max_len,
                       .userdata = a.userdata});
  }
  void operator()(const OutputRegAction& a) {
    const std::uint64_t port = low64(x.read(a.source));
    x.output(static_cast<PortNo>(static_cast<std::uint32_t>(port)), a.max_len);
  }
  void operator()(const EnqueueAction& a) { x.output(a.port, 0xffff); }
  void operator()(const SetFieldAction& a) { x.write_field(a.field, a.value, a.mask); }
  void operator()(const MoveAction& a) {
    if (x.has_field(a.source.field) && x.has_field(a.target.field)) {
      x.write(a.target, x.read(a.source));
    }
  }
  void operator()(const SetVlanVidAction& a) { set_or_push_vlan(x.frame_, a.vlan_vid, 0x0fff); }
  void operator()(const SetVlanPcpAction& a) {
    set_or_push_vlan(x.frame_, static_cast<std::uint16_t>(a.vlan_pcp << 13), 0xe000);
  }
  void operator()(const PushVlanAction& a) { push_vlan(x.frame_, a.ethertype); }
  void operator()(const PopVlanAction&) { pop_vlan(x.frame_); }
  void operator()(const PushMplsAction& a) { push_mpls(x.frame_, a.ethertype); }
  void operator()(const PopMplsAction& a) { pop_mpls(x.frame_, a.ethertype); }
  void operator()(const SetMplsTtlAction& a) {
    x.write_field(FieldId::kMplsTtl, field_value(a.ttl), field_value(0xff));
  }
  void operator()(const DecMplsTtlAction&) {
    if (!decrement_mpls_ttl(x.frame_)) x.expire_ttl({0});
  }
  void operator()(const SetNwTtlAction& a) {
    x.write_field(FieldId::kIpTtl, field_value(a.ttl), field_value(0xff));
  }
  void operator()(const DecNwTtlAction& a) {
    const bool is_plain = a.controller_ids.empty();
    if (!decrement_ip_ttl(x.frame_)) {
      x.expire_ttl(is_plain ? std::vector<std::uint16_t>{0} : a.controller_ids);
    }
  }
  void operator()(const ResubmitAction& a) {
    const std::uint8_t table_id = a.table_id == 255 ? x.table_id_ : a.table_id;
    const PortNo as = a.in_port == PortNo::kInPort ? x.in_port() : a.in_port;
    x.visit(table_id, as, Miss::kIsNothing);
  }
  void operator()(const StackPushAction& a) { x.stack_.push_back(x.read(a.source)); }
  void operator()(const StackPopAction& a) {
    if (x.stack_.empty()) return;
    if (x.has_field(a.target.field)) x.write(a.target, x.stack_.back());
    x.stack_.pop_back();
  }
  /// "However, an action set is still executed" (ovs-actions(7), exit).
  void operator()(const ExitAction&) { x.is_stopped_ = x.runs_action_set_ = true; }
  void operator()(const NoteAction&) {}
  void operator()(const SetQueueAction&) {}
  void operator()(const PopQueueAction&) {}
  void operator()(const CopyTtlOutAction&) { copy_ttl_out(x.frame_); }
  void operator()(const CopyTtlInAction&) { copy_ttl_in(x.frame_); }
  /// Actions that Datapath::check() refuses.
  void operator()(const GroupAction&) {}
  void operator()(const CtAction& a) { x.track(a); }
  void operator()(const CtClearAction&) {
    x.clear_tracked();
    x.track_ = {};
  }
  void operator()(const MeterAction& a) { x.police(MeterId{a.meter_id}); }
};

Execution::Execution(Interpreter& bridge, PortNo in_port, const Bytes& frame)
    : bridge_(bridge), frame_(frame), ingress_bytes_(frame.size()) {
  key_.in_port = Be32{to_integer(in_port)};
  parse();
}

void Execution::parse() {
  const FlowKey packet = parse_key(frame_);
  const Be32 in_port = key_.in_port;
  std::memcpy(static_cast<void*>(&key_), &packet, kPacketWords * 8);
  key_.in_port = in_port;
}

void Execution::run_pipeline() {
  const Interpreter::Port* port = bridge_.find_port(in_port());
  if (port != nullptr && (port->flags & PortFlags::kNoRecv) != 0) {
    return lose(DropReason::kPortConfig);
  }
  if (frame_.size() < 14) return lose(DropReason::kMalformed);
  look_up(0, in_port(), Miss::kDrops);
  run_action_set();
}

void Execution::run_packet_out(const ActionList& actions) {
  if (frame_.size() < 14) return lose(DropReason::kMalformed);
  run_actions(actions);
  run_action_set();
}

void Execution::run_action_set() {
  // A packet that a table miss or an expired TTL has ended runs nothing more.
  if (is_stopped_ && !runs_action_set_) return;
  is_stopped_ = false;
  run_actions(action_set_.in_order());
}

Fate Execution::finish() {
  const bool is_lost = fate_.sent.empty() && fate_.packet_ins.empty() &&
                       std::ranges::count(fate_.drops, 0u) == static_cast<long>(kDropReasonCount);
  if (is_lost) lose(reason_);
  for (const auto& [address, port] : learned_) bridge_.macs_[address] = port;
  return std::move(fate_);
}

void Execution::look_up(std::uint8_t table_id, PortNo as_in_port, Miss miss) {
  if (++lookups_ > Interpreter::kMaxLookups) return stop(DropReason::kTooDeep);
  FlowKey key = key_;
  key.in_port = Be32{to_integer(as_in_port)};
  table_id_ = table_id;
  const RuleSpec* rule = bridge_.tables_[table_id].look_up(key, ingress_bytes_);
  if (rule != nullptr) return run_rule(*rule);
  if (miss == Miss::kDrops) stop(DropReason::kTableMiss);
}

void Execution::visit(std::uint8_t table_id, PortNo as_in_port, Miss miss) {
  const std::uint8_t saved_table = table_id_;
  const RuleSpec* saved_rule = rule_;
  look_up(table_id, as_in_port, miss);
  table_id_ = saved_table;
  rule_ = saved_rule;
}

void Execution::run_rule(const RuleSpec& rule) {
  rule_ = &rule;
  const Instructions& i = *rule.instructions;
  if (i.meter_id) police(MeterId{*i.meter_id});
  run_actions(i.apply_actions);
  if (is_stopped_) return;
  if (i.has_clear_actions) action_set_.clear();
  for (const Action& action : i.write_actions) action_set_.write(action);
  if (i.write_metadata) {
    const std::uint64_t mask = i.write_metadata->mask;
    key_.metadata = Be64{(key_.metadata.host() & ~mask) | (i.write_metadata->value & mask)};
  }
  if (i.goto_table) look_up(*i.goto_table, in_port(), Miss::kDrops);
}

void Execution::run_actions(const ActionList& actions) {
  for (const Action& action : actions) {
    if (is_stopped_) return;
    std::visit(Perform{*this}, action);
    parse();
  }
}

FieldValue Execution::read(const FieldBits& bits) const {
  const FieldValue whole = get_field(key_, field(bits.field));
  FieldValue out{};
  for (unsigned i = 0; i < bits.count; ++i) {
    const unsigned from = bits.start + i;
    const unsigned one = unsigned{whole[15 - from / 8]} >> (from % 8) & 1u;
    out[15 - i / 8] = static_cast<std::uint8_t>(out[15 - i / 8] | one << (i % 8));
  }
  return out;
}

void Execution::write(const FieldBits& bits, const FieldValue& value) {
  FieldValue shifted{};
  FieldValue mask{};
  for (unsigned i = 0; i < bits.count; ++i) {
    const unsigned to = bits.start + i;
    const unsigned one = unsigned{value[15 - i / 8]} >> (i % 8) & 1u;
    shifted[15 - to / 8] = static_cast<std::uint8_t>(shifted[15 - to / 8] | one << (to % 8));
    mask[15 - to / 8] = static_cast<std::uint8_t>(mask[15 - to / 8] | 1u << (to % 8));
  }
  write_field(bits.field, shifted, mask);
}

void Execution::write_field(FieldId id, const FieldValue& value, const FieldValue& mask) {
  const bool is_in_packet = id != FieldId::kInPort && field(id).offset < kPacketWords * 8;
  if (!is_in_packet) return set_field(key_, field(id), value, mask);
  reference::write_field(frame_, id, value, mask);
  if (field(id).prerequisite >= Prerequisite::kIp) track_.connection.reset();
  parse();
}

bool Execution::has_field(FieldId id) const { return is_met(field(id).prerequisite, key_); }

}  // namespace hoist::reference

// SPDX-License-Identifier: BSD-3-Clause
#include "text/action_text.hpp"
#include "text/field_text.hpp"

namespace hoist::text {
namespace {

using F = FieldId;
using Form = SetFieldAction::Form;

void append_bytes(std::string& out, const std::vector<std::uint8_t>& bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  bool is_first = true;
  for (const std::uint8_t b : bytes) {
    if (!is_first) out += '.';
    out += kDigits[b >> 4];
    out += kDigits[b & 15];
    is_first = false;
  }
}

/// The run of bits that a reg_load sets, and their value.
FieldBits run_of(const SetFieldAction& a, std::uint64_t& value) noexcept {
  const auto bit = [](const FieldValue& v, unsigned i) {
    return (static_cast<unsigned>(v[15 - i / 8]) >> i % 8 & 1u) != 0;
  };
  FieldBits bits{a.field, 0, 0};
  value = 0;
  for (unsigned i = 0; i < field(a.field).bits; ++i) {
    if (!bit(a.mask, i)) continue;
    if (bits.count == 0) bits.start = static_cast<std::uint8_t>(i);
    if (bits.count < 64 && bit(a.value, i)) value |= std::uint64_t{1} << bits.count;
    ++bits.count;
  }
  return bits;
}

std::string_view reason_name(std::uint8_t reason) noexcept {
  switch (reason) {
    case 0:
      return "no_match";
    case 1:
      return "action";
    case 2:
      return "invalid_ttl";
    case 3:
      return "action_set";
    case 4:
      return "group";
    default:
      return "packet_out";
  }
}

struct Append {
  std::string& out;
  const PortNamer& name_of;

  void named(std::string_view name, std::uint64_t v) const {
    out += name;
    out += std::to_string(v);
  }
  void hex(std::string_view name, std::uint64_t v) const {
    out += name;
    append_hex(out, v);
  }
  void hex4(std::string_view name, std::uint16_t v) const {
    out += name;
    std::string digits;
    append_hex(digits, v);
    out.append("0x").append(6 - std::min<std::size_t>(6, digits.size()), '0').append(digits, 2);
  }

  void operator()(const OutputAction& a) const {
    if (a.port == PortNo::kController) {
      named("CONTROLLER:", a.max_len);
      return;
    }
    const bool is_reserved = !reserved_name(a.port).empty();
    if (!is_reserved) out += "output:";
    append_port(out, a.port, name_of);
  }
  void operator()(const ControllerAction& a) const {
    out += "controller(";
    if (a.reason != 1) out.append("reason=").append(reason_name(a.reason)) += ',';
    if (a.max_len != 0xffff) out += "max_len=" + std::to_string(a.max_len) + ",";
    if (a.controller_id != 0) out += "id=" + std::to_string(a.controller_id) + ",";
    if (!a.userdata.empty()) {
      out += "userdata=";
      append_bytes(out, a.userdata);
      out += ',';
    }
    if (a.pause) out += "pause,";
    if (out.back() == ',') out.pop_back();
    out += ')';
  }
  void operator()(const OutputRegAction& a) const {
    out += "output:";
    append_bits(out, a.source);
  }
  void operator()(const EnqueueAction& a) const {
    out += "enqueue:";
    append_port(out, a.port, name_of);
    named(":", a.queue);
  }
  void operator()(const SetFieldAction& a) const {
    if (a.form == Form::kRegLoad) return load(a);
    if (a.form == Form::kLegacy && legacy(a)) return;
    const Field& f = field(a.field);
    out += "set_field:";
    append_value(out, f, a.value, a.mask, name_of);
    out += "->";
    out += set_field_name(f);
  }
  void operator()(const MoveAction& a) const {
    out += "move:";
    append_bits(out, a.source);
    out += "->";
    append_bits(out, a.target);
  }
  void operator()(const SetVlanVidAction& a) const { named("mod_vlan_vid:", a.vlan_vid); }
  void operator()(const SetVlanPcpAction& a) const { named("mod_vlan_pcp:", a.vlan_pcp); }
  void operator()(const PushVlanAction& a) const { hex4("push_vlan:", a.ethertype); }
  void operator()(const PopVlanAction&) const { out += "pop_vlan"; }
  void operator()(const PushMplsAction& a) const { hex4("push_mpls:", a.ethertype); }
  void operator()(const PopMplsAction& a) const { hex4("pop_mpls:", a.ethertype); }
  void operator()(const SetMplsTtlAction& a) const { parenthesised("set_mpls_ttl(", a.ttl); }
  void operator()(const DecMplsTtlAction&) const { out += "dec_mpls_ttl"; }
  void operator()(const CopyTtlOutAction&) const { out += "copy_ttl_out"; }
  void operator()(const CopyTtlInAction&) const { out += "copy_ttl_in"; }
  void operator()(const SetNwTtlAction& a) const { named("mod_nw_ttl:", a.ttl); }
  void operator()(const DecNwTtlAction& a) const {
    out += "dec_ttl";
    if (a.controller_ids.empty()) return;
    char before = '(';
    for (const std::uint16_t id : a.controller_ids) {
      out += before;
      out += std::to_string(id);
      before = ',';
    }
    out += ')';
  }
  void operator()(const SetQueueAction& a) const { named("set_queue:", a.queue_id); }
  void operator()(const PopQueueAction&) const { out += "pop_queue"; }
  void operator()(const GroupAction& a) const { named("group:", a.group_id); }
  void operator()(const MeterAction& a) const { named("meter:", a.meter_id); }
  void operator()(const ResubmitAction& a) const {
    if (a.table_id == 255 && a.in_port != PortNo::kInPort) {
      out += "resubmit:";
      append_port(out, a.in_port, name_of);
      return;
    }
    out += "resubmit(";
    if (a.in_port != PortNo::kInPort) append_port(out, a.in_port, name_of);
    out += ',';
    if (a.table_id != 255) out += std::to_string(a.table_id);
    out += ')';
  }
  void operator()(const StackPushAction& a) const {
    out += "push:";
    append_bits(out, a.source);
  }
  void operator()(const StackPopAction& a) const {
    out += "pop:";
    append_bits(out, a.target);
  }
  void operator()(const NoteAction& a) const {
    out += "note:";
    append_bytes(out, a.bytes);
  }
  void operator()(const ExitAction&) const { out += "exit"; }
  void operator()(const CtAction& a) const { append_ct(out, a, name_of); }
  void operator()(const CtClearAction&) const { out += "ct_clear"; }

 private:
  void parenthesised(std::string_view name, std::uint64_t v) const {
    named(name, v);
    out += ')';
  }
  void load(const SetFieldAction& a) const {
    std::uint64_t value = 0;
    const FieldBits bits = run_of(a, value);
    hex("load:", value);
    out += "->";
    append_bits(out, bits);
  }
  void plain_value(std::string_view name, const SetFieldAction& a) const {
    out += name;
    append_value(out, field(a.field), a.value, a.mask, name_of);
  }
  /// Writes actions that OpenFlow 1.0 has for single fields; says whether `a` is one.
  bool legacy(const SetFieldAction& a) const {
    const std::uint64_t v = low64(a.value);
    switch (a.field) {
      case F::kEthSrc:
        plain_value("mod_dl_src:", a);
        return true;
      case F::kEthDst:
        plain_value("mod_dl_dst:", a);
        return true;
      case F::kNwSrc:
        plain_value("mod_nw_src:", a);
        return true;
      case F::kNwDst:
        plain_value("mod_nw_dst:", a);
        return true;
      case F::kIpDscp:
        named("mod_nw_tos:", v << 2);
        return true;
      case F::kIpEcn:
        named("mod_nw_ecn:", v);
        return true;
      case F::kTcpSrc:
      case F::kUdpSrc:
      case F::kSctpSrc:
        named("mod_tp_src:", v);
        return true;
      case F::kTcpDst:
      case F::kUdpDst:
      case F::kSctpDst:
        named("mod_tp_dst:", v);
        return true;
      case F::kTunnelId:
        hex(v > UINT32_MAX ? "set_tunnel64:" : "set_tunnel:", v);
        return true;
      case F::kMplsLabel:
        parenthesised("set_mpls_label(", v);
        return true;
      case F::kMplsTc:
        parenthesised("set_mpls_tc(", v);
        return true;
      default:
        return false;
    }
  }
};

/// Ends each instruction with a comma, the last of which is taken off.
void append_list(std::string& out, const ActionList& actions, const PortNamer& name_of) {
  for (const Action& action : actions) {
    append_action(out, action, name_of);
    out += ',';
  }
}

}  // namespace

void append_action(std::string& out, const Action& action, const PortNamer& name_of) {
  std::visit(Append{out, name_of}, action);
}

std::string format_action(const Action& action, const PortNamer& name_of) {
  std::string out;
  append_action(out, action, name_of);
  return out;
}

std::string format_instructions(const Instructions& in, const PortNamer& name_of) {
  std::string out;
  if (in.meter_id) out += "meter:" + std::to_string(*in.meter_id) + ",";
  append_list(out, in.apply_actions, name_of);
  if (in.has_clear_actions) out += "clear_actions,";
  if (!in.write_actions.empty()) {
    out += "write_actions(";
    append_list(out, in.write_actions, name_of);
    out.back() = ')';
    out += ',';
  }
  if (in.write_metadata) {
    out += "write_metadata:";
    append_hex(out, in.write_metadata->value);
    if (in.write_metadata->mask != UINT64_MAX) {
      out += '/';
      append_hex(out, in.write_metadata->mask);
    }
    out += ',';
  }
  if (in.goto_table) out += "goto_table:" + std::to_string(*in.goto_table) + ",";
  if (out.empty()) return "drop";
  out.pop_back();
  return out;
}

}  // namespace hoist::text

// SPDX-License-Identifier: BSD-3-Clause
#include "support/pipeline/spell.hpp"

#include <algorithm>
#include <cstdio>

namespace hoist::test {
namespace {

std::string number(std::uint64_t n) { return std::to_string(n); }

std::string hex_value(const FieldValue& value) {
  std::string out;
  for (const std::uint8_t byte : value) {
    if (out.empty() && byte == 0) continue;
    char two[3];
    std::snprintf(two, sizeof two, "%02x", byte);
    out += two;
  }
  return "0x" + (out.empty() ? "0" : out);
}

std::string bits(const FieldBits& b) {
  return std::string(field(b.field).name) + "[" + number(b.start) + "+" + number(b.count) + "]";
}

struct Spell {
  std::string operator()(const OutputAction& a) const {
    switch (a.port) {
      case PortNo::kInPort:
        return "in_port";
      case PortNo::kNormal:
        return "normal";
      case PortNo::kFlood:
        return "flood";
      case PortNo::kAll:
        return "all";
      case PortNo::kController:
        return "controller:" + number(a.max_len);
      default:
        return "output:" + number(to_integer(a.port));
    }
  }
  std::string operator()(const ControllerAction& a) const {
    return "controller(max_len=" + number(a.max_len) + ")";
  }
  std::string operator()(const SetFieldAction& a) const {
    return "set_field:" + hex_value(a.value) + "/" + hex_value(a.mask) + "->" +
           std::string(field(a.field).name);
  }
  std::string operator()(const MoveAction& a) const {
    return "move:" + bits(a.source) + "->" + bits(a.target);
  }
  std::string operator()(const StackPushAction& a) const { return "push:" + bits(a.source); }
  std::string operator()(const StackPopAction& a) const { return "pop:" + bits(a.target); }
  std::string operator()(const SetVlanVidAction& a) const {
    return "mod_vlan_vid:" + number(a.vlan_vid);
  }
  std::string operator()(const SetVlanPcpAction& a) const {
    return "mod_vlan_pcp:" + number(a.vlan_pcp);
  }
  std::string operator()(const PushVlanAction& a) const {
    return "push_vlan:" + hex_value(field_value(a.ethertype));
  }
  std::string operator()(const PopVlanAction&) const { return "pop_vlan"; }
  std::string operator()(const PushMplsAction& a) const {
    return "push_mpls:" + hex_value(field_value(a.ethertype));
  }
  std::string operator()(const PopMplsAction& a) const {
    return "pop_mpls:" + hex_value(field_value(a.ethertype));
  }
  std::string operator()(const SetMplsTtlAction& a) const {
    return "set_mpls_ttl(" + number(a.ttl) + ")";
  }
  std::string operator()(const DecMplsTtlAction&) const { return "dec_mpls_ttl"; }
  std::string operator()(const CopyTtlOutAction&) const { return "copy_ttl_out"; }
  std::string operator()(const CopyTtlInAction&) const { return "copy_ttl_in"; }
  std::string operator()(const SetNwTtlAction& a) const { return "mod_nw_ttl:" + number(a.ttl); }
  std::string operator()(const DecNwTtlAction&) const { return "dec_ttl"; }
  std::string operator()(const ResubmitAction& a) const {
    const std::string as = a.in_port == PortNo::kInPort ? "" : number(to_integer(a.in_port));
    return "resubmit(" + as + "," + number(a.table_id) + ")";
  }
  std::string operator()(const MeterAction& a) const { return "meter:" + number(a.meter_id); }
  std::string operator()(const CtAction& a) const {
    std::string out = "ct(zone=" + (a.zone_source ? bits(*a.zone_source) : number(a.zone));
    if (a.commit) out += ",commit";
    if (a.force) out += ",force";
    if (a.table_id) out += ",table=" + number(*a.table_id);
    if (a.nat) out += nat(*a.nat);
    for (const auto& exec : a.exec) {
      out += "," + std::visit([&](const auto& e) { return (*this)(e); }, exec);
    }
    return out + ")";
  }
  static std::string nat(const NatAction& a) {
    if (a.kind == NatAction::Kind::kExisting) return ",nat";
    const char* way = a.kind == NatAction::Kind::kSource ? ",nat(src=" : ",nat(dst=";
    return way + number(a.first[0]) + ".0.0." + number(a.first[3]) + ")";
  }
  std::string operator()(const CtClearAction&) const { return "ct_clear"; }
  std::string operator()(const ExitAction&) const { return "exit"; }
  template <class Other>
  std::string operator()(const Other&) const {
    return "action-" + number(Action(Other{}).index());
  }
};

std::string join(const ActionList& actions) {
  std::string out;
  for (const Action& action : actions) out += (out.empty() ? "" : ",") + spell(action);
  return out;
}

}  // namespace

std::string spell(const MiniMatch& mini) {
  const Match match = mini.expand();
  Match left = match;
  std::string out;
  for (const Field& f : kFields) {
    const FieldValue mask = get_field(left.mask, f);
    if (mask == FieldValue{}) continue;
    out += "," + std::string(f.name) + "=" + hex_value(get_field(match.value, f));
    if (mask != full_mask(f)) out += "/" + hex_value(mask);
    set_field(left.mask, f, {}, full_mask(f));
  }
  return out;
}

std::string spell(const Action& action) { return std::visit(Spell{}, action); }

std::string spell(const Instructions& i) {
  std::string out = i.meter_id ? "meter:" + number(*i.meter_id) : "";
  if (!out.empty() && !i.apply_actions.empty()) out += ",";
  out += join(i.apply_actions);
  const auto add = [&out](const std::string& what) { out += (out.empty() ? "" : ",") + what; };
  if (i.has_clear_actions) add("clear_actions");
  if (!i.write_actions.empty()) add("write_actions(" + join(i.write_actions) + ")");
  if (i.write_metadata) {
    add("write_metadata:" + hex_value(field_value(i.write_metadata->value)) + "/" +
        hex_value(field_value(i.write_metadata->mask)));
  }
  if (i.goto_table) add("goto_table:" + number(*i.goto_table));
  return out.empty() ? "drop" : out;
}

}  // namespace hoist::test

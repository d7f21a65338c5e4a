// SPDX-License-Identifier: BSD-3-Clause
#include "translate/actions.hpp"

#include <algorithm>
#include <span>

#include "translate/program_builder.hpp"

namespace hoist::offload {
namespace {

/// One overload for each action that has a hardware form.
struct Translator {
  ProgramBuilder& builder;
  const RuleSpec& rule;

  void operator()(const OutputAction& a) { output(builder, a.port); }
  void operator()(const SetFieldAction& a) { rewrite(builder, a); }
  void operator()(const SetNwTtlAction& a) { rewrite_ttl(builder, a.ttl); }
  void operator()(const DecNwTtlAction&) { decrement_ttl(builder); }
  void operator()(const PushVlanAction& a) { push_vlan(builder, a.ethertype); }
  void operator()(const PopVlanAction&) { pop_vlan(builder); }
  void operator()(const SetVlanVidAction& a) {
    if (builder.tag == TagForm::kUntagged) push_vlan(builder, 0x8100);
    set_vlan_vid(builder, a.vlan_vid);
  }
  void operator()(const SetVlanPcpAction& a) {
    if (builder.tag == TagForm::kUntagged) push_vlan(builder, 0x8100);
    set_vlan_pcp(builder, a.vlan_pcp);
  }
  void operator()(const NoteAction&) {}
  void operator()(const ControllerAction&) { builder.refuse_action("controller"); }
  void operator()(const OutputRegAction&) { builder.refuse_action("output to a register"); }
  void operator()(const EnqueueAction&) { builder.refuse_action("enqueue"); }
  void operator()(const MoveAction&) { builder.refuse_action("move"); }
  void operator()(const PushMplsAction&) { builder.refuse_action("push_mpls"); }
  void operator()(const PopMplsAction&) { builder.refuse_action("pop_mpls"); }
  void operator()(const SetMplsTtlAction&) { builder.refuse_action("set_mpls_ttl"); }
  void operator()(const DecMplsTtlAction&) { builder.refuse_action("dec_mpls_ttl"); }
  void operator()(const CopyTtlOutAction&) { builder.refuse_action("copy_ttl_out"); }
  void operator()(const CopyTtlInAction&) { builder.refuse_action("copy_ttl_in"); }
  void operator()(const SetQueueAction&) { builder.refuse_action("set_queue"); }
  void operator()(const PopQueueAction&) { builder.refuse_action("pop_queue"); }
  void operator()(const GroupAction&) { builder.refuse_action("group"); }
  void operator()(const MeterAction& a) { meter(builder, rule, MeterId{a.meter_id}); }
  void operator()(const ResubmitAction&) { builder.refuse_action("resubmit among other actions"); }
  void operator()(const StackPushAction&) { builder.refuse_action("push"); }
  void operator()(const StackPopAction&) { builder.refuse_action("pop"); }
  void operator()(const ExitAction&) { builder.refuse_action("exit"); }
  void operator()(const CtAction&) { builder.refuse_action("ct"); }
  void operator()(const CtClearAction&) { builder.refuse_action("ct_clear"); }
};

/// Says whether an action does something that can be seen from outside: a copy for somebody,
/// another table, a packet-in for an expired TTL. All others only change the packet.
struct HasEffect {
  bool operator()(const SetFieldAction&) const { return false; }
  bool operator()(const MoveAction&) const { return false; }
  bool operator()(const SetVlanVidAction&) const { return false; }
  bool operator()(const SetVlanPcpAction&) const { return false; }
  bool operator()(const PushVlanAction&) const { return false; }
  bool operator()(const PopVlanAction&) const { return false; }
  bool operator()(const PushMplsAction&) const { return false; }
  bool operator()(const PopMplsAction&) const { return false; }
  bool operator()(const SetMplsTtlAction&) const { return false; }
  bool operator()(const SetNwTtlAction&) const { return false; }
  bool operator()(const CopyTtlOutAction&) const { return false; }
  bool operator()(const CopyTtlInAction&) const { return false; }
  bool operator()(const SetQueueAction&) const { return false; }
  bool operator()(const PopQueueAction&) const { return false; }
  bool operator()(const NoteAction&) const { return false; }
  template <class Other>
  bool operator()(const Other&) const {
    return true;
  }
};
bool has_effect(const Action& action) { return std::visit(HasEffect{}, action); }

/// The apply actions that matter: rewrites after the last effect change no packet any more, unless
/// another table follows.
std::span<const Action> effective(std::span<const Action> actions, bool goes_on) {
  if (goes_on) return actions;
  const auto last = std::ranges::find_if(actions.rbegin(), actions.rend(), has_effect);
  return {actions.begin(), last.base()};
}

/// A resubmit that ends the rule is a goto: no match drops the packet either way.
std::optional<std::uint8_t> next_table(const RuleSpec& rule) {
  const Instructions& i = *rule.instructions;
  if (i.goto_table) return i.goto_table;
  if (i.apply_actions.empty() || !i.write_actions.empty()) return std::nullopt;
  const auto* resubmit = std::get_if<ResubmitAction>(&i.apply_actions.back());
  if (resubmit == nullptr || resubmit->in_port != PortNo::kInPort) return std::nullopt;
  if (resubmit->table_id == 255 || resubmit->table_id <= rule.table_id) return std::nullopt;
  return resubmit->table_id;
}

void refuse_instructions(ProgramBuilder& builder, const Instructions& i) {
  const auto refuse = [&](const char* name) {
    builder.refuse(Refusal::kActionUnsupported,
                   "instruction: " + std::string(name) + " runs in software");
  };
  if (i.write_metadata && i.goto_table) refuse("write_metadata");
  if (!i.write_actions.empty() && i.goto_table) refuse("write_actions with goto_table");
}

void go_to(ProgramBuilder& builder, std::uint8_t table_id) {
  const Capabilities& capabilities = builder.context.capabilities;
  if (builder.has_fate) {
    builder.refuse_on_port("output before another table");
  } else if (!capabilities.has(Feature::kGroups)) {
    builder.refuse(Refusal::kGroupUnsupported, "instruction: goto_table needs groups, which " +
                                                   builder.context.ports.label + " has none of");
  }
  builder.program.fate = HwFate{.kind = HwFate::Kind::kTable, .table_id = table_id};
  builder.program.needs_tags = builder.has_pushed;
}

void run(ProgramBuilder& builder, const RuleSpec& rule, std::span<const Action> actions) {
  for (const Action& action : actions) {
    if (builder.refused) return;
    std::visit(Translator{builder, rule}, action);
  }
}

}  // namespace

std::variant<HwProgram, Refused> translate_actions(const Match& match, const RuleSpec& rule,
                                                   const Context& context) {
  const Instructions& instructions = *rule.instructions;
  ProgramBuilder builder{.context = context,
                         .match = match,
                         .eth_type = exact_eth_type(match),
                         .ip_proto = exact_ip_proto(match),
                         .tag = tag_form(match)};
  refuse_instructions(builder, instructions);
  if (instructions.meter_id) meter(builder, rule, MeterId{*instructions.meter_id});
  const std::optional<std::uint8_t> next = next_table(rule);
  const std::vector<Action> set = ordered_action_set(instructions.write_actions);
  std::span<const Action> apply = effective(instructions.apply_actions, next || !set.empty());
  if (next && !instructions.goto_table)
    apply = apply.first(apply.size() - 1);  // the resubmit itself
  run(builder, rule, apply);
  run(builder, rule, effective(set, next.has_value()));
  if (next && !builder.refused) go_to(builder, *next);
  finish_vlan(builder);
  if (builder.refused) return *builder.refused;
  if (!context.capabilities.has(Feature::kDrop) &&
      (builder.program.fate.kind == HwFate::Kind::kDrop)) {
    builder.refuse_on_port("drop");
    return *builder.refused;
  }
  return builder.program;
}

}  // namespace hoist::offload

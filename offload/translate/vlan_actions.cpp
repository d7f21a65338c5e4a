// SPDX-License-Identifier: BSD-3-Clause
// Pushing, popping and setting the one VLAN tag that hardware handles.
#include "translate/program_builder.hpp"

namespace hoist::offload {
void push_vlan(ProgramBuilder& builder, std::uint16_t ethertype) {
  if (!builder.can(IrregularAction::kPushVlan) || !builder.can(IrregularAction::kSetVlanVid)) {
    builder.refuse_on_port("push_vlan");
    return;
  }
  if (builder.tag != TagForm::kUntagged) {
    builder.refuse_action("push_vlan without a match on untagged packets");
    return;
  }
  builder.emit(RTE_FLOW_ACTION_TYPE_OF_PUSH_VLAN,
               rte_flow_action_of_push_vlan{.ethertype = Be16{ethertype}.wire()});
  builder.tag = TagForm::kTagged;
  builder.has_pushed = true;
  builder.has_vid = builder.has_pcp = false;
}

void pop_vlan(ProgramBuilder& builder) {
  if (!builder.can(IrregularAction::kPopVlan)) {
    builder.refuse_on_port("pop_vlan");
    return;
  }
  if (builder.tag != TagForm::kTagged || builder.has_pushed) {
    builder.refuse_action("pop_vlan without a match on tagged packets");
    return;
  }
  builder.emit(RTE_FLOW_ACTION_TYPE_OF_POP_VLAN);
  // What is under it may be another tag; nothing is known of the packet's form from here on.
  builder.tag = TagForm::kAgnostic;
}

void set_vlan_vid(ProgramBuilder& builder, std::uint16_t vid) {
  if (!builder.can(IrregularAction::kSetVlanVid)) {
    builder.refuse_on_port("set_field of vlan_vid");
    return;
  }
  if (builder.tag != TagForm::kTagged) {
    builder.refuse_action("set_field of vlan_vid without a match on tagged packets");
    return;
  }
  builder.emit(RTE_FLOW_ACTION_TYPE_OF_SET_VLAN_VID,
               rte_flow_action_of_set_vlan_vid{.vlan_vid = Be16{vid}.wire()});
  builder.has_vid = true;
}

void set_vlan_pcp(ProgramBuilder& builder, std::uint8_t pcp) {
  if (!builder.can(IrregularAction::kSetVlanPcp)) {
    builder.refuse_on_port("set_field of vlan_pcp");
    return;
  }
  if (builder.tag != TagForm::kTagged) {
    builder.refuse_action("set_field of vlan_pcp without a match on tagged packets");
    return;
  }
  builder.emit(RTE_FLOW_ACTION_TYPE_OF_SET_VLAN_PCP,
               rte_flow_action_of_set_vlan_pcp{.vlan_pcp = pcp});
  builder.has_pcp = true;
}

void finish_vlan(ProgramBuilder& builder) {
  if (!builder.has_pushed || builder.refused) return;
  // A tag pushed on an untagged packet is zero in OpenFlow, and unspecified in rte_flow.
  if (!builder.has_vid) set_vlan_vid(builder, 0);
  if (!builder.has_pcp && builder.can(IrregularAction::kSetVlanPcp)) set_vlan_pcp(builder, 0);
}

}  // namespace hoist::offload

// SPDX-License-Identifier: BSD-3-Clause
// Which rewrites a port does, with a pattern that holds whatever they could ask for.
#include "nic/question.hpp"
#include "translate/match_rows.hpp"

namespace hoist::offload {
namespace {

HwMatch pattern_for(std::uint16_t eth_type, std::uint8_t ip_proto) {
  HwMatch match = Question::any();
  const std::uint16_t type = eth_type == 0 && ip_proto != 0 ? kEthIpv4 : eth_type;
  if (type == 0) return match;
  const Be16 wire{type};
  const Be16 all{0xffff};
  match.put(Layer::kEth, offsetof(rte_flow_item_eth, hdr.ether_type), &wire, &all, 2);
  match.need(Layer::kL3, type == kEthIpv4 ? RTE_FLOW_ITEM_TYPE_IPV4 : RTE_FLOW_ITEM_TYPE_IPV6);
  if (ip_proto == 6) match.need(Layer::kL4, RTE_FLOW_ITEM_TYPE_TCP);
  if (ip_proto == 17) match.need(Layer::kL4, RTE_FLOW_ITEM_TYPE_UDP);
  return match;
}

HwMatch tagged() {
  HwMatch match = Question::any();
  match.need(Layer::kVlan, RTE_FLOW_ITEM_TYPE_VLAN);
  return match;
}

template <class... Conf>
bool does(const Question& question, const HwMatch& match, rte_flow_action_type type,
          const Conf&... conf) {
  HwActions actions;
  actions.add(type, conf...);
  question.add_fate(actions);
  return question.ask(match, actions);
}

bool does_push(const Question& question) {
  HwActions actions;
  actions.add(RTE_FLOW_ACTION_TYPE_OF_PUSH_VLAN,
              rte_flow_action_of_push_vlan{.ethertype = Be16{0x8100}.wire()});
  actions.add(RTE_FLOW_ACTION_TYPE_OF_SET_VLAN_VID,
              rte_flow_action_of_set_vlan_vid{.vlan_vid = Be16{1}.wire()});
  actions.add(RTE_FLOW_ACTION_TYPE_OF_SET_VLAN_PCP, rte_flow_action_of_set_vlan_pcp{.vlan_pcp = 1});
  question.add_fate(actions);
  return question.ask(pattern_for(kEthIpv4, 0), actions);
}

}  // namespace

void probe_actions(const Question& question, Capabilities& out) {
  for (std::size_t i = 0; i < kRewriteRows.size(); ++i) {
    const RewriteRow& row = kRewriteRows[i];
    const HwMatch match = pattern_for(row.eth_type, row.ip_proto);
    constexpr std::array<std::uint8_t, 16> kConf = {2, 1};
    out.actions[i] = does(question, match, row.action, kConf);
  }
  const auto set = [&](IrregularAction action, bool can) { out.actions[row_index(action)] = can; };
  set(IrregularAction::kDecTtlIpv4,
      does(question, pattern_for(kEthIpv4, 0), RTE_FLOW_ACTION_TYPE_DEC_TTL));
  set(IrregularAction::kDecTtlIpv6,
      does(question, pattern_for(kEthIpv6, 0), RTE_FLOW_ACTION_TYPE_DEC_TTL));
  set(IrregularAction::kPopVlan, does(question, tagged(), RTE_FLOW_ACTION_TYPE_OF_POP_VLAN));
  set(IrregularAction::kPushVlan, does_push(question));
  set(IrregularAction::kSetVlanVid,
      does(question, tagged(), RTE_FLOW_ACTION_TYPE_OF_SET_VLAN_VID,
           rte_flow_action_of_set_vlan_vid{.vlan_vid = Be16{1}.wire()}));
  set(IrregularAction::kSetVlanPcp, does(question, tagged(), RTE_FLOW_ACTION_TYPE_OF_SET_VLAN_PCP,
                                         rte_flow_action_of_set_vlan_pcp{.vlan_pcp = 1}));
}

}  // namespace hoist::offload

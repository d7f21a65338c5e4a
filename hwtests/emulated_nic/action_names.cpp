// SPDX-License-Identifier: BSD-3-Clause
#include "action_names.hpp"

namespace emulated_nic {
namespace {

struct Name {
  rte_flow_action_type type;
  std::string_view name;
};

constexpr Name kNames[] = {
    {RTE_FLOW_ACTION_TYPE_VOID, "void"},
    {RTE_FLOW_ACTION_TYPE_JUMP, "jump"},
    {RTE_FLOW_ACTION_TYPE_MARK, "mark"},
    {RTE_FLOW_ACTION_TYPE_FLAG, "flag"},
    {RTE_FLOW_ACTION_TYPE_QUEUE, "queue"},
    {RTE_FLOW_ACTION_TYPE_DROP, "drop"},
    {RTE_FLOW_ACTION_TYPE_COUNT, "count"},
    {RTE_FLOW_ACTION_TYPE_RSS, "rss"},
    {RTE_FLOW_ACTION_TYPE_PORT_ID, "port_id"},
    {RTE_FLOW_ACTION_TYPE_PORT_REPRESENTOR, "port_representor"},
    {RTE_FLOW_ACTION_TYPE_REPRESENTED_PORT, "represented_port"},
    {RTE_FLOW_ACTION_TYPE_METER, "meter"},
    {RTE_FLOW_ACTION_TYPE_OF_POP_VLAN, "of_pop_vlan"},
    {RTE_FLOW_ACTION_TYPE_OF_PUSH_VLAN, "of_push_vlan"},
    {RTE_FLOW_ACTION_TYPE_OF_SET_VLAN_VID, "of_set_vlan_vid"},
    {RTE_FLOW_ACTION_TYPE_OF_SET_VLAN_PCP, "of_set_vlan_pcp"},
    {RTE_FLOW_ACTION_TYPE_SET_IPV4_SRC, "set_ipv4_src"},
    {RTE_FLOW_ACTION_TYPE_SET_IPV4_DST, "set_ipv4_dst"},
    {RTE_FLOW_ACTION_TYPE_SET_IPV6_SRC, "set_ipv6_src"},
    {RTE_FLOW_ACTION_TYPE_SET_IPV6_DST, "set_ipv6_dst"},
    {RTE_FLOW_ACTION_TYPE_SET_TP_SRC, "set_tp_src"},
    {RTE_FLOW_ACTION_TYPE_SET_TP_DST, "set_tp_dst"},
    {RTE_FLOW_ACTION_TYPE_MAC_SWAP, "mac_swap"},
    {RTE_FLOW_ACTION_TYPE_DEC_TTL, "dec_ttl"},
    {RTE_FLOW_ACTION_TYPE_SET_TTL, "set_ttl"},
    {RTE_FLOW_ACTION_TYPE_SET_MAC_SRC, "set_mac_src"},
    {RTE_FLOW_ACTION_TYPE_SET_MAC_DST, "set_mac_dst"},
    {RTE_FLOW_ACTION_TYPE_SET_TAG, "set_tag"},
    {RTE_FLOW_ACTION_TYPE_SET_META, "set_meta"},
    {RTE_FLOW_ACTION_TYPE_SET_IPV4_DSCP, "set_ipv4_dscp"},
    {RTE_FLOW_ACTION_TYPE_SET_IPV6_DSCP, "set_ipv6_dscp"},
    {RTE_FLOW_ACTION_TYPE_AGE, "age"},
    {RTE_FLOW_ACTION_TYPE_SAMPLE, "sample"},
    {RTE_FLOW_ACTION_TYPE_MODIFY_FIELD, "modify_field"},
    {RTE_FLOW_ACTION_TYPE_INDIRECT, "indirect"},
};

}  // namespace

ActionSet all_actions() {
  ActionSet all;
  for (const Name& entry : kNames) all.set(static_cast<std::size_t>(entry.type));
  return all;
}

std::optional<rte_flow_action_type> find_action(std::string_view name) {
  for (const Name& entry : kNames) {
    if (entry.name == name) return entry.type;
  }
  return std::nullopt;
}

std::string_view action_name(rte_flow_action_type type) {
  for (const Name& entry : kNames) {
    if (entry.type == type) return entry.name;
  }
  return "?";
}

}  // namespace emulated_nic

/* SPDX-License-Identifier: BSD-3-Clause */
/* DPDK declares the items' default masks for C only. */
#include "item_masks.h"

const void *default_item_mask(enum rte_flow_item_type type) {
  switch (type) {
    case RTE_FLOW_ITEM_TYPE_ETH: return &rte_flow_item_eth_mask;
    case RTE_FLOW_ITEM_TYPE_VLAN: return &rte_flow_item_vlan_mask;
    case RTE_FLOW_ITEM_TYPE_IPV4: return &rte_flow_item_ipv4_mask;
    case RTE_FLOW_ITEM_TYPE_IPV6: return &rte_flow_item_ipv6_mask;
    case RTE_FLOW_ITEM_TYPE_TCP: return &rte_flow_item_tcp_mask;
    case RTE_FLOW_ITEM_TYPE_UDP: return &rte_flow_item_udp_mask;
    case RTE_FLOW_ITEM_TYPE_SCTP: return &rte_flow_item_sctp_mask;
    case RTE_FLOW_ITEM_TYPE_ICMP: return &rte_flow_item_icmp_mask;
    case RTE_FLOW_ITEM_TYPE_ICMP6: return &rte_flow_item_icmp6_mask;
    case RTE_FLOW_ITEM_TYPE_ICMP6_ND_NS: return &rte_flow_item_icmp6_nd_ns_mask;
    case RTE_FLOW_ITEM_TYPE_ICMP6_ND_NA: return &rte_flow_item_icmp6_nd_na_mask;
    case RTE_FLOW_ITEM_TYPE_ICMP6_ND_OPT_SLA_ETH: return &rte_flow_item_icmp6_nd_opt_sla_eth_mask;
    case RTE_FLOW_ITEM_TYPE_ICMP6_ND_OPT_TLA_ETH: return &rte_flow_item_icmp6_nd_opt_tla_eth_mask;
    case RTE_FLOW_ITEM_TYPE_ARP_ETH_IPV4: return &rte_flow_item_arp_eth_ipv4_mask;
    case RTE_FLOW_ITEM_TYPE_MPLS: return &rte_flow_item_mpls_mask;
    case RTE_FLOW_ITEM_TYPE_MARK: return &rte_flow_item_mark_mask;
    case RTE_FLOW_ITEM_TYPE_META: return &rte_flow_item_meta_mask;
    case RTE_FLOW_ITEM_TYPE_TAG: return &rte_flow_item_tag_mask;
    case RTE_FLOW_ITEM_TYPE_PORT_ID: return &rte_flow_item_port_id_mask;
    case RTE_FLOW_ITEM_TYPE_REPRESENTED_PORT: return &rte_flow_item_ethdev_mask;
    default: return NULL;
  }
}

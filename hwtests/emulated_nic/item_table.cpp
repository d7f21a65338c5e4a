// SPDX-License-Identifier: BSD-3-Clause
#include "item_table.hpp"

namespace emulated_nic {
namespace {

constexpr ItemRow kRows[] = {
    {RTE_FLOW_ITEM_TYPE_ETH, "eth", slot::kEth, 14, 0},
    {RTE_FLOW_ITEM_TYPE_VLAN, "vlan", slot::kVlan, 4, kTagged},
    {RTE_FLOW_ITEM_TYPE_IPV4, "ipv4", slot::kL3, 20, kIpv4},
    {RTE_FLOW_ITEM_TYPE_IPV6, "ipv6", slot::kL3, 40, kIpv6},
    {RTE_FLOW_ITEM_TYPE_IPV6_FRAG_EXT, "ipv6_frag_ext", slot::kIpv6Frag, 8, kIpv6FragExt},
    {RTE_FLOW_ITEM_TYPE_TCP, "tcp", slot::kL4, 20, kTcp},
    {RTE_FLOW_ITEM_TYPE_UDP, "udp", slot::kL4, 8, kUdp},
    {RTE_FLOW_ITEM_TYPE_SCTP, "sctp", slot::kL4, 12, kSctp},
    {RTE_FLOW_ITEM_TYPE_ICMP, "icmp", slot::kL4, 8, kIcmp},
    {RTE_FLOW_ITEM_TYPE_ICMP6, "icmp6", slot::kL4, 4, kIcmp6},
    {RTE_FLOW_ITEM_TYPE_ICMP6_ND_NS, "icmp6_nd_ns", slot::kL4, 24, kIcmp6 | kNdNs},
    {RTE_FLOW_ITEM_TYPE_ICMP6_ND_NA, "icmp6_nd_na", slot::kL4, 24, kIcmp6 | kNdNa},
    {RTE_FLOW_ITEM_TYPE_ICMP6_ND_OPT_SLA_ETH, "icmp6_nd_opt_sla_eth", slot::kNdOptSla, 8,
     kIcmp6 | kNdOptSla},
    {RTE_FLOW_ITEM_TYPE_ICMP6_ND_OPT_TLA_ETH, "icmp6_nd_opt_tla_eth", slot::kNdOptTla, 8,
     kIcmp6 | kNdOptTla},
    {RTE_FLOW_ITEM_TYPE_ARP_ETH_IPV4, "arp_eth_ipv4", slot::kL3, 28, kArp},
    {RTE_FLOW_ITEM_TYPE_MPLS, "mpls", slot::kMpls, 4, kMpls},
    {RTE_FLOW_ITEM_TYPE_MARK, "mark", slot::kMark, 4, 0},
    {RTE_FLOW_ITEM_TYPE_META, "meta", slot::kMeta, 4, 0},
    {RTE_FLOW_ITEM_TYPE_TAG, "tag", slot::kTag, 4, 0},
    {RTE_FLOW_ITEM_TYPE_PORT_ID, "port_id", slot::kPort, 4, 0},
    {RTE_FLOW_ITEM_TYPE_REPRESENTED_PORT, "represented_port", slot::kPort, 2, 0},
};

constexpr auto kEthItem = RTE_FLOW_ITEM_TYPE_ETH;
constexpr auto kVlanItem = RTE_FLOW_ITEM_TYPE_VLAN;
constexpr auto kIpv4Item = RTE_FLOW_ITEM_TYPE_IPV4;
constexpr auto kIpv6Item = RTE_FLOW_ITEM_TYPE_IPV6;
constexpr auto kFragItem = RTE_FLOW_ITEM_TYPE_IPV6_FRAG_EXT;
constexpr auto kTcpItem = RTE_FLOW_ITEM_TYPE_TCP;
constexpr auto kUdpItem = RTE_FLOW_ITEM_TYPE_UDP;
constexpr auto kSctpItem = RTE_FLOW_ITEM_TYPE_SCTP;
constexpr auto kIcmpItem = RTE_FLOW_ITEM_TYPE_ICMP;
constexpr auto kIcmp6Item = RTE_FLOW_ITEM_TYPE_ICMP6;
constexpr auto kNsItem = RTE_FLOW_ITEM_TYPE_ICMP6_ND_NS;
constexpr auto kNaItem = RTE_FLOW_ITEM_TYPE_ICMP6_ND_NA;
constexpr auto kSlaItem = RTE_FLOW_ITEM_TYPE_ICMP6_ND_OPT_SLA_ETH;
constexpr auto kTlaItem = RTE_FLOW_ITEM_TYPE_ICMP6_ND_OPT_TLA_ETH;
constexpr auto kArpItem = RTE_FLOW_ITEM_TYPE_ARP_ETH_IPV4;
constexpr auto kMplsItem = RTE_FLOW_ITEM_TYPE_MPLS;

constexpr ItemField kFields[] = {
    {kEthItem, "dst", slot::kEth, 6},
    {kEthItem, "src", slot::kEth + 6, 6},
    {kEthItem, "type", slot::kEth + 12, 2},
    {kEthItem, "has_vlan", 0, 0, kTagged},
    {kVlanItem, "tci", slot::kVlan, 2},
    {kVlanItem, "inner_type", slot::kVlan + 2, 2},
    {kVlanItem, "has_more_vlan", 0, 0, kDoubleTagged},
    {kIpv4Item, "version_ihl", slot::kL3, 1},
    {kIpv4Item, "tos", slot::kL3 + 1, 1},
    {kIpv4Item, "length", slot::kL3 + 2, 2},
    {kIpv4Item, "id", slot::kL3 + 4, 2},
    {kIpv4Item, "fragment_offset", slot::kL3 + 6, 2},
    {kIpv4Item, "is_fragment", 0, 0, kFragment},
    {kIpv4Item, "ttl", slot::kL3 + 8, 1},
    {kIpv4Item, "proto", slot::kL3 + 9, 1},
    {kIpv4Item, "checksum", slot::kL3 + 10, 2},
    {kIpv4Item, "src", slot::kL3 + 12, 4},
    {kIpv4Item, "dst", slot::kL3 + 16, 4},
    {kIpv6Item, "vtc_flow", slot::kL3, 4},
    {kIpv6Item, "length", slot::kL3 + 4, 2},
    {kIpv6Item, "proto", slot::kL3 + 6, 1},
    {kIpv6Item, "hop", slot::kL3 + 7, 1},
    {kIpv6Item, "src", slot::kL3 + 8, 16},
    {kIpv6Item, "dst", slot::kL3 + 24, 16},
    {kIpv6Item, "has_hop_ext", 0, 0, kIpv6HopExt},
    {kIpv6Item, "has_route_ext", 0, 0, kIpv6RouteExt},
    {kIpv6Item, "has_frag_ext", 0, 0, kIpv6FragExt},
    {kIpv6Item, "has_auth_ext", 0, 0, kIpv6AuthExt},
    {kIpv6Item, "has_esp_ext", 0, 0, kIpv6EspExt},
    {kIpv6Item, "has_dest_ext", 0, 0, kIpv6DestExt},
    {kIpv6Item, "has_mobil_ext", 0, 0, kIpv6MobilExt},
    {kIpv6Item, "has_hip_ext", 0, 0, kIpv6HipExt},
    {kIpv6Item, "has_shim6_ext", 0, 0, kIpv6Shim6Ext},
    {kFragItem, "next_hdr", slot::kIpv6Frag, 1},
    {kFragItem, "frag_data", slot::kIpv6Frag + 2, 2},
    {kFragItem, "id", slot::kIpv6Frag + 4, 4},
    {kFragItem, "is_fragment", 0, 0, kFragment},
    {kTcpItem, "src", slot::kL4, 2},
    {kTcpItem, "dst", slot::kL4 + 2, 2},
    {kTcpItem, "seq", slot::kL4 + 4, 4},
    {kTcpItem, "ack", slot::kL4 + 8, 4},
    {kTcpItem, "data_off", slot::kL4 + 12, 1},
    {kTcpItem, "flags", slot::kL4 + 13, 1},
    {kTcpItem, "window", slot::kL4 + 14, 2},
    {kTcpItem, "checksum", slot::kL4 + 16, 2},
    {kTcpItem, "urgent", slot::kL4 + 18, 2},
    {kUdpItem, "src", slot::kL4, 2},
    {kUdpItem, "dst", slot::kL4 + 2, 2},
    {kUdpItem, "length", slot::kL4 + 4, 2},
    {kUdpItem, "checksum", slot::kL4 + 6, 2},
    {kSctpItem, "src", slot::kL4, 2},
    {kSctpItem, "dst", slot::kL4 + 2, 2},
    {kSctpItem, "tag", slot::kL4 + 4, 4},
    {kSctpItem, "checksum", slot::kL4 + 8, 4},
    {kIcmpItem, "type", slot::kL4, 1},
    {kIcmpItem, "code", slot::kL4 + 1, 1},
    {kIcmpItem, "checksum", slot::kL4 + 2, 2},
    {kIcmpItem, "ident", slot::kL4 + 4, 2},
    {kIcmpItem, "seq", slot::kL4 + 6, 2},
    {kIcmp6Item, "type", slot::kL4, 1},
    {kIcmp6Item, "code", slot::kL4 + 1, 1},
    {kIcmp6Item, "checksum", slot::kL4 + 2, 2},
    {kNsItem, "target_addr", slot::kL4 + 8, 16},
    {kNaItem, "target_addr", slot::kL4 + 8, 16},
    {kNaItem, "rso_reserved", slot::kL4 + 4, 4},
    {kSlaItem, "sla", slot::kNdOptSla + 2, 6},
    {kTlaItem, "tla", slot::kNdOptTla + 2, 6},
    {kArpItem, "hrd", slot::kL3, 2},
    {kArpItem, "pro", slot::kL3 + 2, 2},
    {kArpItem, "hln", slot::kL3 + 4, 1},
    {kArpItem, "pln", slot::kL3 + 5, 1},
    {kArpItem, "op", slot::kL3 + 6, 2},
    {kArpItem, "sha", slot::kL3 + 8, 6},
    {kArpItem, "spa", slot::kL3 + 14, 4},
    {kArpItem, "tha", slot::kL3 + 18, 6},
    {kArpItem, "tpa", slot::kL3 + 24, 4},
    {kMplsItem, "label_tc_s", slot::kMpls, 3},
    {kMplsItem, "ttl", slot::kMpls + 3, 1},
    {RTE_FLOW_ITEM_TYPE_MARK, "id", slot::kMark, 4},
    {RTE_FLOW_ITEM_TYPE_META, "data", slot::kMeta, 4},
    {RTE_FLOW_ITEM_TYPE_TAG, "data", slot::kTag, 4 * kTagCount},
    {RTE_FLOW_ITEM_TYPE_PORT_ID, "id", slot::kPort, 4},
    {RTE_FLOW_ITEM_TYPE_REPRESENTED_PORT, "ethdev_port_id", slot::kPort, 4},
};

}  // namespace

std::span<const ItemRow> item_rows() { return kRows; }
std::span<const ItemField> item_fields() { return kFields; }

const ItemRow* find_item(rte_flow_item_type type) {
  for (const ItemRow& row : kRows) {
    if (row.type == type) return &row;
  }
  return nullptr;
}

const ItemRow* find_item(std::string_view name) {
  for (const ItemRow& row : kRows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::size_t item_index(const ItemRow& row) { return static_cast<std::size_t>(&row - kRows); }

}  // namespace emulated_nic

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "hoist/field.hpp"
#include "hoist/flow_key.hpp"
#include "translate/hw_match.hpp"

namespace hoist::offload {

/// One match field that lies byte for byte in an rte_flow item. What does not (VLAN, EtherType,
/// fragments, IPv6 traffic class) has a file of its own.
struct MatchRow {
  FieldId field;
  std::uint16_t key_offset;  ///< In FlowKey.
  std::uint8_t bytes;
  Layer layer;
  rte_flow_item_type item;
  std::uint16_t item_offset;  ///< In the item's structure.
  std::uint16_t eth_type;     ///< The rule must match it exactly; 0: any.
  std::uint8_t ip_proto;      ///< The rule must match it exactly; 0: any.
  std::uint8_t icmp_type = 0;
};

inline constexpr std::uint16_t kEthIpv4 = 0x0800;
inline constexpr std::uint16_t kEthIpv6 = 0x86dd;
inline constexpr std::uint16_t kEthArp = 0x0806;
inline constexpr std::uint16_t kEthMpls = 0x8847;
inline constexpr std::uint16_t kEthMplsMulticast = 0x8848;

// clang-format off
#define HOIST_KEY(member) offsetof(FlowKey, member), sizeof(FlowKey::member)
inline constexpr auto kMatchRows = std::to_array<MatchRow>({
    {FieldId::kEthDst, HOIST_KEY(eth_dst), Layer::kEth, RTE_FLOW_ITEM_TYPE_ETH, offsetof(rte_flow_item_eth, hdr.dst_addr), 0, 0},
    {FieldId::kEthSrc, HOIST_KEY(eth_src), Layer::kEth, RTE_FLOW_ITEM_TYPE_ETH, offsetof(rte_flow_item_eth, hdr.src_addr), 0, 0},
    {FieldId::kNwSrc, HOIST_KEY(nw_src), Layer::kL3, RTE_FLOW_ITEM_TYPE_IPV4, offsetof(rte_ipv4_hdr, src_addr), kEthIpv4, 0},
    {FieldId::kNwDst, HOIST_KEY(nw_dst), Layer::kL3, RTE_FLOW_ITEM_TYPE_IPV4, offsetof(rte_ipv4_hdr, dst_addr), kEthIpv4, 0},
    {FieldId::kIpProto, HOIST_KEY(ip_proto), Layer::kL3, RTE_FLOW_ITEM_TYPE_IPV4, offsetof(rte_ipv4_hdr, next_proto_id), kEthIpv4, 0},
    {FieldId::kIpTos, HOIST_KEY(ip_tos), Layer::kL3, RTE_FLOW_ITEM_TYPE_IPV4, offsetof(rte_ipv4_hdr, type_of_service), kEthIpv4, 0},
    {FieldId::kIpTtl, HOIST_KEY(ip_ttl), Layer::kL3, RTE_FLOW_ITEM_TYPE_IPV4, offsetof(rte_ipv4_hdr, time_to_live), kEthIpv4, 0},
    {FieldId::kIpv6Src, HOIST_KEY(ipv6_src), Layer::kL3, RTE_FLOW_ITEM_TYPE_IPV6, offsetof(rte_ipv6_hdr, src_addr), kEthIpv6, 0},
    {FieldId::kIpv6Dst, HOIST_KEY(ipv6_dst), Layer::kL3, RTE_FLOW_ITEM_TYPE_IPV6, offsetof(rte_ipv6_hdr, dst_addr), kEthIpv6, 0},
    {FieldId::kIpProto, HOIST_KEY(ip_proto), Layer::kL3, RTE_FLOW_ITEM_TYPE_IPV6, offsetof(rte_ipv6_hdr, proto), kEthIpv6, 0},
    {FieldId::kIpTtl, HOIST_KEY(ip_ttl), Layer::kL3, RTE_FLOW_ITEM_TYPE_IPV6, offsetof(rte_ipv6_hdr, hop_limits), kEthIpv6, 0},
    {FieldId::kArpOp, HOIST_KEY(arp_op), Layer::kL3, RTE_FLOW_ITEM_TYPE_ARP_ETH_IPV4, offsetof(rte_flow_item_arp_eth_ipv4, op), kEthArp, 0},
    {FieldId::kArpSpa, HOIST_KEY(nw_src), Layer::kL3, RTE_FLOW_ITEM_TYPE_ARP_ETH_IPV4, offsetof(rte_flow_item_arp_eth_ipv4, spa), kEthArp, 0},
    {FieldId::kArpTpa, HOIST_KEY(nw_dst), Layer::kL3, RTE_FLOW_ITEM_TYPE_ARP_ETH_IPV4, offsetof(rte_flow_item_arp_eth_ipv4, tpa), kEthArp, 0},
    {FieldId::kArpSha, HOIST_KEY(l2_sha), Layer::kL3, RTE_FLOW_ITEM_TYPE_ARP_ETH_IPV4, offsetof(rte_flow_item_arp_eth_ipv4, sha), kEthArp, 0},
    {FieldId::kArpTha, HOIST_KEY(l2_tha), Layer::kL3, RTE_FLOW_ITEM_TYPE_ARP_ETH_IPV4, offsetof(rte_flow_item_arp_eth_ipv4, tha), kEthArp, 0},
    {FieldId::kTcpSrc, HOIST_KEY(tp_src), Layer::kL4, RTE_FLOW_ITEM_TYPE_TCP, offsetof(rte_tcp_hdr, src_port), 0, 6},
    {FieldId::kTcpDst, HOIST_KEY(tp_dst), Layer::kL4, RTE_FLOW_ITEM_TYPE_TCP, offsetof(rte_tcp_hdr, dst_port), 0, 6},
    // The low 12 bits of data offset, reserved bits and flags: as FlowKey has them.
    {FieldId::kTcpFlags, HOIST_KEY(tcp_flags), Layer::kL4, RTE_FLOW_ITEM_TYPE_TCP, offsetof(rte_tcp_hdr, data_off), 0, 6},
    {FieldId::kUdpSrc, HOIST_KEY(tp_src), Layer::kL4, RTE_FLOW_ITEM_TYPE_UDP, offsetof(rte_udp_hdr, src_port), 0, 17},
    {FieldId::kUdpDst, HOIST_KEY(tp_dst), Layer::kL4, RTE_FLOW_ITEM_TYPE_UDP, offsetof(rte_udp_hdr, dst_port), 0, 17},
    {FieldId::kSctpSrc, HOIST_KEY(tp_src), Layer::kL4, RTE_FLOW_ITEM_TYPE_SCTP, offsetof(rte_sctp_hdr, src_port), 0, 132},
    {FieldId::kSctpDst, HOIST_KEY(tp_dst), Layer::kL4, RTE_FLOW_ITEM_TYPE_SCTP, offsetof(rte_sctp_hdr, dst_port), 0, 132},
    {FieldId::kIcmpType, offsetof(FlowKey, tp_src) + 1, 1, Layer::kL4, RTE_FLOW_ITEM_TYPE_ICMP, offsetof(rte_icmp_hdr, icmp_type), kEthIpv4, 1},
    {FieldId::kIcmpCode, offsetof(FlowKey, tp_dst) + 1, 1, Layer::kL4, RTE_FLOW_ITEM_TYPE_ICMP, offsetof(rte_icmp_hdr, icmp_code), kEthIpv4, 1},
    {FieldId::kIcmpv6Type, offsetof(FlowKey, tp_src) + 1, 1, Layer::kL4, RTE_FLOW_ITEM_TYPE_ICMP6, offsetof(rte_flow_item_icmp6, type), kEthIpv6, 58},
    {FieldId::kIcmpv6Code, offsetof(FlowKey, tp_dst) + 1, 1, Layer::kL4, RTE_FLOW_ITEM_TYPE_ICMP6, offsetof(rte_flow_item_icmp6, code), kEthIpv6, 58},
});
#undef HOIST_KEY
// clang-format on

/// Rows of the irregular cases, which have no place in kMatchRows but are probed and asked for
/// alike.
enum class IrregularRow : std::uint8_t {
  kEthType,
  kVlan,  ///< A VLAN item that says no more than "there is a tag".
  kVlanVid,
  kVlanPcp,
  kVlanType,  ///< The EtherType behind the tag.
  kIpv4Frag,  ///< IPv4 fragment_offset == 0 under 0x3fff: not a fragment.
  kIpv4Ihl,   ///< IPv4 version_ihl == 0x45: no options.
  kIpv6Tos,
  kIpv6Label,
  kNdTarget,
  kMpls,
  kCount,
};
inline constexpr std::size_t kIrregularCount = static_cast<std::size_t>(IrregularRow::kCount);
inline constexpr std::size_t kMatchRowCount = kMatchRows.size() + kIrregularCount;

[[nodiscard]] constexpr std::size_t row_index(IrregularRow row) noexcept {
  return kMatchRows.size() + static_cast<std::size_t>(row);
}

}  // namespace hoist::offload

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hoist/types.hpp"

namespace hoist {

/// Everything that a rule can match on. All members are in network byte order, so a mask or a prefix
/// is a plain bitwise AND and the OpenFlow codec copies bytes. A member that a packet does not have
/// is zero.
///
/// Bytes 0-111 come from the packet alone (kPacketWords); the rest is pipeline state, zero when a
/// packet enters. Layers share members where a packet can have only one of them:
///   ip_proto  IPv4/IPv6 protocol           nw_src/nw_dst  IPv4 addresses, ARP spa/tpa
///   tp_src    TCP/UDP/SCTP port, or ICMP type (low byte); tp_dst likewise, or ICMP code
///   l2_sha    ARP sha, ND sll              l2_tha         ARP tha, ND tll
struct alignas(8) FlowKey {
  Be32 in_port;
  Be16 eth_type;  ///< Innermost visible; 0x05ff for 802.3 frames without SNAP (as Open vSwitch).
  std::uint8_t ip_proto;
  std::uint8_t ip_frag;  ///< kFragAny, kFragLater.

  MacAddress eth_dst;
  MacAddress eth_src;
  Be16 vlan_tci;        ///< Outer tag; kVlanPresent set if there is one.
  Be16 inner_vlan_tci;  ///< Second tag, likewise.

  Be32 mpls_lse;  ///< Outermost label stack entry (RFC 3032): label 20, TC 3, S 1, TTL 8 bits.
  std::uint8_t ip_tos;
  std::uint8_t ip_ttl;
  Be16 tcp_flags;  ///< Low 12 bits.

  Be32 ipv6_label;  ///< Low 20 bits.
  Be16 tp_src;
  Be16 tp_dst;

  Be32 nw_src;
  Be32 nw_dst;

  Ipv6Address ipv6_src;
  Ipv6Address ipv6_dst;
  Ipv6Address nd_target;
  MacAddress l2_sha;
  MacAddress l2_tha;
  Be16 arp_op;
  Be16 ipv6_exthdr;  ///< OFPIEH_* bits (OpenFlow 1.3, 7.2.3.8).

  // Pipeline state, from here on.
  Be64 metadata;
  Be64 tunnel_id;
  std::array<Be32, 16> regs;
  Be32 pkt_mark;
  Be32 ct_state;
  Be32 ct_mark;
  Be16 ct_zone;
  std::uint8_t ct_nw_proto;
  std::uint8_t pad0;
  std::array<std::uint8_t, 16> ct_label;
  Be32 ct_nw_src;
  Be32 ct_nw_dst;
  Be16 ct_tp_src;
  Be16 ct_tp_dst;
  Be32 conj_id;
  Ipv6Address ct_ipv6_src;
  Ipv6Address ct_ipv6_dst;

  bool operator==(const FlowKey& other) const noexcept {
    return std::memcmp(this, &other, sizeof *this) == 0;
  }
};

inline constexpr std::size_t kFlowKeyWords = sizeof(FlowKey) / 8;
inline constexpr std::size_t kPacketWords = offsetof(FlowKey, metadata) / 8;
static_assert(sizeof(FlowKey) == 272 && offsetof(FlowKey, metadata) == 112);
static_assert(kFlowKeyWords <= 64, "a set of words must fit one 64-bit map");

inline constexpr std::uint8_t kFragAny = 1;    ///< Any fragment.
inline constexpr std::uint8_t kFragLater = 2;  ///< Not the first fragment: it has no L4 header.
inline constexpr std::uint16_t kVlanPresent = 0x1000;
inline constexpr std::uint16_t kVlanVidMask = 0x0fff;

/// A word of a FlowKey that may alias its members.
using KeyWord [[gnu::may_alias]] = std::uint64_t;

[[nodiscard]] inline const KeyWord* words(const FlowKey& key) noexcept {
  return reinterpret_cast<const KeyWord*>(&key);
}
[[nodiscard]] inline KeyWord* words(FlowKey& key) noexcept {
  return reinterpret_cast<KeyWord*>(&key);
}

}  // namespace hoist

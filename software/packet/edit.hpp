// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "hoist/field.hpp"
#include "packet/parse.hpp"

struct rte_mbuf;

namespace hoist::software {

// Operations on a packet's bytes. For all of them:
// - The caller owns the mbuf alone (not shared, no clones); `layers` is what parse() says of it,
// and is so
//   again afterwards. The FlowKey is the caller's to keep; where an edit uncovers or hides headers,
//   or changes what a header means, only parse() knows the new one (see edits_only_its_field()).
// - False: the packet does not have what the operation needs, or there is no room at its head;
// nothing
//   was changed. Headers must lie in the first segment; there is room for a tag if the mbuf has 4
//   bytes of headroom.
// - Checksums that cover what changed are brought up to date by the difference (RFC 1624), so a
// wrong one
//   stays wrong: IPv4 header; TCP, UDP, UDP-Lite, DCCP and ICMPv6, whose pseudo header covers
//   addresses; ICMP; SCTP. A UDP checksum of 0 stays 0. Fragments but the first have no layer 4.
// Worker that owns the packet. Nothing is allocated.

/// Writes the bits of `value` under `mask` into a field that lives in the packet and that FlowKey
/// shows.
/// - vlan_vid and vlan_tci carry kVlanPresent: a result with it on an untagged packet pushes an
/// 802.1Q tag,
///   one without it pops the outer tag (as Open vSwitch).
/// - eth_type, ip_proto and mpls_bos change what the rest means: layers are found anew.
/// - ip_proto: the checksum of what was layer 4 follows the change of the pseudo header.
/// - SCTP ports of a first fragment: false, because its checksum covers bytes that are not here.
/// - nd_sll and nd_tll: false without the option.
[[nodiscard]] bool set_field(rte_mbuf& packet, Layers& layers, const Field& field,
                             const FieldValue& value, const FieldValue& mask) noexcept;

/// Says whether set_field() of this field changes nothing of the FlowKey but the field itself.
[[nodiscard]] constexpr bool edits_only_its_field(FieldId field) noexcept {
  using enum FieldId;
  return field != kEthType && field != kIpProto && field != kMplsBos && field != kVlanTci &&
         field != kVlanVid && field != kIcmpv6Type && field != kIcmpv6Code;
}

/// Pushes an outer tag (0x8100 or 0x88a8) with the VID and priority of the one that is there, else
/// 0 (OpenFlow 1.3, 5.13).
[[nodiscard]] bool push_vlan(rte_mbuf& packet, Layers& layers, std::uint16_t ethertype) noexcept;
inline constexpr std::uint32_t kFrameSizeMin = 60;  ///< Without FCS (IEEE 802.3, 3.2.8).

/// Pops the outer tag. A frame that would become shorter than kFrameSizeMin by it is filled up with
/// zeros; so does pop_mpls(). Frames that came in short, and damaged ones, stay short.
[[nodiscard]] bool pop_vlan(rte_mbuf& packet, Layers& layers) noexcept;

/// Pushes a label (0x8847 or 0x8848) behind all VLAN tags, with label, traffic class and TTL of the
/// outermost one that is there, else label 0, class 0 and the IP TTL, or 0 without IP
/// (OpenFlow 1.3, 5.13). Not into IEEE 802.3 frames, nor behind a third tag.
[[nodiscard]] bool push_mpls(rte_mbuf& packet, Layers& layers, std::uint16_t ethertype) noexcept;
/// Pops the outermost label; what appears has this type.
[[nodiscard]] bool pop_mpls(rte_mbuf& packet, Layers& layers, std::uint16_t ethertype) noexcept;

[[nodiscard]] bool set_mpls_ttl(rte_mbuf& packet, Layers& layers, std::uint8_t ttl) noexcept;
[[nodiscard]] bool set_nw_ttl(rte_mbuf& packet, Layers& layers, std::uint8_t ttl) noexcept;

enum class TtlOutcome : std::uint8_t {
  kDecremented,
  kExpired,  ///< It was 0 or 1 and stays: the packet goes no further.
  kAbsent,   ///< No such header; nothing was changed.
};
[[nodiscard]] TtlOutcome dec_mpls_ttl(rte_mbuf& packet, Layers& layers) noexcept;
/// A damaged IP header has TTL 0 in the FlowKey and so is expired.
[[nodiscard]] TtlOutcome dec_nw_ttl(rte_mbuf& packet, Layers& layers) noexcept;

/// From the next-to-outermost TTL to the outermost: label to label, or IP to label.
[[nodiscard]] bool copy_ttl_out(rte_mbuf& packet, Layers& layers) noexcept;
/// The other way.
[[nodiscard]] bool copy_ttl_in(rte_mbuf& packet, Layers& layers) noexcept;

}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "hoist/flow_key.hpp"
#include "hoist/types.hpp"

struct rte_mbuf;

namespace hoist::software {

/// Where a frame's headers lie: what edits need beyond the FlowKey. Offsets count from the first
/// byte of the frame. It says of a frame what parse() sees in it: edits keep it so.
struct Layers {
  static constexpr std::uint16_t kNone = 0xffff;

  enum Flag : std::uint8_t {
    kRunt = 1 << 0,   ///< Shorter than an Ethernet header; nothing was parsed.
    kBadL3 = 1 << 1,  ///< ARP, IP or extension headers cut short, or lengths that cannot be.
    kBadL4 = 1 << 2,  ///< A known protocol's header cut short, or a TCP data offset that cannot be.
    kHasL4 = 1 << 3,  ///< The FlowKey has ports, or ICMP type and code.
    kFragment = 1 << 4,  ///< Any IP fragment, the first one too.
    kIsLength = 1 << 5,  ///< IEEE 802.3: a length stands where the Ethernet type would.
    kRoutePending =
        1 << 6,  ///< An IPv6 routing header has segments left: the last address is there.
  };

  std::uint16_t l2_end = 0;  ///< Past the last Ethernet type: the MPLS, ARP or IP header, or LLC.
  std::uint16_t l3_offset = kNone;  ///< A sound ARP, IPv4 or IPv6 header; kNone under MPLS.
  std::uint16_t l4_offset = kNone;  ///< Past all IP headers; kNone for fragments but the first.
  std::uint16_t l4_size =
      0;  ///< Bytes from l4_offset to the end of the IP datagram, padding left out.
  std::uint16_t eth_type = 0;   ///< As FlowKey::eth_type, in host order.
  std::uint8_t ip_proto = 0;    ///< As FlowKey::ip_proto.
  std::uint8_t vlan_count = 0;  ///< Tags in the FlowKey: at most 2.
  std::uint8_t mpls_count = 0;  ///< Label stack entries down to the bottom; 255 stands for more.
  std::uint8_t flags = 0;       ///< Flag bits.

  bool operator==(const Layers&) const = default;
  [[nodiscard]] bool has(Flag flag) const noexcept { return (flags & flag) != 0; }
  /// Says whether the frame breaks a protocol that it names. Such frames are forwarded all the
  /// same.
  [[nodiscard]] bool is_malformed() const noexcept {
    return (flags & (kRunt | kBadL3 | kBadL4)) != 0;
  }
  [[nodiscard]] bool is_ip() const noexcept {
    return l3_offset != kNone && (eth_type == 0x0800 || eth_type == 0x86dd);
  }
};
static_assert(sizeof(Layers) == 14);

/// Fills the packet-derived part of `key` (kPacketWords); the rest of it is neither read nor
/// written. Reads no byte at or past `length`. A field that the frame does not have, or that lies
/// at or past the first damage, is zero, as in Open vSwitch. Any thread.
///
/// - Up to two VLAN tags (0x8100, 0x88a8): outer in vlan_tci, inner in inner_vlan_tci. With more,
/// eth_type
///   is the type of the third and nothing below is parsed.
/// - MPLS: the outermost label stack entry; nothing below is parsed.
/// - ARP and RARP for IPv4 over Ethernet; arp_op only up to 255.
/// - IPv4; IPv6 over hop-by-hop, routing, destination, AH and fragment headers. ip_proto is the
/// first
///   header after those, and 44 for an IPv6 fragment but the first. A length field beyond the frame
///   is damage; a frame beyond the length is padding.
/// - ICMP only over IPv4, ICMPv6 only over IPv6.
Layers parse(const std::uint8_t* frame, std::size_t length, PortNo in_port, FlowKey& key) noexcept;

/// The same for the first segment of a longer frame: `readable` bytes lie at `frame`, `length` are
/// there in all. A header that is not wholly in the first segment counts as cut short.
Layers parse(const std::uint8_t* frame, std::size_t readable, std::size_t length, PortNo in_port,
             FlowKey& key) noexcept;

/// The same for an mbuf.
Layers parse(const rte_mbuf& packet, PortNo in_port, FlowKey& key) noexcept;

}  // namespace hoist::software

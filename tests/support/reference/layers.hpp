// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hoist/flow_key.hpp"

namespace hoist::reference {

using Bytes = std::vector<std::uint8_t>;
using View = std::span<const std::uint8_t>;

/// Big-endian integers in a frame; the caller has checked that they lie in it.
[[nodiscard]] std::uint16_t get16(View bytes, std::size_t at);
[[nodiscard]] std::uint32_t get32(View bytes, std::size_t at);
void put16(Bytes& bytes, std::size_t at, std::uint16_t value);
void put32(Bytes& bytes, std::size_t at, std::uint32_t value);

enum class Network : std::uint8_t { kNone, kArp, kIpv4, kIpv6 };
enum class Transport : std::uint8_t { kNone, kTcp, kUdp, kSctp, kIcmpv4, kIcmpv6 };

/// Where the headers of a frame lie: offsets from its first byte. A header that is not there, is
/// cut short or contradicts itself is absent, and so is everything behind it.
struct Layers {
  bool is_ethernet = false;            ///< At least 14 bytes.
  std::vector<std::size_t> vlan_at;    ///< TPIDs, outermost first; two at most.
  std::size_t ethertype_at = 0;        ///< Of the last EtherType (or length) before the payload.
  std::size_t payload_at = 0;          ///< Behind it.
  bool is_length = false;              ///< IEEE 802.3: a length stands where the type would.
  std::uint16_t eth_type = 0;          ///< What rules see: 0x05ff for 802.3 without SNAP.
  std::optional<std::size_t> mpls_at;  ///< Outermost label stack entry.

  Network network = Network::kNone;
  std::size_t network_at = 0;
  /// Set also where extension headers are cut short: rules still see the addresses (as Open
  /// vSwitch).
  std::optional<std::size_t> ipv6_addresses_at;
  std::size_t network_end = 0;  ///< End of the IP packet: what follows is padding.
  std::size_t proto_at = 0;     ///< The byte that names the transport protocol.
  std::uint8_t ip_proto = 0;
  std::uint8_t ip_frag = 0;
  std::uint16_t ipv6_exthdr = 0;
  /// An IPv6 routing header says that ipv6_dst is not the final destination, so that transport
  /// checksums do not cover it.
  bool is_source_routed = false;

  bool is_transport_reached = false;  ///< A transport header begins at transport_at, sound or not.
  Transport transport = Transport::kNone;
  std::size_t transport_at = 0;
  std::optional<std::size_t> nd_target_at, nd_sll_at, nd_tll_at;
};

[[nodiscard]] Layers find_layers(View frame);

/// The packet's words of a FlowKey; in_port and pipeline state are zero.
[[nodiscard]] FlowKey parse_key(View frame);

}  // namespace hoist::reference

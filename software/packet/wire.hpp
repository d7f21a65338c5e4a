// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstring>

#include "hoist/types.hpp"

namespace hoist::software::wire {

/// Numbers of protocols, as they stand in headers.
inline constexpr std::uint16_t kEthVlan = 0x8100, kEthServiceVlan = 0x88a8, kEthIpv4 = 0x0800,
                               kEthIpv6 = 0x86dd, kEthArp = 0x0806, kEthRarp = 0x8035,
                               kEthMpls = 0x8847, kEthMplsMulticast = 0x8848;
inline constexpr std::uint16_t kEthTypeMin = 0x0600;   ///< Below: an IEEE 802.3 length.
inline constexpr std::uint16_t kEthTypeNone = 0x05ff;  ///< FlowKey::eth_type of 802.3 without SNAP.

inline constexpr std::uint8_t kIpIcmp = 1, kIpTcp = 6, kIpUdp = 17, kIpDccp = 33, kIpIcmpv6 = 58,
                              kIpSctp = 132, kIpUdpLite = 136;
inline constexpr std::uint8_t kIpHopByHop = 0, kIpRouting = 43, kIpFragment = 44, kIpEsp = 50,
                              kIpAh = 51, kIpNoNext = 59, kIpDestination = 60;

inline constexpr std::uint8_t kNdSolicit = 135, kNdAdvertise = 136;
inline constexpr std::uint8_t kNdSourceLinkAddress = 1, kNdTargetLinkAddress = 2;

[[nodiscard]] constexpr bool is_vlan(std::uint16_t eth_type) noexcept {
  return eth_type == kEthVlan || eth_type == kEthServiceVlan;
}
[[nodiscard]] constexpr bool is_mpls(std::uint16_t eth_type) noexcept {
  return eth_type == kEthMpls || eth_type == kEthMplsMulticast;
}
[[nodiscard]] constexpr bool is_arp(std::uint16_t eth_type) noexcept {
  return eth_type == kEthArp || eth_type == kEthRarp;
}
[[nodiscard]] constexpr bool is_ip(std::uint16_t eth_type) noexcept {
  return eth_type == kEthIpv4 || eth_type == kEthIpv6;
}

/// Unaligned access to integers in network byte order.
[[nodiscard]] inline std::uint16_t load16(const std::uint8_t* at) noexcept {
  std::uint16_t v;
  std::memcpy(&v, at, sizeof v);
  return Be16::from_wire(v).host();
}
[[nodiscard]] inline std::uint32_t load32(const std::uint8_t* at) noexcept {
  std::uint32_t v;
  std::memcpy(&v, at, sizeof v);
  return Be32::from_wire(v).host();
}
inline void store16(std::uint8_t* at, std::uint16_t host) noexcept {
  const std::uint16_t v = Be16{host}.wire();
  std::memcpy(at, &v, sizeof v);
}
inline void store32(std::uint8_t* at, std::uint32_t host) noexcept {
  const std::uint32_t v = Be32{host}.wire();
  std::memcpy(at, &v, sizeof v);
}

/// Bytes of an IPv6 extension header that this parser steps over (RFC 8200, 4; AH: RFC 4302, 2.2).
/// `header` has at least 8 bytes.
[[nodiscard]] inline std::size_t extension_size(std::uint8_t type,
                                                const std::uint8_t* header) noexcept {
  if (type == kIpAh) return (header[1] + std::size_t{2}) * 4;
  if (type == kIpFragment) return 8;
  return (header[1] + std::size_t{1}) * 8;
}
[[nodiscard]] constexpr bool is_extension(std::uint8_t type) noexcept {
  return type == kIpHopByHop || type == kIpRouting || type == kIpDestination || type == kIpAh ||
         type == kIpFragment;
}

}  // namespace hoist::software::wire

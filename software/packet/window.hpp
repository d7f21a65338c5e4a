// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "hoist/flow_key.hpp"
#include "packet/packet_class.hpp"
#include "packet/wire.hpp"

namespace hoist::software {

/// A *regular* packet is one whose FlowKey lies whole in its first 48 bytes: untagged, unfragmented
/// IPv4 without options, with sound lengths. Its window needs no parsing:
///
///   0      6      12    14  15    20   22  23    26    30    34    36        46
///   | dst  | src  |0800 |45 |tos| | frag|ttl|pro| |src  |dst  |sport|dport| ... |off flags|
inline constexpr std::size_t kWindowSize = 48;
using WindowMask = std::array<std::uint8_t, kWindowSize>;

/// The class of a regular packet, one of kIpv4Tcp to kIpv4Other; nothing for any other packet,
/// which must be parsed. `readable` bytes lie at `frame`; `length` is that of the whole frame. What
/// parse() would say of a regular packet follows from its class and window alone.
[[nodiscard]] inline std::optional<PacketClass> classify_window(const std::uint8_t* frame,
                                                                std::size_t readable,
                                                                std::size_t length) noexcept {
  using enum PacketClass;
  if (readable < kWindowSize) return std::nullopt;
  // Ethernet type 0x0800, version 4 and 20 bytes of header; then neither fragment offset nor
  // more-fragments.
  const std::uint32_t head = wire::load32(frame + 12);
  const std::uint32_t fragment = wire::load16(frame + 20) & 0x3fffu;
  if (((head >> 8) ^ 0x080045u) | fragment) return std::nullopt;
  const std::size_t total_size = wire::load16(frame + 16);
  if (total_size + 14 > length) return std::nullopt;
  switch (frame[23]) {
    case wire::kIpTcp: {
      const std::size_t header_size = (frame[46] >> 4) * std::size_t{4};
      if (header_size < 20 || header_size + 20 > total_size) return std::nullopt;
      return kIpv4Tcp;
    }
    case wire::kIpUdp:
      return total_size < 28 ? std::nullopt : std::optional(kIpv4Udp);
    case wire::kIpSctp:
      return total_size < 32 ? std::nullopt : std::optional(kIpv4Sctp);
    case wire::kIpIcmp:
      return total_size < 28 ? std::nullopt : std::optional(kIpv4Icmp);
    default:
      return total_size < 20 ? std::nullopt : std::optional(kIpv4Other);
  }
}
[[nodiscard]] inline std::optional<PacketClass> classify_window(const std::uint8_t* frame,
                                                                std::size_t length) noexcept {
  return classify_window(frame, length, length);
}

/// Fills a key with all that parse() would say of a regular packet of that class, and the pipeline
/// state with zeros. `frame`: at least 48 bytes.
inline void parse_window(const std::uint8_t* frame, PacketClass packet_class, PortNo in_port,
                         FlowKey& key) noexcept {
  constexpr std::size_t kUsed = 6;  // Words; the others hold nothing of IPv4.
  static_assert(offsetof(FlowKey, ipv6_src) == kUsed * sizeof(KeyWord));
  for (std::size_t i = kUsed; i < kFlowKeyWords; ++i) words(key)[i] = 0;
  key.in_port = Be32{to_integer(in_port)};
  key.eth_type = Be16{wire::kEthIpv4};
  key.ip_proto = frame[23];
  key.ip_frag = 0;
  std::memcpy(static_cast<void*>(&key.eth_dst), frame, 12);
  key.vlan_tci = key.inner_vlan_tci = Be16{0};
  key.mpls_lse = Be32{0};
  key.ip_tos = frame[15];
  key.ip_ttl = frame[22];
  const bool is_tcp = packet_class == PacketClass::kIpv4Tcp;
  key.tcp_flags = Be16{static_cast<std::uint16_t>(is_tcp ? wire::load16(frame + 46) & 0x0fff : 0)};
  key.ipv6_label = Be32{0};
  std::uint32_t ports;
  std::memcpy(&ports, frame + 34, sizeof ports);
  if (packet_class == PacketClass::kIpv4Icmp) {  // Type and code, in the low byte of a port each.
    ports = Be32{std::uint32_t{frame[34]} << 16 | frame[35]}.wire();
  } else if (packet_class == PacketClass::kIpv4Other) {
    ports = 0;
  }
  std::memcpy(static_cast<void*>(&key.tp_src), &ports, sizeof ports);
  std::memcpy(static_cast<void*>(&key.nw_src), frame + 26, 8);
}

/// The mask under which two regular packets of this class and the same in_port have equal windows
/// if and only if their FlowKeys are equal under `consulted`. Bits of fields that are constant in
/// the class (in_port, eth_type, vlan_tci, ipv6_src, metadata...) need nothing. Nothing for a class
/// that is never regular.
[[nodiscard]] std::optional<WindowMask> window_mask(const FlowKey& consulted,
                                                    PacketClass packet_class) noexcept;

}  // namespace hoist::software

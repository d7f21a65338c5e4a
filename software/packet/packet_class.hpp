// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "hoist/flow_key.hpp"

namespace hoist::software {

/// Coarse kind of a packet, by what decides which fields it has. Which rules a packet can reach, and so
/// which fields the flow cache must compare, is worked out per (in_port, PacketClass).
enum class PacketClass : std::uint8_t {
  kOther,
  kArp,
  kMpls,
  kIpv4Tcp,
  kIpv4Udp,
  kIpv4Sctp,
  kIpv4Icmp,
  kIpv4Other,
  kIpv6Tcp,
  kIpv6Udp,
  kIpv6Sctp,
  kIpv6Icmp,
  kIpv6Other,
  kCount,
};
inline constexpr std::size_t kPacketClassCount = static_cast<std::size_t>(PacketClass::kCount);

[[nodiscard]] constexpr PacketClass packet_class(std::uint16_t eth_type, std::uint8_t ip_proto) noexcept {
  using enum PacketClass;
  switch (eth_type) {
    case 0x0800:
      return ip_proto == 6     ? kIpv4Tcp
             : ip_proto == 17  ? kIpv4Udp
             : ip_proto == 132 ? kIpv4Sctp
             : ip_proto == 1   ? kIpv4Icmp
                               : kIpv4Other;
    case 0x86dd:
      return ip_proto == 6     ? kIpv6Tcp
             : ip_proto == 17  ? kIpv6Udp
             : ip_proto == 132 ? kIpv6Sctp
             : ip_proto == 58  ? kIpv6Icmp
                               : kIpv6Other;
    case 0x0806:
    case 0x8035:
      return kArp;
    case 0x8847:
    case 0x8848:
      return kMpls;
    default:
      return kOther;
  }
}

[[nodiscard]] inline PacketClass packet_class(const FlowKey& key) noexcept {
  return packet_class(key.eth_type.host(), key.ip_proto);
}

}  // namespace hoist::software

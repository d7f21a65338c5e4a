// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace hoist::text {

/// A word that stands for an Ethernet type and perhaps an IP protocol.
struct ProtocolName {
  std::string_view name;
  std::uint16_t eth_type;
  std::uint8_t ip_proto;  ///< 0: any.
};
/// Of several names for the same, the first is printed.
inline constexpr auto kProtocolNames = std::to_array<ProtocolName>(
    {{"ip", 0x0800, 0},     {"icmp", 0x0800, 1},  {"tcp", 0x0800, 6},   {"udp", 0x0800, 17},
     {"sctp", 0x0800, 132}, {"arp", 0x0806, 0},   {"rarp", 0x8035, 0},  {"ipv6", 0x86dd, 0},
     {"icmp6", 0x86dd, 58}, {"tcp6", 0x86dd, 6},  {"udp6", 0x86dd, 17}, {"sctp6", 0x86dd, 132},
     {"mpls", 0x8847, 0},   {"mplsm", 0x8848, 0}, {"ipv4", 0x0800, 0},  {"ip4", 0x0800, 0},
     {"icmp4", 0x0800, 1},  {"tcp4", 0x0800, 6},  {"udp4", 0x0800, 17}, {"sctp4", 0x0800, 132},
     {"ip6", 0x86dd, 0}});

}  // namespace hoist::text

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_mbuf.h>

#include <cstdint>

#include "conntrack/track_request.hpp"
#include "packet/wire.hpp"

namespace hoist::software {

/// packet_facts() in short, for a regular packet (packet/window.hpp) of TCP or UDP that has the
/// addresses, ports and protocol of one that was sound. False: it is not sound, or a longer look is
/// needed to say: at options (of a SYN), or at a checksum that the NIC has not vouched for.
[[nodiscard]] inline bool window_facts(const rte_mbuf& packet, const std::uint8_t* frame,
                                       FollowingPacket& out) noexcept {
  constexpr std::size_t kL3 = 14, kL4 = 34, kTcpHeader = 20;
  constexpr std::uint64_t kIpMask = RTE_MBUF_F_RX_IP_CKSUM_MASK;
  constexpr std::uint64_t kL4Mask = RTE_MBUF_F_RX_L4_CKSUM_MASK;
  constexpr std::uint64_t kGood = RTE_MBUF_F_RX_IP_CKSUM_GOOD | RTE_MBUF_F_RX_L4_CKSUM_GOOD;
  if ((packet.ol_flags & (kIpMask | kL4Mask)) != kGood) return false;
  const std::uint32_t l4_size = wire::load16(frame + kL3 + 2) - std::uint32_t{kL4 - kL3};
  const std::uint8_t* l4 = frame + kL4;
  out.ip_proto = frame[kL3 + 9];
  if (out.ip_proto == wire::kIpUdp) {
    const std::uint32_t size = wire::load16(l4 + 4);
    return size >= 8 && size <= l4_size;
  }
  if (out.ip_proto != wire::kIpTcp || packet.data_len < kL4 + kTcpHeader) return false;
  const std::uint32_t header_size = (l4[12] >> 4) * 4u;
  const std::uint32_t flags_and_window = wire::load32(l4 + 12);
  out.tcp = {.flags = static_cast<std::uint16_t>(flags_and_window >> 16 & 0xfff),
             .window = static_cast<std::uint16_t>(flags_and_window),
             .sequence = wire::load32(l4 + 4),
             .acknowledged = wire::load32(l4 + 8),
             .size = l4_size - header_size,
             .scale = 0};
  return !out.tcp.has(TcpSegment::kSyn) && kL4 + header_size <= packet.data_len;
}

}  // namespace hoist::software

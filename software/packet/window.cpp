// SPDX-License-Identifier: BSD-3-Clause
#include "packet/window.hpp"

#include <cstring>

namespace hoist::software {
namespace {

template <class Member>
void put(WindowMask& mask, std::size_t at, const Member& member) noexcept {
  std::memcpy(mask.data() + at, &member, sizeof member);
}

}  // namespace

std::optional<WindowMask> window_mask(const FlowKey& consulted, PacketClass packet_class) noexcept {
  using enum PacketClass;
  if (packet_class < kIpv4Tcp || packet_class > kIpv4Other) return std::nullopt;
  WindowMask mask{};
  put(mask, 0, consulted.eth_dst);
  put(mask, 6, consulted.eth_src);
  mask[15] = consulted.ip_tos;
  mask[22] = consulted.ip_ttl;
  put(mask, 26, consulted.nw_src);
  put(mask, 30, consulted.nw_dst);
  switch (packet_class) {
    case kIpv4Tcp:
      wire::store16(&mask[46], consulted.tcp_flags.host() & 0x0fff);
      [[fallthrough]];
    case kIpv4Udp:
    case kIpv4Sctp:
      put(mask, 34, consulted.tp_src);
      put(mask, 36, consulted.tp_dst);
      break;
    case kIpv4Icmp:
      mask[34] = static_cast<std::uint8_t>(consulted.tp_src.host());
      mask[35] = static_cast<std::uint8_t>(consulted.tp_dst.host());
      break;
    default:
      mask[23] = consulted.ip_proto;
      break;
  }
  return mask;
}

}  // namespace hoist::software

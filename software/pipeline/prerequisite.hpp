// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hoist/field.hpp"
#include "hoist/flow_key.hpp"
#include "packet/wire.hpp"

namespace hoist::software {

/// Says whether a packet has what a field needs to mean anything (OpenFlow 1.3, 7.2.3.8).
[[nodiscard]] inline bool is_met(Prerequisite prerequisite, const FlowKey& key) noexcept {
  using enum Prerequisite;
  const std::uint16_t type = key.eth_type.host();
  const std::uint8_t proto = key.ip_proto;
  const bool is_nd = type == wire::kEthIpv6 && proto == wire::kIpIcmpv6 && key.tp_dst.host() == 0;
  const bool is_solicit = is_nd && key.tp_src.host() == wire::kNdSolicit;
  const bool is_advertise = is_nd && key.tp_src.host() == wire::kNdAdvertise;
  switch (prerequisite) {
    case kNone:
      return true;
    case kVlan:
      return (key.vlan_tci.host() & kVlanPresent) != 0;
    case kMpls:
      return wire::is_mpls(type);
    case kIp:
      return wire::is_ip(type);
    case kIpv4:
      return type == wire::kEthIpv4;
    case kIpv6:
      return type == wire::kEthIpv6;
    case kArp:
      return wire::is_arp(type);
    case kTcp:
      return wire::is_ip(type) && proto == wire::kIpTcp;
    case kUdp:
      return wire::is_ip(type) && proto == wire::kIpUdp;
    case kSctp:
      return wire::is_ip(type) && proto == wire::kIpSctp;
    case kIcmpv4:
      return type == wire::kEthIpv4 && proto == wire::kIpIcmp;
    case kIcmpv6:
      return type == wire::kEthIpv6 && proto == wire::kIpIcmpv6;
    case kNd:
      return is_solicit || is_advertise;
    case kNdSolicit:
      return is_solicit;
    case kNdAdvertise:
      return is_advertise;
  }
  return false;
}

}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
#include "support/reference/prerequisites.hpp"

namespace hoist::reference {

bool is_met(Prerequisite prerequisite, const FlowKey& key) {
  const std::uint16_t type = key.eth_type.host();
  const bool is_ipv4 = type == 0x0800;
  const bool is_ipv6 = type == 0x86dd;
  const bool is_ip = is_ipv4 || is_ipv6;
  const std::uint16_t icmp_type = key.tp_src.host();
  const bool is_neighbour = is_ipv6 && key.ip_proto == 58 && key.tp_dst.host() == 0;
  switch (prerequisite) {
    case Prerequisite::kNone:
      return true;
    case Prerequisite::kVlan:
      return (key.vlan_tci.host() & kVlanPresent) != 0;
    case Prerequisite::kMpls:
      return type == 0x8847 || type == 0x8848;
    case Prerequisite::kIp:
      return is_ip;
    case Prerequisite::kIpv4:
      return is_ipv4;
    case Prerequisite::kIpv6:
      return is_ipv6;
    case Prerequisite::kArp:
      return type == 0x0806 || type == 0x8035;
    case Prerequisite::kTcp:
      return is_ip && key.ip_proto == 6;
    case Prerequisite::kUdp:
      return is_ip && key.ip_proto == 17;
    case Prerequisite::kSctp:
      return is_ip && key.ip_proto == 132;
    case Prerequisite::kIcmpv4:
      return is_ipv4 && key.ip_proto == 1;
    case Prerequisite::kIcmpv6:
      return is_ipv6 && key.ip_proto == 58;
    case Prerequisite::kNd:
      return is_neighbour && (icmp_type == 135 || icmp_type == 136);
    case Prerequisite::kNdSolicit:
      return is_neighbour && icmp_type == 135;
    case Prerequisite::kNdAdvertise:
      return is_neighbour && icmp_type == 136;
  }
  return false;
}

}  // namespace hoist::reference

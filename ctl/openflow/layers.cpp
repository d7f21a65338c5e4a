// SPDX-License-Identifier: BSD-3-Clause
#include "openflow/layers.hpp"

#include "openflow/check.hpp"

namespace hoist::openflow {

Layers Layers::of(const Match& match) noexcept {
  Layers l;
  const FlowKey& v = match.value;
  const FlowKey& m = match.mask;
  if (m.eth_type.host() == 0xffff) l.eth_type = v.eth_type.host();
  if (m.ip_proto == 0xff && (v.ip_frag & kFragLater) == 0) l.ip_proto = v.ip_proto;
  if ((m.tp_src.host() & 0xff) == 0xff) l.icmp_type = v.tp_src.host();
  l.is_code_zero = v.tp_dst.host() == 0;
  l.vlans = (v.vlan_tci.host() & kVlanPresent) != 0 ? 1 : 0;
  return l;
}

bool Layers::satisfy(Prerequisite prerequisite) const noexcept {
  const bool is_ipv4 = eth_type == 0x0800;
  const bool is_ipv6 = eth_type == 0x86dd;
  const bool is_ip = is_ipv4 || is_ipv6;
  const bool is_nd = is_ipv6 && ip_proto == 58 && is_code_zero;
  switch (prerequisite) {
    case Prerequisite::kNone:
      return true;
    case Prerequisite::kVlan:
      return vlans != 0;
    case Prerequisite::kMpls:
      return eth_type == 0x8847 || eth_type == 0x8848;
    case Prerequisite::kIp:
      return is_ip;
    case Prerequisite::kIpv4:
      return is_ipv4;
    case Prerequisite::kIpv6:
      return is_ipv6;
    case Prerequisite::kArp:
      return eth_type == 0x0806 || eth_type == 0x8035;
    case Prerequisite::kTcp:
      return is_ip && ip_proto == 6;
    case Prerequisite::kUdp:
      return is_ip && ip_proto == 17;
    case Prerequisite::kSctp:
      return is_ip && ip_proto == 132;
    case Prerequisite::kIcmpv4:
      return is_ipv4 && ip_proto == 1;
    case Prerequisite::kIcmpv6:
      return is_ipv6 && ip_proto == 58;
    case Prerequisite::kNd:
      return is_nd && (icmp_type == 135 || icmp_type == 136);
    case Prerequisite::kNdSolicit:
      return is_nd && icmp_type == 135;
    case Prerequisite::kNdAdvertise:
      return is_nd && icmp_type == 136;
  }
  return false;
}

bool is_satisfied(Prerequisite prerequisite, const Match& match) noexcept {
  return prerequisite == Prerequisite::kNone || Layers::of(match).satisfy(prerequisite);
}

}  // namespace hoist::openflow

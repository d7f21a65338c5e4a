// SPDX-License-Identifier: BSD-3-Clause
#include "support/reference/field_place.hpp"

namespace hoist::reference {
namespace {

using enum FieldId;

Place whole(std::size_t at, std::size_t bytes) {
  return {at, bytes, 0, static_cast<unsigned>(8 * bytes)};
}

std::optional<Place> find_l2(FieldId id, const Layers& l) {
  switch (id) {
    case kEthDst:
      return whole(0, 6);
    case kEthSrc:
      return whole(6, 6);
    case kEthType:
      if (l.eth_type == 0x05ff) return std::nullopt;
      return whole(l.ethertype_at, 2);
    case kVlanVid:
      if (l.vlan_at.empty()) return std::nullopt;
      return Place{l.vlan_at[0] + 2, 2, 0, 12};
    case kVlanPcp:
      if (l.vlan_at.empty()) return std::nullopt;
      return Place{l.vlan_at[0] + 2, 2, 13, 3};
    default:
      return std::nullopt;
  }
}

std::optional<Place> find_mpls(FieldId id, const Layers& l) {
  if (!l.mpls_at) return std::nullopt;
  switch (id) {
    case kMplsLabel:
      return Place{*l.mpls_at, 4, 12, 20};
    case kMplsTc:
      return Place{*l.mpls_at, 4, 9, 3};
    case kMplsBos:
      return Place{*l.mpls_at, 4, 8, 1};
    case kMplsTtl:
      return Place{*l.mpls_at, 4, 0, 8};
    default:
      return std::nullopt;
  }
}

std::optional<Place> find_arp(FieldId id, std::size_t at) {
  switch (id) {
    case kArpOp:
      return whole(at + 6, 2);
    case kArpSha:
      return whole(at + 8, 6);
    case kArpSpa:
      return whole(at + 14, 4);
    case kArpTha:
      return whole(at + 18, 6);
    case kArpTpa:
      return whole(at + 24, 4);
    default:
      return std::nullopt;
  }
}

std::optional<Place> find_ipv4(FieldId id, const Layers& l) {
  const std::size_t at = l.network_at;
  switch (id) {
    case kNwSrc:
      return whole(at + 12, 4);
    case kNwDst:
      return whole(at + 16, 4);
    case kIpTos:
      return whole(at + 1, 1);
    case kIpDscp:
      return Place{at + 1, 1, 2, 6};
    case kIpEcn:
      return Place{at + 1, 1, 0, 2};
    case kIpTtl:
      return whole(at + 8, 1);
    case kIpProto:
      return whole(l.proto_at, 1);
    default:
      return std::nullopt;
  }
}

std::optional<Place> find_ipv6(FieldId id, const Layers& l) {
  const std::size_t at = l.network_at;
  switch (id) {
    case kIpv6Src:
      return whole(at + 8, 16);
    case kIpv6Dst:
      return whole(at + 24, 16);
    case kIpv6Label:
      return Place{at, 4, 0, 20};
    case kIpTos:
      return Place{at, 4, 20, 8};
    case kIpDscp:
      return Place{at, 4, 22, 6};
    case kIpEcn:
      return Place{at, 4, 20, 2};
    case kIpTtl:
      return whole(at + 7, 1);
    case kIpProto:
      return whole(l.proto_at, 1);
    default:
      return std::nullopt;
  }
}

std::optional<Place> find_ports(FieldId id, const Layers& l) {
  struct Ports {
    Transport transport;
    FieldId source, target;
    std::size_t bytes;
  };
  constexpr Ports kPorts[] = {{Transport::kTcp, kTcpSrc, kTcpDst, 2},
                              {Transport::kUdp, kUdpSrc, kUdpDst, 2},
                              {Transport::kSctp, kSctpSrc, kSctpDst, 2},
                              {Transport::kIcmpv4, kIcmpType, kIcmpCode, 1},
                              {Transport::kIcmpv6, kIcmpv6Type, kIcmpv6Code, 1}};
  // An SCTP checksum covers the whole datagram: of a fragment it cannot be kept right.
  if (l.transport == Transport::kSctp && l.ip_frag != 0) return std::nullopt;
  for (const Ports& p : kPorts) {
    if (p.transport != l.transport) continue;
    if (id == p.source) return whole(l.transport_at, p.bytes);
    if (id == p.target) return whole(l.transport_at + p.bytes, p.bytes);
  }
  return std::nullopt;
}

std::optional<Place> find_neighbour(FieldId id, View frame, const Layers& l) {
  if (!l.nd_target_at) return std::nullopt;
  const std::uint8_t type = frame[l.transport_at];
  if (id == kNdTarget) return whole(*l.nd_target_at, 16);
  if (id == kNdSll && type == 135 && l.nd_sll_at) return whole(*l.nd_sll_at, 6);
  if (id == kNdTll && type == 136 && l.nd_tll_at) return whole(*l.nd_tll_at, 6);
  return std::nullopt;
}

}  // namespace

std::optional<Place> find_place(FieldId id, View frame, const Layers& l) {
  if (!l.is_ethernet) return std::nullopt;
  std::optional<Place> place = find_l2(id, l);
  if (!place) place = find_mpls(id, l);
  if (!place && l.network == Network::kArp) place = find_arp(id, l.network_at);
  if (!place && l.network == Network::kIpv4) place = find_ipv4(id, l);
  if (!place && l.network == Network::kIpv6) place = find_ipv6(id, l);
  if (!place) place = find_ports(id, l);
  if (!place) place = find_neighbour(id, frame, l);
  return place;
}

}  // namespace hoist::reference

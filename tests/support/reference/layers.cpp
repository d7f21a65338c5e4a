// SPDX-License-Identifier: BSD-3-Clause
#include "support/reference/layers.hpp"

#include <algorithm>

#include "support/reference/ipv6_layers.hpp"

namespace hoist::reference {
namespace {

bool is_vlan(std::uint16_t type) { return type == 0x8100 || type == 0x88a8; }

bool fits(View frame, std::size_t at, std::size_t size) {
  return at <= frame.size() && size <= frame.size() - at;
}

/// Tags, then the EtherType, then LLC and SNAP (IEEE 802; RFC 1042).
void find_ethernet(View frame, Layers& l) {
  l.is_ethernet = true;
  l.ethertype_at = 12;
  while (l.vlan_at.size() < 2 && is_vlan(get16(frame, l.ethertype_at)) &&
         fits(frame, l.ethertype_at, 6)) {
    l.vlan_at.push_back(l.ethertype_at);
    l.ethertype_at += 4;
  }
  l.payload_at = l.ethertype_at + 2;
  l.eth_type = get16(frame, l.ethertype_at);
  if (l.eth_type >= 0x0600) return;
  l.is_length = true;
  l.eth_type = 0x05ff;
  if (!fits(frame, l.payload_at, 8)) return;
  constexpr std::uint8_t kSnap[] = {0xaa, 0xaa, 0x03, 0, 0, 0};
  const bool is_snap = std::equal(std::begin(kSnap), std::end(kSnap),
                                  frame.begin() + static_cast<std::ptrdiff_t>(l.payload_at));
  if (!is_snap) return;
  l.ethertype_at = l.payload_at + 6;
  l.payload_at += 8;
  const std::uint16_t type = get16(frame, l.ethertype_at);
  if (type >= 0x0600) l.eth_type = type;
}

/// RFC 826: only Ethernet addresses and IPv4 addresses are looked at.
void find_arp(View frame, Layers& l) {
  const std::size_t at = l.payload_at;
  if (!fits(frame, at, 28)) return;
  if (get16(frame, at) != 1 || get16(frame, at + 2) != 0x0800) return;
  if (frame[at + 4] != 6 || frame[at + 5] != 4) return;
  l.network = Network::kArp;
  l.network_at = at;
}

/// RFC 791.
bool find_ipv4(View frame, Layers& l) {
  const std::size_t at = l.payload_at;
  if (!fits(frame, at, 20)) return false;
  const std::size_t header = 4u * (frame[at] & 0x0f);
  const std::size_t total = get16(frame, at + 2);
  if (header < 20 || total < header || !fits(frame, at, total)) return false;
  l.network = Network::kIpv4;
  l.network_at = at;
  l.network_end = at + total;
  l.proto_at = at + 9;
  l.ip_proto = frame[l.proto_at];
  const std::uint16_t fragment = get16(frame, at + 6);
  if ((fragment & 0x3fff) != 0) l.ip_frag = kFragAny;
  if ((fragment & 0x1fff) != 0) l.ip_frag |= kFragLater;
  l.transport_at = at + header;
  return (l.ip_frag & kFragLater) == 0;
}

bool is_sound_tcp(View frame, const Layers& l) {
  const std::size_t header = 4u * (frame[l.transport_at + 12] >> 4);
  return header >= 20 && l.transport_at + header <= l.network_end;
}

/// RFC 793, 768, 4960, 792, 4443: present if its fixed header is whole.
void find_transport(View frame, Layers& l) {
  struct Kind {
    Network network;
    std::uint8_t proto;
    Transport transport;
    std::size_t header_size;
  };
  constexpr Kind kKinds[] = {
      {Network::kNone, 6, Transport::kTcp, 20},    {Network::kNone, 17, Transport::kUdp, 8},
      {Network::kNone, 132, Transport::kSctp, 12}, {Network::kIpv4, 1, Transport::kIcmpv4, 8},
      {Network::kIpv6, 58, Transport::kIcmpv6, 8},
  };
  for (const Kind& kind : kKinds) {
    const bool is_it =
        kind.proto == l.ip_proto && (kind.network == Network::kNone || kind.network == l.network);
    if (!is_it || l.transport_at + kind.header_size > l.network_end) continue;
    if (kind.proto == 6 && !is_sound_tcp(frame, l)) continue;
    l.transport = kind.transport;
    if (kind.transport == Transport::kIcmpv6) find_neighbour(frame, l);
  }
}

}  // namespace

Layers find_layers(View frame) {
  Layers l;
  if (frame.size() < 14) return l;
  find_ethernet(frame, l);
  switch (l.eth_type) {
    case 0x8847:
    case 0x8848:
      if (fits(frame, l.payload_at, 4)) l.mpls_at = l.payload_at;
      break;
    case 0x0806:
    case 0x8035:
      find_arp(frame, l);
      break;
    case 0x0800:
      l.is_transport_reached = find_ipv4(frame, l);
      break;
    case 0x86dd:
      l.is_transport_reached = find_ipv6(frame, l);
      break;
    default:
      break;
  }
  if (l.is_transport_reached) find_transport(frame, l);
  return l;
}

std::uint16_t get16(View bytes, std::size_t at) {
  return static_cast<std::uint16_t>(bytes[at] << 8 | bytes[at + 1]);
}
std::uint32_t get32(View bytes, std::size_t at) {
  return std::uint32_t{get16(bytes, at)} << 16 | get16(bytes, at + 2);
}
void put16(Bytes& bytes, std::size_t at, std::uint16_t value) {
  bytes[at] = static_cast<std::uint8_t>(value >> 8);
  bytes[at + 1] = static_cast<std::uint8_t>(value);
}
void put32(Bytes& bytes, std::size_t at, std::uint32_t value) {
  put16(bytes, at, static_cast<std::uint16_t>(value >> 16));
  put16(bytes, at + 2, static_cast<std::uint16_t>(value));
}

}  // namespace hoist::reference

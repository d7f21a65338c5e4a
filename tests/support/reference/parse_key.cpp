// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "support/reference/layers.hpp"

namespace hoist::reference {
namespace {

template <class Array>
void copy_out(View frame, std::size_t at, Array& out) {
  std::copy_n(frame.begin() + static_cast<std::ptrdiff_t>(at), out.size(), out.begin());
}

Be16 tag(View frame, std::size_t tpid_at) {
  return Be16{static_cast<std::uint16_t>(get16(frame, tpid_at + 2) | kVlanPresent)};
}

void read_arp(View frame, const Layers& l, FlowKey& key) {
  const std::size_t at = l.network_at;
  // One byte of it, as ovs-fields(7) says; a greater one is shown as 0.
  if (frame[at + 6] == 0) key.arp_op = Be16{get16(frame, at + 6)};
  copy_out(frame, at + 8, key.l2_sha);
  key.nw_src = Be32{get32(frame, at + 14)};
  copy_out(frame, at + 18, key.l2_tha);
  key.nw_dst = Be32{get32(frame, at + 24)};
}

void read_ip(View frame, const Layers& l, FlowKey& key) {
  const std::size_t at = l.network_at;
  key.ip_proto = l.ip_proto;
  key.ip_frag = l.ip_frag;
  if (l.network == Network::kIpv4) {
    key.ip_tos = frame[at + 1];
    key.ip_ttl = frame[at + 8];
    key.nw_src = Be32{get32(frame, at + 12)};
    key.nw_dst = Be32{get32(frame, at + 16)};
    return;
  }
  key.ip_tos = static_cast<std::uint8_t>(get32(frame, at) >> 20);
  key.ip_ttl = frame[at + 7];
  key.ipv6_label = Be32{get32(frame, at) & 0xfffff};
  key.ipv6_exthdr = Be16{l.ipv6_exthdr};
}

void read_transport(View frame, const Layers& l, FlowKey& key) {
  const std::size_t at = l.transport_at;
  if (l.transport == Transport::kIcmpv4 || l.transport == Transport::kIcmpv6) {
    key.tp_src = Be16{frame[at]};
    key.tp_dst = Be16{frame[at + 1]};
  } else {
    key.tp_src = Be16{get16(frame, at)};
    key.tp_dst = Be16{get16(frame, at + 2)};
  }
  if (l.transport == Transport::kTcp) {
    key.tcp_flags = Be16{static_cast<std::uint16_t>(get16(frame, at + 12) & 0x0fff)};
  }
  if (l.nd_target_at) copy_out(frame, *l.nd_target_at, key.nd_target);
  if (l.nd_sll_at) copy_out(frame, *l.nd_sll_at, key.l2_sha);
  if (l.nd_tll_at) copy_out(frame, *l.nd_tll_at, key.l2_tha);
}

}  // namespace

FlowKey parse_key(View frame) {
  const Layers l = find_layers(frame);
  FlowKey key{};
  if (!l.is_ethernet) return key;
  copy_out(frame, 0, key.eth_dst);
  copy_out(frame, 6, key.eth_src);
  key.eth_type = Be16{l.eth_type};
  if (!l.vlan_at.empty()) key.vlan_tci = tag(frame, l.vlan_at[0]);
  if (l.vlan_at.size() > 1) key.inner_vlan_tci = tag(frame, l.vlan_at[1]);
  if (l.mpls_at) key.mpls_lse = Be32{get32(frame, *l.mpls_at)};
  if (l.ipv6_addresses_at) {
    copy_out(frame, *l.ipv6_addresses_at, key.ipv6_src);
    copy_out(frame, *l.ipv6_addresses_at + 16, key.ipv6_dst);
  }
  if (l.network == Network::kArp) read_arp(frame, l, key);
  if (l.network == Network::kIpv4 || l.network == Network::kIpv6) read_ip(frame, l, key);
  if (l.transport != Transport::kNone) read_transport(frame, l, key);
  return key;
}

}  // namespace hoist::reference

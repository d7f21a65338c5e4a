// SPDX-License-Identifier: BSD-3-Clause
#include "packet/parse.hpp"

#include <rte_mbuf.h>

#include <algorithm>

#include "packet/ipv6_extension.hpp"
#include "packet/neighbour.hpp"
#include "packet/wire.hpp"

namespace hoist::software {
namespace {

using namespace wire;

constexpr std::size_t kPacketBytes = kPacketWords * 8;
static_assert(offsetof(FlowKey, eth_src) == offsetof(FlowKey, eth_dst) + 6);
static_assert(offsetof(FlowKey, nw_dst) == offsetof(FlowKey, nw_src) + 4);
static_assert(offsetof(FlowKey, ipv6_dst) == offsetof(FlowKey, ipv6_src) + 16);
static_assert(offsetof(FlowKey, tp_dst) == offsetof(FlowKey, tp_src) + 2);

template <class Member>
void copy_from(Member& to, const std::uint8_t* from) noexcept {
  std::memcpy(static_cast<void*>(&to), from, sizeof to);
}
// Two neighbours of the key that are neighbours in the header too.
template <class Member>
void copy_pair_from(Member& first, FlowKey& key, const std::uint8_t* from) noexcept {
  auto* base = reinterpret_cast<std::uint8_t*>(&key);
  const auto offset = reinterpret_cast<std::uint8_t*>(&first) - base;
  std::memcpy(base + offset, from, 2 * sizeof first);
}

/// What is left of a frame from some header on.
struct Rest {
  const std::uint8_t* at;
  std::size_t readable;  ///< Bytes that may be read; at most `size`.
  std::size_t size;      ///< Bytes that belong to it.

  [[nodiscard]] Rest after(std::size_t bytes) const noexcept {
    return {at + bytes, readable - bytes, size - bytes};
  }
  [[nodiscard]] Rest cut_to(std::size_t bytes) const noexcept {
    return {at, std::min(readable, bytes), bytes};
  }
};

[[gnu::noinline]] void parse_icmpv6(Rest icmp, FlowKey& key) noexcept {
  key.tp_src = Be16{icmp.at[0]};
  key.tp_dst = Be16{icmp.at[1]};
  const NeighbourOffsets found = find_neighbour(icmp.at, icmp.readable);
  if (found.target != 0) copy_from(key.nd_target, icmp.at + found.target);
  if (found.source_link != 0) copy_from(key.l2_sha, icmp.at + found.source_link);
  if (found.target_link != 0) copy_from(key.l2_tha, icmp.at + found.target_link);
}

[[gnu::always_inline]] inline void parse_l4(Rest l4, Layers& layers, FlowKey& key) noexcept {
  std::size_t needed = 0;
  switch (layers.ip_proto) {
    case kIpTcp:
      needed = 20;
      if (l4.readable >= needed) {
        const std::size_t header_size = (l4.at[12] >> 4) * std::size_t{4};
        if (header_size < 20 || header_size > l4.size) break;
        copy_pair_from(key.tp_src, key, l4.at);
        key.tcp_flags = Be16{static_cast<std::uint16_t>(load16(l4.at + 12) & 0x0fff)};
        layers.flags |= Layers::kHasL4;
        return;
      }
      break;
    case kIpUdp:
    case kIpSctp:
      needed = layers.ip_proto == kIpUdp ? 8 : 12;
      if (l4.readable >= needed) {
        copy_pair_from(key.tp_src, key, l4.at);
        layers.flags |= Layers::kHasL4;
        return;
      }
      break;
    case kIpIcmp:
    case kIpIcmpv6:
      if ((layers.eth_type == kEthIpv4) != (layers.ip_proto == kIpIcmp)) return;
      if (l4.readable >= 8) {
        layers.flags |= Layers::kHasL4;
        if (layers.ip_proto == kIpIcmpv6) return parse_icmpv6(l4, key);
        key.tp_src = Be16{l4.at[0]};
        key.tp_dst = Be16{l4.at[1]};
        return;
      }
      break;
    default:
      return;
  }
  layers.flags |= Layers::kBadL4;
}

// RFC 791, 3.1.
[[gnu::always_inline]] inline void parse_ipv4(Rest ip, Layers& layers, FlowKey& key) noexcept {
  layers.flags |= Layers::kBadL3;
  if (ip.readable < 20) return;
  const std::size_t header_size = (ip.at[0] & 0x0f) * std::size_t{4};
  const std::size_t total_size = load16(ip.at + 2);
  if (header_size < 20 || header_size > ip.readable || total_size > ip.size ||
      header_size > total_size) {
    return;
  }
  layers.flags = static_cast<std::uint8_t>(layers.flags & ~Layers::kBadL3);
  layers.l3_offset = layers.l2_end;
  copy_pair_from(key.nw_src, key, ip.at + 12);
  key.ip_tos = ip.at[1];
  key.ip_ttl = ip.at[8];
  key.ip_proto = layers.ip_proto = ip.at[9];
  const unsigned fragment = load16(ip.at + 6) & 0x3fff;  // More-fragments and the offset.
  if (fragment != 0) [[unlikely]] {
    layers.flags |= Layers::kFragment;
    const bool is_later = (fragment & 0x1fff) != 0;
    key.ip_frag = is_later ? kFragAny | kFragLater : kFragAny;
    if (is_later) return;
  }
  layers.l4_offset = static_cast<std::uint16_t>(layers.l2_end + header_size);
  layers.l4_size = static_cast<std::uint16_t>(total_size - header_size);
  parse_l4(ip.cut_to(total_size).after(header_size), layers, key);
}

// RFC 8200, 3 and 4.
[[gnu::always_inline]] inline void parse_ipv6(Rest ip, Layers& layers, FlowKey& key) noexcept {
  layers.flags |= Layers::kBadL3;
  if (ip.readable < 40) return;
  const std::size_t payload_size = load16(ip.at + 4);
  if (payload_size + 40 > ip.size) return;
  copy_pair_from(key.ipv6_src, key, ip.at + 8);
  const Rest payload = ip.cut_to(payload_size + 40).after(40);
  Ipv6Extensions chain{.ip_proto = ip.at[6], .is_sound = true};
  if (has_ipv6_extensions(chain.ip_proto)) [[unlikely]] {
    chain = walk_ipv6_extensions(chain.ip_proto, payload.at, payload.readable);
    if (!chain.is_sound) return;
  }

  layers.flags = static_cast<std::uint8_t>(layers.flags & ~Layers::kBadL3);
  layers.l3_offset = layers.l2_end;
  const std::uint32_t first_word = load32(ip.at);
  key.ip_tos = static_cast<std::uint8_t>(first_word >> 20);
  key.ipv6_label = Be32{first_word & 0xfffff};
  key.ip_ttl = ip.at[7];
  key.ip_proto = layers.ip_proto = chain.ip_proto;
  key.ip_frag = chain.ip_frag;
  key.ipv6_exthdr = Be16{chain.exthdr};
  if (chain.ip_frag != 0) layers.flags |= Layers::kFragment;
  if (chain.is_route_pending) layers.flags |= Layers::kRoutePending;
  if ((chain.ip_frag & kFragLater) != 0) return;
  layers.l4_offset = static_cast<std::uint16_t>(layers.l2_end + 40u + chain.size);
  layers.l4_size = static_cast<std::uint16_t>(payload_size - chain.size);
  parse_l4(payload.after(chain.size), layers, key);
}

// RFC 826 over Ethernet: hardware 1, protocol 0x0800, lengths 6 and 4.
[[gnu::noinline]] void parse_arp(Rest arp, Layers& layers, FlowKey& key) noexcept {
  constexpr std::uint8_t kIpv4OverEthernet[] = {0x00, 0x01, 0x08, 0x00, 6, 4};
  if (arp.readable < 28 || std::memcmp(arp.at, kIpv4OverEthernet, sizeof kIpv4OverEthernet) != 0) {
    layers.flags |= Layers::kBadL3;
    return;
  }
  layers.l3_offset = layers.l2_end;
  const std::uint16_t op = load16(arp.at + 6);
  if (op <= 0xff) key.arp_op = Be16{op};
  copy_from(key.l2_sha, arp.at + 8);
  copy_from(key.nw_src, arp.at + 14);
  copy_from(key.l2_tha, arp.at + 18);
  copy_from(key.nw_dst, arp.at + 24);
}

// RFC 3032, 2.1.
[[gnu::noinline]] void parse_mpls(Rest mpls, Layers& layers, FlowKey& key) noexcept {
  if (mpls.readable < 4) {
    layers.flags |= Layers::kBadL3;
    return;
  }
  copy_from(key.mpls_lse, mpls.at);
  bool is_bottom = false;
  for (; mpls.readable >= 4 && layers.mpls_count < 255 && !is_bottom; mpls = mpls.after(4)) {
    is_bottom = (mpls.at[2] & 1) != 0;
    ++layers.mpls_count;
  }
}

// IEEE 802.2 and RFC 1042. Returns the Ethernet type that SNAP gives, if it does.
[[gnu::noinline]] std::uint16_t parse_llc(Rest llc, Layers& layers) noexcept {
  constexpr std::uint8_t kSnapEthernet[] = {0xaa, 0xaa, 0x03, 0, 0, 0};
  layers.flags |= Layers::kIsLength;
  if (llc.readable < 8 || std::memcmp(llc.at, kSnapEthernet, sizeof kSnapEthernet) != 0) {
    return kEthTypeNone;
  }
  layers.l2_end = static_cast<std::uint16_t>(layers.l2_end + 8);
  const std::uint16_t type = load16(llc.at + 6);
  return type >= kEthTypeMin ? type : kEthTypeNone;
}

// Leaves l2_end past the last Ethernet type.
[[gnu::always_inline]] inline std::uint16_t parse_tags(Rest frame, Layers& layers,
                                                       FlowKey& key) noexcept {
  std::size_t at = 12;
  std::uint16_t type = load16(frame.at + at);
  while (is_vlan(type) && layers.vlan_count < 2 && frame.readable - at >= 6) {
    const auto tci = static_cast<std::uint16_t>(load16(frame.at + at + 2) | kVlanPresent);
    (layers.vlan_count++ == 0 ? key.vlan_tci : key.inner_vlan_tci) = Be16{tci};
    at += 4;
    type = load16(frame.at + at);
  }
  layers.l2_end = static_cast<std::uint16_t>(at + 2);
  return type;
}

}  // namespace

Layers parse(const std::uint8_t* bytes, std::size_t readable, std::size_t length, PortNo in_port,
             FlowKey& key) noexcept {
  std::memset(static_cast<void*>(&key), 0, kPacketBytes);
  key.in_port = Be32{to_integer(in_port)};
  Layers layers;
  const Rest frame{bytes, readable, length};
  if (readable < 14) [[unlikely]] {
    layers.flags = Layers::kRunt;
    return layers;
  }
  copy_pair_from(key.eth_dst, key, bytes);
  std::uint16_t type = parse_tags(frame, layers, key);
  if (type < kEthTypeMin) [[unlikely]]
    type = parse_llc(frame.after(layers.l2_end), layers);
  key.eth_type = Be16{type};
  layers.eth_type = type;

  const Rest rest = frame.after(layers.l2_end);
  if (type == kEthIpv4) {
    parse_ipv4(rest, layers, key);
  } else if (type == kEthIpv6) {
    parse_ipv6(rest, layers, key);
  } else if (is_arp(type)) {
    parse_arp(rest, layers, key);
  } else if (is_mpls(type)) {
    parse_mpls(rest, layers, key);
  }
  return layers;
}

Layers parse(const std::uint8_t* frame, std::size_t length, PortNo in_port, FlowKey& key) noexcept {
  return parse(frame, length, length, in_port, key);
}

Layers parse(const rte_mbuf& packet, PortNo in_port, FlowKey& key) noexcept {
  return parse(rte_pktmbuf_mtod(&packet, const std::uint8_t*), packet.data_len, packet.pkt_len,
               in_port, key);
}

}  // namespace hoist::software

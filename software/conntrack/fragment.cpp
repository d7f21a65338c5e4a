// SPDX-License-Identifier: BSD-3-Clause
#include "conntrack/fragment.hpp"

#include <rte_ip.h>
#include <rte_mbuf.h>

#include <algorithm>

#include "packet/wire.hpp"

namespace hoist::software {
namespace {

constexpr std::size_t kIpv6Header = 40, kFragmentHeader = 8;

/// Sets the part of a fragment that follows from where its payload lies. False: that cannot be.
bool place(Fragment& fragment, std::size_t headers_size, std::size_t total_size,
           std::uint32_t payload_offset) noexcept {
  if (total_size <= headers_size) return false;
  const std::size_t payload_size = total_size - headers_size;
  if (payload_offset + payload_size > 65535) return false;
  fragment.headers_end = static_cast<std::uint16_t>(fragment.l3_offset + headers_size);
  fragment.payload_offset = static_cast<std::uint16_t>(payload_offset);
  fragment.payload_size = static_cast<std::uint16_t>(payload_size);
  return true;
}

bool is_checksum_right(const rte_mbuf& packet, const std::uint8_t* ip, std::size_t size) noexcept {
  const std::uint64_t flags = packet.ol_flags & RTE_MBUF_F_RX_IP_CKSUM_MASK;
  if (flags == RTE_MBUF_F_RX_IP_CKSUM_GOOD) return true;
  if (flags == RTE_MBUF_F_RX_IP_CKSUM_BAD) return false;
  return rte_raw_cksum(ip, size) == 0xffff;
}

// RFC 791, 3.1.
bool read_ipv4(const rte_mbuf& packet, const std::uint8_t* ip, Fragment& fragment) noexcept {
  const std::size_t header_size = (ip[0] & 15) * std::size_t{4};
  if (!is_checksum_right(packet, ip, header_size)) return false;
  const std::uint16_t word = wire::load16(ip + 6);
  FragmentKey& key = fragment.key;
  std::copy_n(ip + 12, 4, key.src.begin());
  std::copy_n(ip + 16, 4, key.dst.begin());
  key.id = wire::load16(ip + 4);
  key.family = 4;
  key.ip_proto = ip[9];
  fragment.is_last = (word & 0x2000) == 0;
  return place(fragment, header_size, wire::load16(ip + 2), (word & 0x1fffu) * 8u);
}

/// Where the fragment header stands, from the IPv6 header on. 0: there is none, or an atomic one
/// (RFC 6946).
std::size_t find_fragment_header(const std::uint8_t* ip, std::size_t readable) noexcept {
  std::uint8_t type = ip[6];
  for (std::size_t at = kIpv6Header; wire::is_extension(type) && at + 8 <= readable;) {
    const std::uint8_t* header = ip + at;
    if (type == wire::kIpFragment && wire::load16(header + 2) != 0) return at;
    at += wire::extension_size(type, header);
    type = header[0];
  }
  return 0;
}

// RFC 8200, 4.5.
bool read_ipv6(const rte_mbuf& packet, const std::uint8_t* ip, Fragment& fragment) noexcept {
  const std::size_t total_size = kIpv6Header + wire::load16(ip + 4);
  const std::size_t readable =
      std::min<std::size_t>(total_size, packet.data_len - std::size_t{fragment.l3_offset});
  const std::size_t at = find_fragment_header(ip, readable);
  if (at == 0) return false;
  const std::uint16_t word = wire::load16(ip + at + 2);
  FragmentKey& key = fragment.key;
  std::copy_n(ip + 8, 16, key.src.begin());
  std::copy_n(ip + 24, 16, key.dst.begin());
  key.id = wire::load32(ip + at + 4);
  key.family = 6;
  fragment.is_last = (word & 1) == 0;
  return place(fragment, at + kFragmentHeader, total_size, word & 0xfff8u);
}

}  // namespace

std::optional<Fragment> read_fragment(const rte_mbuf& packet, const Layers& layers) noexcept {
  // Of a first fragment with half a layer 4 the whole packet tells whether it is sound.
  const bool is_readable = layers.is_ip() && layers.has(Layers::kFragment) &&
                           !layers.has(Layers::kBadL3) && layers.l3_offset < packet.data_len;
  if (!is_readable) return std::nullopt;
  Fragment fragment{};
  fragment.l3_offset = layers.l3_offset;
  const auto* ip = rte_pktmbuf_mtod_offset(&packet, const std::uint8_t*, layers.l3_offset);
  const bool is_ipv4 = layers.eth_type == wire::kEthIpv4;
  const bool is_read = is_ipv4 ? read_ipv4(packet, ip, fragment) : read_ipv6(packet, ip, fragment);
  if (!is_read) return std::nullopt;
  return fragment;
}

}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
#include "conntrack/rewrite_payload.hpp"

#include <rte_ip.h>
#include <rte_mbuf.h>

#include <algorithm>
#include <cstring>

#include "packet/checksum.hpp"

namespace hoist::software {
namespace {

void grow_ip(std::uint8_t* ip, std::uint16_t eth_type, int bytes) noexcept {
  const bool is_ipv4 = eth_type == wire::kEthIpv4;
  std::uint8_t* length = ip + (is_ipv4 ? 2 : 4);
  const std::uint16_t before = wire::load16(length);
  const auto after = static_cast<std::uint16_t>(before + bytes);
  wire::store16(length, after);
  if (!is_ipv4) return;
  ChecksumDelta delta;
  delta.replace(before, after);
  delta.apply(ip + 10);
}

void write_tcp_checksum(std::uint8_t* ip, const Layers& layers, std::uint8_t* tcp) noexcept {
  wire::store16(tcp + 16, 0);
  const bool is_ipv4 = layers.eth_type == wire::kEthIpv4;
  std::uint32_t sum = is_ipv4 ? rte_raw_cksum(ip + 12, 8) : rte_raw_cksum(ip + 8, 32);
  sum += Be16{wire::kIpTcp}.wire();
  sum += Be16{layers.l4_size}.wire();
  sum += rte_raw_cksum(tcp, layers.l4_size);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  const auto checksum = static_cast<std::uint16_t>(~sum);
  std::memcpy(tcp + 16, &checksum, sizeof checksum);
}

void replace(std::uint8_t* at, std::uint32_t value, bool is_odd, ChecksumDelta& delta) noexcept {
  std::uint8_t bytes[4];
  wire::store32(bytes, value);
  delta.replace(at, bytes, sizeof bytes, is_odd);
  std::memcpy(at, bytes, sizeof bytes);
}

/// Kind 5: pairs of edges.
void shift_selective(std::uint8_t* tcp, std::size_t header_size, std::uint32_t by,
                     ChecksumDelta& delta) noexcept {
  for (std::size_t at = 20; at + 1 < header_size && tcp[at] != 0;) {
    const std::size_t size = tcp[at] == 1 ? 1 : std::max<std::size_t>(tcp[at + 1], 2);
    if (at + size > header_size) return;
    for (std::size_t edge = at + 2; tcp[at] == 5 && edge + 4 <= at + size; edge += 4) {
      replace(tcp + edge, wire::load32(tcp + edge) - by, edge % 2 != 0, delta);
    }
    at += size;
  }
}

}  // namespace

bool rewrite_payload(rte_mbuf& packet, Layers& layers, const FrameRange& range,
                     std::string_view text) noexcept {
  const std::size_t end = std::size_t{layers.l4_offset} + layers.l4_size;
  if (packet.nb_segs != 1 || end > packet.data_len) return false;
  const int bytes = static_cast<int>(text.size()) - static_cast<int>(range.size);
  const auto padding = static_cast<int>(packet.data_len - end);
  if (bytes > padding + rte_pktmbuf_tailroom(&packet)) return false;
  packet.data_len = static_cast<std::uint16_t>(static_cast<int>(end) + bytes);
  packet.pkt_len = packet.data_len;
  auto* frame = rte_pktmbuf_mtod(&packet, std::uint8_t*);
  std::uint8_t* at = frame + range.offset;
  std::memmove(at + text.size(), at + range.size, end - range.offset - range.size);
  std::ranges::copy(text, at);
  grow_ip(frame + layers.l3_offset, layers.eth_type, bytes);
  layers.l4_size = static_cast<std::uint16_t>(layers.l4_size + bytes);
  write_tcp_checksum(frame + layers.l3_offset, layers, frame + layers.l4_offset);
  return true;
}

void shift_sequence(rte_mbuf& packet, const Layers& layers, std::uint32_t sent,
                    std::uint32_t acknowledged) noexcept {
  auto* tcp = rte_pktmbuf_mtod_offset(&packet, std::uint8_t*, layers.l4_offset);
  const bool acknowledges = (tcp[13] & 0x10) != 0;
  ChecksumDelta delta;
  replace(tcp + 4, wire::load32(tcp + 4) + sent, false, delta);
  if (acknowledges && acknowledged != 0) {
    replace(tcp + 8, wire::load32(tcp + 8) - acknowledged, false, delta);
    shift_selective(tcp, (tcp[12] >> 4) * std::size_t{4}, acknowledged, delta);
  }
  delta.apply(tcp + 16);
}

}  // namespace hoist::software

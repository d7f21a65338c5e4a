// SPDX-License-Identifier: BSD-3-Clause
#include "conntrack/whole_packet.hpp"

#include <rte_mbuf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "packet/checksum.hpp"
#include "packet/wire.hpp"

namespace hoist::software {
namespace {

constexpr std::size_t kIpv6Header = 40;

void read(const rte_mbuf& packet, std::size_t offset, std::uint8_t* to, std::size_t size) noexcept {
  const auto from = static_cast<std::uint32_t>(offset);
  const void* at = rte_pktmbuf_read(&packet, from, static_cast<std::uint32_t>(size), to);
  if (at != nullptr && at != to) std::memcpy(to, at, size);
}

void write(rte_mbuf& packet, std::size_t offset, const std::uint8_t* from,
           std::size_t size) noexcept {
  for (rte_mbuf* m = &packet; m != nullptr && size != 0; m = m->next) {
    if (offset >= m->data_len) {
      offset -= m->data_len;
      continue;
    }
    const std::size_t here = std::min<std::size_t>(size, m->data_len - offset);
    std::memcpy(rte_pktmbuf_mtod_offset(m, std::uint8_t*, offset), from, here);
    from += here;
    size -= here;
    offset = 0;
  }
}

/// Bytes of the addresses in an IP header, and where they begin.
struct Addresses {
  std::size_t offset, size;
};
Addresses addresses_of(std::uint8_t family) noexcept {
  return family == 4 ? Addresses{12, 8} : Addresses{8, 32};
}

/// Takes the fragment header out of an IPv6 packet's headers: `size` bytes, it being the last.
/// Returns what is left.
std::size_t drop_fragment_header(std::uint8_t* ip, std::size_t size) noexcept {
  constexpr std::size_t kFragmentHeader = 8;
  const std::size_t end = size - kFragmentHeader;
  std::uint8_t* next = ip + 6;
  for (std::size_t at = kIpv6Header; at < end;) {
    const std::uint8_t type = *next;
    next = ip + at;
    at += wire::extension_size(type, ip + at);
  }
  *next = ip[end];
  return end;
}

}  // namespace

WholePacket::WholePacket()
    : frame_(std::make_unique<std::uint8_t[]>(kEthernet + kSizeMost)),
      packet_(std::make_unique<rte_mbuf>()) {
  packet_->buf_len = kSizeMost;
  packet_->nb_segs = 1;
  packet_->ol_flags = RTE_MBUF_F_RX_IP_CKSUM_GOOD;
  rte_mbuf_refcnt_set(packet_.get(), 1);
}

WholePacket::~WholePacket() = default;

std::size_t WholePacket::copy_headers(const HeldFragment& first) noexcept {
  const std::size_t size = first.headers_end - std::size_t{first.l3_offset};
  read(*first.packet, first.l3_offset, ip(), size);
  family_ = ip()[0] >> 4;
  if (family_ == 6) return drop_fragment_header(ip(), size);
  wire::store16(ip() + 6, 0);
  return size;
}

bool WholePacket::assemble(std::span<const HeldFragment> parts) noexcept {
  headers_size_ = copy_headers(parts.front());
  const HeldFragment& last = parts.back();
  const std::size_t size = headers_size_ + last.payload_offset + last.payload_size;
  if (size > kSizeMost) return false;
  for (const HeldFragment& part : parts) {
    read(*part.packet, part.headers_end, ip() + headers_size_ + part.payload_offset,
         part.payload_size);
  }
  const bool is_ipv4 = family_ == 4;
  wire::store16(ip() + (is_ipv4 ? 2 : 4),
                static_cast<std::uint16_t>(is_ipv4 ? size : size - kIpv6Header));
  wire::store16(ip() - 2, is_ipv4 ? wire::kEthIpv4 : wire::kEthIpv6);
  FlowKey key;
  layers_ = parse(frame_.get(), kEthernet + size, PortNo{}, key);
  layers_.l2_end = 0;
  for (std::uint16_t* offset : {&layers_.l3_offset, &layers_.l4_offset}) {
    if (*offset != Layers::kNone) *offset = static_cast<std::uint16_t>(*offset - kEthernet);
  }
  packet_->buf_addr = ip();
  packet_->data_off = 0;
  packet_->data_len = static_cast<std::uint16_t>(size);
  packet_->pkt_len = static_cast<std::uint32_t>(size);
  return true;
}

bool WholePacket::resize(HeldFragment& part, int bytes) noexcept {
  rte_mbuf* m = part.packet;
  const std::uint32_t end = std::uint32_t{part.headers_end} + part.payload_size;
  const int payload_size = part.payload_size + bytes;
  if (payload_size <= 0 || rte_pktmbuf_trim(m, static_cast<std::uint16_t>(m->pkt_len - end)) != 0) {
    return false;
  }
  const auto change = static_cast<std::uint16_t>(std::abs(bytes));
  const bool is_done =
      bytes < 0 ? rte_pktmbuf_trim(m, change) == 0 : rte_pktmbuf_append(m, change) != nullptr;
  if (!is_done) return false;
  part.payload_size = static_cast<std::uint16_t>(payload_size);
  auto* ip_of_part = rte_pktmbuf_mtod_offset(m, std::uint8_t*, part.l3_offset);
  const std::size_t field = family_ == 4 ? 2 : 4;
  const std::uint16_t before = wire::load16(ip_of_part + field);
  wire::store16(ip_of_part + field, static_cast<std::uint16_t>(before + bytes));
  if (family_ == 6) return true;
  ChecksumDelta delta;
  delta.replace(before, wire::load16(ip_of_part + field));
  delta.apply(ip_of_part + 10);
  return true;
}

void WholePacket::write_back(const HeldFragment& part) const noexcept {
  auto* ip_of_part = rte_pktmbuf_mtod_offset(part.packet, std::uint8_t*, part.l3_offset);
  const Addresses addresses = addresses_of(family_);
  if (family_ == 4) {
    ChecksumDelta delta;
    delta.replace(ip_of_part + addresses.offset, ip() + addresses.offset, addresses.size, false);
    delta.apply(ip_of_part + 10);
  }
  std::memcpy(ip_of_part + addresses.offset, ip() + addresses.offset, addresses.size);
  write(*part.packet, part.headers_end, ip() + headers_size_ + part.payload_offset,
        part.payload_size);
}

}  // namespace hoist::software

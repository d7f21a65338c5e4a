// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <span>

#include "edit.hpp"

namespace emulated_nic {
namespace {

constexpr std::size_t kVlanSize = 4;

std::uint16_t load16(const std::uint8_t* at) {
  return static_cast<std::uint16_t>(at[0] << 8 | at[1]);
}
void store16(std::uint8_t* at, std::uint16_t value) {
  at[0] = static_cast<std::uint8_t>(value >> 8);
  at[1] = static_cast<std::uint8_t>(value);
}

std::uint32_t sum_words(const std::uint8_t* from, const std::uint8_t* to) {
  std::uint32_t sum = 0;
  for (; from < to; from += 2) sum += load16(from);
  return sum;
}

/// RFC 1624, equation 3: the checksum at `at` after words that summed up to `before` became
/// `after`.
void patch_checksum(std::uint8_t* at, std::uint32_t before, std::uint32_t after) {
  std::uint32_t sum = static_cast<std::uint16_t>(~load16(at));
  for (before = (before & 0xffff) + (before >> 16); before > 0xffff;) {
    before = (before & 0xffff) + (before >> 16);
  }
  sum += static_cast<std::uint16_t>(~before) + after;
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  store16(at, static_cast<std::uint16_t>(~sum));
}

/// Where the checksum of the L4 header is; null: none that an edit must keep right.
std::uint8_t* l4_checksum(const Flight& flight, bool is_ip_part) {
  if (flight.layers.l4 == 0) return nullptr;
  std::uint8_t* l4 = flight.data() + flight.layers.l4;
  const std::uint32_t presence = flight.layers.presence;
  if ((presence & kTcp) != 0) return l4 + 16;
  if ((presence & kUdp) != 0) return load16(l4 + 6) == 0 ? nullptr : l4 + 6;
  if ((presence & kIcmp6) != 0 && is_ip_part) return l4 + 2;
  return nullptr;
}

}  // namespace

// Headers begin at even offsets, so that 16-bit words of the frame are words of the checksums.
void write_bytes(Flight& flight, std::size_t offset, std::span<const std::uint8_t> bytes,
                 Covered covered) {
  std::uint8_t* data = flight.data();
  std::uint8_t* first = data + (offset & ~std::size_t{1});
  std::uint8_t* last = data + ((offset + bytes.size() + 1) & ~std::size_t{1});
  const std::uint32_t before = sum_words(first, last);
  std::copy(bytes.begin(), bytes.end(), data + offset);
  const std::uint32_t after = sum_words(first, last);
  const bool is_ipv4 = (flight.layers.presence & kIpv4) != 0;
  if (is_ipv4 && (covered == Covered::kIpHeader || covered == Covered::kPseudoHeader)) {
    patch_checksum(data + flight.layers.l3 + 10, before, after);
  }
  if (covered == Covered::kIpHeader || covered == Covered::kNothing) return;
  std::uint8_t* checksum = l4_checksum(flight, covered == Covered::kPseudoHeader);
  if (checksum == nullptr) return;
  patch_checksum(checksum, before, after);
  // A UDP checksum of 0 would mean none.
  if ((flight.layers.presence & kUdp) != 0 && load16(checksum) == 0) store16(checksum, 0xffff);
}

bool make_writable(Flight& flight) {
  rte_mbuf* mbuf = flight.mbuf;
  if (RTE_MBUF_DIRECT(mbuf) && rte_mbuf_refcnt_read(mbuf) == 1) return true;
  rte_mbuf* copy = rte_pktmbuf_copy(mbuf, mbuf->pool, 0, UINT32_MAX);
  if (copy == nullptr) return false;
  rte_pktmbuf_free(mbuf);
  flight.mbuf = copy;
  return true;
}

namespace {

constexpr std::uint32_t kFrameSizeMin = 60;  // Without FCS.

/// Says whether the frame, a tag shorter than its layers say, holds all of its IP datagram.
bool holds_datagram(const Flight& flight) {
  if (flight.layers.l3 == 0) return false;
  const std::uint32_t l3 = flight.layers.l3 - std::uint32_t{kVlanSize};
  const std::uint8_t* ip = flight.data() + l3;
  if ((flight.layers.presence & kIpv4) != 0) return l3 + load16(ip + 2) <= flight.mbuf->pkt_len;
  if ((flight.layers.presence & kIpv6) != 0)
    return l3 + 40u + load16(ip + 4) <= flight.mbuf->pkt_len;
  return true;
}

/// A MAC fills frames up that lost a tag; those whose lengths are unsound stay as they are.
void fill_up(Flight& flight) {
  rte_mbuf* mbuf = flight.mbuf;
  const bool was_whole = mbuf->pkt_len + kVlanSize >= kFrameSizeMin;
  if (mbuf->pkt_len >= kFrameSizeMin || !was_whole || !holds_datagram(flight)) return;
  const auto missing = static_cast<std::uint16_t>(kFrameSizeMin - mbuf->pkt_len);
  char* end = rte_pktmbuf_append(mbuf, missing);
  if (end != nullptr) std::fill_n(end, missing, char{0});
}

void pop_vlan(Flight& flight) {
  if (flight.layers.vlan_count == 0) return;
  std::uint8_t* data = flight.data();
  std::copy_backward(data, data + 12, data + 12 + kVlanSize);
  rte_pktmbuf_adj(flight.mbuf, kVlanSize);
  fill_up(flight);
  flight.is_stale = true;
}

bool push_vlan(Flight& flight, std::uint16_t type) {
  // The new tag begins with the old one's contents, as OpenFlow has it; else with zeroes.
  const std::uint16_t tci = flight.layers.vlan_count == 0
                                ? std::uint16_t{0}
                                : static_cast<std::uint16_t>(load16(flight.data() + 14) & 0xefff);
  auto* data = reinterpret_cast<std::uint8_t*>(rte_pktmbuf_prepend(flight.mbuf, kVlanSize));
  if (data == nullptr) return false;
  std::copy(data + kVlanSize, data + kVlanSize + 12, data);
  store16(data + 12, type);
  store16(data + 14, tci);
  flight.is_stale = true;
  return true;
}

void set_tci(Flight& flight, std::uint16_t mask, std::uint16_t value) {
  if (flight.layers.vlan_count == 0) return;
  std::uint8_t* tci = flight.data() + 14;
  store16(tci, static_cast<std::uint16_t>((load16(tci) & ~mask) | value));
}

void set_ttl(Flight& flight, std::uint8_t ttl) {
  const bool is_ipv4 = (flight.layers.presence & kIpv4) != 0;
  write_bytes(flight, flight.layers.l3 + (is_ipv4 ? 8u : 7u), {&ttl, 1}, Covered::kIpHeader);
}

void decrement_ttl(Flight& flight, bool stops_at_zero) {
  const bool is_ipv4 = (flight.layers.presence & kIpv4) != 0;
  const std::uint8_t ttl = flight.data()[flight.layers.l3 + (is_ipv4 ? 8u : 7u)];
  if (ttl != 0 || !stops_at_zero) set_ttl(flight, static_cast<std::uint8_t>(ttl - 1));
}

void set_dscp(Flight& flight, std::uint8_t dscp) {
  const std::uint8_t* l3 = flight.data() + flight.layers.l3;
  if ((flight.layers.presence & kIpv4) != 0) {
    const auto tos = static_cast<std::uint8_t>(dscp << 2 | (l3[1] & 3));
    return write_bytes(flight, flight.layers.l3 + 1u, {&tos, 1}, Covered::kIpHeader);
  }
  const auto word = static_cast<std::uint16_t>((load16(l3) & 0xf03f) | (dscp & 0x3f) << 6);
  store16(flight.data() + flight.layers.l3, word);
}

bool edit_l2(const Op& op, Flight& flight) {
  std::uint8_t* data = flight.data();
  switch (op.kind) {
    case OpKind::kPopVlan:
      pop_vlan(flight);
      return true;
    case OpKind::kPushVlan:
      return push_vlan(flight, op.port);
    case OpKind::kSetVlanVid:
      set_tci(flight, 0x0fff, op.port);
      return true;
    case OpKind::kSetVlanPcp:
      set_tci(flight, 0xe000, static_cast<std::uint16_t>(op.port << 13));
      return true;
    case OpKind::kSetMacDst:
      std::copy_n(op.bytes.begin(), 6, data);
      return true;
    case OpKind::kSetMacSrc:
      std::copy_n(op.bytes.begin(), 6, data + 6);
      return true;
    case OpKind::kSwapMac:
      std::swap_ranges(data, data + 6, data + 6);
      return true;
    default:
      return false;
  }
}

/// Where an operation writes its bytes.
struct Place {
  OpKind kind;
  std::uint32_t needs;
  bool is_l4;
  std::uint8_t offset;
  std::uint8_t size;
  Covered covered;
};
constexpr Place kPlaces[] = {
    {OpKind::kSetIpv4Src, kIpv4, false, 12, 4, Covered::kPseudoHeader},
    {OpKind::kSetIpv4Dst, kIpv4, false, 16, 4, Covered::kPseudoHeader},
    {OpKind::kSetIpv6Src, kIpv6, false, 8, 16, Covered::kPseudoHeader},
    {OpKind::kSetIpv6Dst, kIpv6, false, 24, 16, Covered::kPseudoHeader},
    {OpKind::kSetTpSrc, kTcp | kUdp, true, 0, 2, Covered::kL4},
    {OpKind::kSetTpDst, kTcp | kUdp, true, 2, 2, Covered::kL4},
};

bool edit_bytes(const Op& op, Flight& flight) {
  for (const Place& place : kPlaces) {
    if (place.kind != op.kind) continue;
    const std::size_t header = place.is_l4 ? flight.layers.l4 : flight.layers.l3;
    if ((flight.layers.presence & place.needs) == 0 || header == 0) return true;
    write_bytes(flight, header + place.offset, {op.bytes.data(), place.size}, place.covered);
    return true;
  }
  return false;
}

}  // namespace

bool edit_packet(const Op& op, bool ttl_stops_at_zero, Flight& flight) {
  flight.refresh();
  if (rte_pktmbuf_data_len(flight.mbuf) < 14) return true;
  if (!make_writable(flight)) return false;
  flight.is_stale = true;
  const bool is_ip = (flight.layers.presence & (kIpv4 | kIpv6)) != 0;
  switch (op.kind) {
    case OpKind::kSetTtl:
      if (is_ip) set_ttl(flight, op.bytes[0]);
      return true;
    case OpKind::kDecTtl:
      if (is_ip) decrement_ttl(flight, ttl_stops_at_zero);
      return true;
    case OpKind::kSetIpv4Dscp:
      if ((flight.layers.presence & kIpv4) != 0) set_dscp(flight, op.bytes[0]);
      return true;
    case OpKind::kSetIpv6Dscp:
      if ((flight.layers.presence & kIpv6) != 0) set_dscp(flight, op.bytes[0]);
      return true;
    default:
      return edit_bytes(op, flight) || edit_l2(op, flight);
  }
}

}  // namespace emulated_nic

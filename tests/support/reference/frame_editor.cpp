// SPDX-License-Identifier: BSD-3-Clause
#include "support/reference/frame_editor.hpp"

#include <algorithm>
#include <optional>

#include "support/reference/checksums.hpp"
#include "support/reference/field_place.hpp"

namespace hoist::reference {
namespace {

bool bit(const FieldValue& value, unsigned i) { return (value[15 - i / 8] >> (i % 8) & 1) != 0; }

void insert(Bytes& frame, std::size_t at, std::size_t size) {
  frame.insert(frame.begin() + static_cast<std::ptrdiff_t>(at), size, std::uint8_t{0});
}
void erase(Bytes& frame, std::size_t at, std::size_t size) {
  const auto from = frame.begin() + static_cast<std::ptrdiff_t>(at);
  frame.erase(from, from + static_cast<std::ptrdiff_t>(size));
}

/// After a tag of four bytes has gone: what had the size of an Ethernet frame keeps it, filled up
/// with zeros, unless its lengths are unsound.
void fill_up(Bytes& frame) {
  constexpr std::size_t kFrameSizeMin = 60;
  const bool was_whole = frame.size() + 4 >= kFrameSizeMin;
  if (frame.size() >= kFrameSizeMin || !was_whole) return;
  if (find_layers(frame).network != Network::kNone) frame.resize(kFrameSizeMin);
}

/// Nothing if the frame is not IP.
std::optional<std::uint8_t> ip_ttl(const Bytes& frame, const Layers& l) {
  const auto place = find_place(FieldId::kIpTtl, frame, l);
  if (!place) return std::nullopt;
  return frame[place->at];
}

/// Of vlan_tci or vlan_vid. With the bit that says "present" the packet gets a tag if it has none,
/// without it the packet loses its tag (ovs-fields(7): vlan_tci, vlan_vid).
void set_vlan_tci(Bytes& frame, const FieldValue& value, const FieldValue& mask) {
  const FlowKey key = parse_key(frame);
  const auto old = key.vlan_tci.host();
  const auto m = static_cast<std::uint16_t>(low64(mask));
  const auto tci = static_cast<std::uint16_t>((old & ~m) | (low64(value) & m));
  if ((tci & kVlanPresent) != 0) {
    set_or_push_vlan(frame, tci, 0xefff);
  } else {
    pop_vlan(frame);
  }
}

}  // namespace

void write_field(Bytes& frame, FieldId id, const FieldValue& value, const FieldValue& mask) {
  if (id == FieldId::kVlanTci || id == FieldId::kVlanVid) return set_vlan_tci(frame, value, mask);
  const auto place = find_place(id, frame, find_layers(frame));
  if (!place) return;
  const Checksums checksums(frame);
  for (unsigned i = 0; i < place->bits; ++i) {
    if (!bit(mask, i)) continue;
    const unsigned in_frame = place->shift + i;
    std::uint8_t& byte = frame[place->at + place->bytes - 1 - in_frame / 8];
    const auto one = static_cast<std::uint8_t>(1u << (in_frame % 8));
    byte = static_cast<std::uint8_t>(bit(value, i) ? byte | one : byte & ~one);
  }
  checksums.repair(frame);
}

void push_vlan(Bytes& frame, std::uint16_t tpid) {
  const Layers l = find_layers(frame);
  if (!l.is_ethernet) return;
  const std::uint16_t outer = l.vlan_at.empty() ? 0 : get16(frame, l.vlan_at[0] + 2);
  insert(frame, 12, 4);
  put16(frame, 12, tpid);
  put16(frame, 14, outer & 0xefff);
}

void pop_vlan(Bytes& frame) {
  const Layers l = find_layers(frame);
  if (l.vlan_at.empty()) return;
  erase(frame, l.vlan_at[0], 4);
  fill_up(frame);
}

void set_or_push_vlan(Bytes& frame, std::uint16_t tci, std::uint16_t mask) {
  if (find_layers(frame).vlan_at.empty()) push_vlan(frame, 0x8100);
  const Layers l = find_layers(frame);
  if (l.vlan_at.empty()) return;
  const std::size_t at = l.vlan_at[0] + 2;
  put16(frame, at, static_cast<std::uint16_t>((get16(frame, at) & ~mask) | (tci & mask)));
}

void push_mpls(Bytes& frame, std::uint16_t ethertype) {
  const Layers l = find_layers(frame);
  // Not where a length stands instead of a type, nor behind a third tag.
  const bool has_no_place = l.is_length || l.eth_type == 0x8100 || l.eth_type == 0x88a8;
  if (!l.is_ethernet || has_no_place) return;
  constexpr std::uint32_t kBottom = 1u << 8;
  const std::uint32_t lse =
      l.mpls_at ? get32(frame, *l.mpls_at) & ~kBottom : kBottom | ip_ttl(frame, l).value_or(0);
  put16(frame, l.ethertype_at, ethertype);
  insert(frame, l.payload_at, 4);
  put32(frame, l.payload_at, lse);
}

void pop_mpls(Bytes& frame, std::uint16_t ethertype) {
  const Layers l = find_layers(frame);
  if (!l.mpls_at || l.is_length) return;
  erase(frame, *l.mpls_at, 4);
  put16(frame, l.ethertype_at, ethertype);
  fill_up(frame);
}

bool decrement_ip_ttl(Bytes& frame) {
  const Layers l = find_layers(frame);
  const auto ttl = ip_ttl(frame, l);
  // An IP header that is not sound has a TTL of 0 for all rules, and so here.
  if (!ttl) return l.eth_type != 0x0800 && l.eth_type != 0x86dd;
  if (*ttl <= 1) return false;
  write_field(frame, FieldId::kIpTtl, field_value(*ttl - 1u), field_value(0xff));
  return true;
}

bool decrement_mpls_ttl(Bytes& frame) {
  const Layers l = find_layers(frame);
  if (!l.mpls_at) return true;
  const std::uint32_t ttl = get32(frame, *l.mpls_at) & 0xff;
  if (ttl <= 1) return false;
  write_field(frame, FieldId::kMplsTtl, field_value(ttl - 1), field_value(0xff));
  return true;
}

namespace {

/// Where the TTL below the outermost label stands.
std::optional<std::size_t> inner_ttl_at(const Bytes& frame, std::size_t label_at) {
  const std::size_t below = label_at + 4;
  const auto has = [&](std::size_t bytes) { return below + bytes <= frame.size(); };
  const bool is_bottom = (get32(frame, label_at) >> 8 & 1) != 0;
  if (!is_bottom) return has(4) ? std::optional(below + 3) : std::nullopt;
  if (!has(20)) return std::nullopt;
  if (frame[below] >> 4 == 4) return below + 8;
  if (frame[below] >> 4 == 6 && has(40)) return below + 7;
  return std::nullopt;
}

}  // namespace

void copy_ttl_out(Bytes& frame) {
  const Layers l = find_layers(frame);
  if (!l.mpls_at) return;
  if (const auto inner = inner_ttl_at(frame, *l.mpls_at)) frame[*l.mpls_at + 3] = frame[*inner];
}

void copy_ttl_in(Bytes& frame) {
  const Layers l = find_layers(frame);
  if (!l.mpls_at) return;
  const auto inner = inner_ttl_at(frame, *l.mpls_at);
  if (!inner) return;
  const std::size_t below = *l.mpls_at + 4;
  const bool is_ipv4 = *inner == below + 8;
  const std::uint32_t before = is_ipv4 ? get16(frame, below + 8) : 0u;
  frame[*inner] = frame[*l.mpls_at + 3];
  if (!is_ipv4) return;
  // RFC 1624, equation 3: a checksum that was wrong stays as wrong as it was.
  const std::uint32_t sum =
      (~get16(frame, below + 10) & 0xffffu) + (~before & 0xffffu) + get16(frame, below + 8);
  const std::uint32_t folded = (sum & 0xffff) + (sum >> 16);
  put16(frame, below + 10, static_cast<std::uint16_t>(~(folded + (folded >> 16))));
}

}  // namespace hoist::reference

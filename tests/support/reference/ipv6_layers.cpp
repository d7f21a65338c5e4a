// SPDX-License-Identifier: BSD-3-Clause
#include "support/reference/ipv6_layers.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace hoist::reference {
namespace {

/// OFPIEH_* (OpenFlow 1.3, 7.2.3.8).
constexpr std::uint16_t kRepeated = 1 << 7;
constexpr std::uint16_t kOutOfSequence = 1 << 8;

constexpr std::uint8_t kDestination = 60;

/// One kind of header that ipv6_exthdr tells of.
struct Extension {
  std::uint8_t type;
  std::uint16_t bit;
  int rank;        ///< Place in the order of RFC 8200, 4.1.
  bool is_walked;  ///< Names the header that follows it.
};
constexpr std::array<Extension, 7> kExtensions = {{
    {0, 1 << 6, 0, true},             // hop-by-hop options
    {kDestination, 1 << 3, 1, true},  // destination options, or 6: before the transport header
    {43, 1 << 5, 2, true},            // routing
    {44, 1 << 4, 3, true},            // fragment
    {51, 1 << 2, 4, true},            // authentication
    {50, 1 << 1, 5, false},           // ESP: what follows is encrypted
    {59, 1 << 0, 7, false},           // nothing follows
}};

const Extension* find_extension(std::uint8_t type) {
  for (const Extension& e : kExtensions) {
    if (e.type == type) return &e;
  }
  return nullptr;
}

/// ipv6_exthdr of the headers seen, in their order: each may come once, destination options twice.
std::uint16_t extension_bits(const std::vector<Extension>& seen) {
  std::uint16_t bits = 0;
  int last_rank = 0;
  for (const Extension& e : seen) {
    const auto times = std::ranges::count(seen, e.type, &Extension::type);
    if (times > (e.type == kDestination ? 2 : 1)) bits |= kRepeated;
    const int rank = e.type == kDestination && last_rank > 1 ? 6 : e.rank;
    if (rank < last_rank) bits |= kOutOfSequence;
    last_rank = rank;
    bits |= e.bit;
  }
  return bits;
}

std::size_t extension_size(View frame, std::size_t at, std::uint8_t type) {
  if (type == 44) return 8;
  if (type == 51) return 4u * (frame[at + 1] + 2u);
  return 8u * (frame[at + 1] + 1u);
}

}  // namespace

bool find_ipv6(View frame, Layers& l) {
  const std::size_t at = l.payload_at;
  if (at + 40 > frame.size()) return false;
  const std::size_t end = at + 40 + get16(frame, at + 4);
  if (end > frame.size()) return false;
  l.ipv6_addresses_at = at + 8;
  std::vector<Extension> seen;
  std::size_t proto_at = at + 6;
  std::size_t next_at = at + 40;
  const Extension* e = find_extension(frame[proto_at]);
  for (; e != nullptr; e = find_extension(frame[proto_at])) {
    seen.push_back(*e);
    if (!e->is_walked) break;
    if (next_at + 8 > end) return false;
    const std::size_t size = extension_size(frame, next_at, e->type);
    if (next_at + size > end) return false;
    if (e->type == 43 && frame[next_at + 3] != 0) l.is_source_routed = true;
    if (e->type == 44) {
      const std::uint16_t fragment = get16(frame, next_at + 2);
      if (fragment != 0) l.ip_frag |= kFragAny;
      if ((fragment & 0xfff8) != 0) l.ip_frag |= kFragLater;
      // ip_proto stays 44: what a later fragment carries began in the first one.
      if ((fragment & 0xfff8) != 0) break;
    }
    proto_at = next_at;
    next_at += size;
  }
  l.network = Network::kIpv6;
  l.network_at = at;
  l.network_end = end;
  l.proto_at = proto_at;
  l.ip_proto = frame[proto_at];
  l.ipv6_exthdr = extension_bits(seen);
  l.transport_at = next_at;
  return e == nullptr;
}

void find_neighbour(View frame, Layers& l) {
  const std::uint8_t type = frame[l.transport_at];
  const std::uint8_t code = frame[l.transport_at + 1];
  if ((type != 135 && type != 136) || code != 0) return;
  std::size_t at = l.transport_at + 8;
  if (at + 16 > l.network_end) return;
  l.nd_target_at = at;
  at += 16;
  while (at + 8 <= l.network_end) {
    const std::size_t size = 8u * frame[at + 1];
    if (size == 0 || at + size > l.network_end) return;
    const bool is_link_address = size == 8 && (frame[at] == 1 || frame[at] == 2);
    if (is_link_address) {
      auto& place = frame[at] == 1 ? l.nd_sll_at : l.nd_tll_at;
      const bool was_there = place && std::any_of(frame.begin() + static_cast<long>(*place),
                                                  frame.begin() + static_cast<long>(*place + 6),
                                                  [](std::uint8_t b) { return b != 0; });
      if (was_there) {  // Twice the same: the message says nothing for sure.
        l.nd_target_at = l.nd_sll_at = l.nd_tll_at = std::nullopt;
        return;
      }
      place = at + 2;
    }
    at += size;
  }
}

}  // namespace hoist::reference

// SPDX-License-Identifier: BSD-3-Clause
#include "support/reference/ipv6_layers.hpp"

#include <array>

namespace hoist::reference {
namespace {

/// OFPIEH_* (OpenFlow 1.3, 7.2.3.8).
constexpr std::uint16_t kNoNext = 1 << 0;
constexpr std::uint16_t kRepeated = 1 << 7;
constexpr std::uint16_t kOutOfSequence = 1 << 8;

/// One kind of extension header.
struct Extension {
  std::uint8_t type;
  std::uint16_t bit;
  int rank;        ///< Place in the order of RFC 8200, 4.1.
  bool is_walked;  ///< Has a next header that can be read.
};
constexpr std::array<Extension, 6> kExtensions = {{
    {0, 1 << 6, 0, true},    // hop-by-hop options
    {60, 1 << 3, 1, true},   // destination options (again after ESP)
    {43, 1 << 5, 2, true},   // routing
    {44, 1 << 4, 3, true},   // fragment
    {51, 1 << 2, 4, true},   // authentication
    {50, 1 << 1, 5, false},  // ESP: what follows is encrypted
}};

const Extension* find_extension(std::uint8_t type) {
  for (const Extension& e : kExtensions) {
    if (e.type == type) return &e;
  }
  return nullptr;
}

/// Keeps the set of headers seen, and whether their order is the recommended one.
class Sequence {
 public:
  void see(const Extension& e) {
    if ((bits_ & e.bit) != 0) bits_ |= kRepeated;
    if (e.rank < last_rank_) bits_ |= kOutOfSequence;
    bits_ |= e.bit;
    last_rank_ = e.rank;
  }
  [[nodiscard]] std::uint16_t bits() const { return bits_; }

 private:
  std::uint16_t bits_ = 0;
  int last_rank_ = 0;
};

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
  l.network = Network::kIpv6;
  l.network_at = at;
  l.network_end = end;
  l.proto_at = at + 6;
  l.transport_at = at + 40;
  Sequence sequence;
  while (true) {
    l.ip_proto = frame[l.proto_at];
    if (l.ip_proto == 59) l.ipv6_exthdr |= kNoNext;
    const Extension* e = find_extension(l.ip_proto);
    if (e == nullptr) return l.ip_proto != 59;
    sequence.see(*e);
    l.ipv6_exthdr = sequence.bits();
    if (!e->is_walked) return false;
    if (l.transport_at + 8 > end) return false;
    const std::size_t size = extension_size(frame, l.transport_at, l.ip_proto);
    if (l.transport_at + size > end) return false;
    if (l.ip_proto == 43 && frame[l.transport_at + 3] != 0) l.is_source_routed = true;
    if (l.ip_proto == 44) {
      const std::uint16_t fragment = get16(frame, l.transport_at + 2);
      if (fragment != 0) l.ip_frag |= kFragAny;
      if ((fragment & 0xfff8) != 0) {
        l.ip_frag |= kFragLater;
        return false;  // ip_proto stays 44: what it carries begins in the first fragment
      }
    }
    l.proto_at = l.transport_at;
    l.transport_at += size;
  }
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
    if (frame[at] == 1 && size == 8 && !l.nd_sll_at) l.nd_sll_at = at + 2;
    if (frame[at] == 2 && size == 8 && !l.nd_tll_at) l.nd_tll_at = at + 2;
    at += size;
  }
}

}  // namespace hoist::reference

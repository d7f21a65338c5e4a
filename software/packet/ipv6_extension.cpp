// SPDX-License-Identifier: BSD-3-Clause
#include "packet/ipv6_extension.hpp"

#include "hoist/flow_key.hpp"
#include "packet/wire.hpp"

namespace hoist::software {
namespace {

using namespace wire;

/// Collects Exthdr bits. RFC 8200, 4.1, wants: hop-by-hop, destination, routing, fragment, AH, ESP,
/// destination; each once, destination options at most twice.
class Order {
 public:
  void see(std::uint8_t type) noexcept {
    const std::uint16_t bit = bit_of(type);
    if (bit == 0) return;
    const bool is_destination = type == kIpDestination;
    const bool is_repeat = (bits_ & bit) != 0;
    if (is_repeat && (!is_destination || has_two_)) bits_ |= Exthdr::kUnexpectedRepeat;
    if (is_repeat && is_destination) has_two_ = true;
    const int rank = is_destination && rank_ > 1 ? 6 : rank_of(type);
    if (rank < rank_) bits_ |= Exthdr::kUnexpectedOrder;
    rank_ = rank;
    bits_ |= bit;
  }
  [[nodiscard]] std::uint16_t bits() const noexcept { return bits_; }

 private:
  static std::uint16_t bit_of(std::uint8_t type) noexcept {
    switch (type) {
      case kIpNoNext:
        return Exthdr::kNoNext;
      case kIpEsp:
        return Exthdr::kEsp;
      case kIpAh:
        return Exthdr::kAuth;
      case kIpDestination:
        return Exthdr::kDest;
      case kIpFragment:
        return Exthdr::kFrag;
      case kIpRouting:
        return Exthdr::kRouter;
      case kIpHopByHop:
        return Exthdr::kHop;
      default:
        return 0;
    }
  }
  static int rank_of(std::uint8_t type) noexcept {
    switch (type) {
      case kIpHopByHop:
        return 0;
      case kIpDestination:
        return 1;
      case kIpRouting:
        return 2;
      case kIpFragment:
        return 3;
      case kIpAh:
        return 4;
      case kIpEsp:
        return 5;
      default:
        return 7;
    }
  }
  std::uint16_t bits_ = 0;
  int rank_ = 0;
  bool has_two_ = false;
};

}  // namespace

Ipv6Extensions walk_ipv6_extensions(std::uint8_t next_header, const std::uint8_t* at,
                                    std::size_t readable) noexcept {
  Ipv6Extensions out;
  Order order;
  std::uint8_t type = next_header;
  for (order.see(type); is_extension(type); order.see(type)) {
    if (readable - out.size < 8) return out;
    const std::uint8_t* header = at + out.size;
    const std::size_t size = extension_size(type, header);
    if (size > readable - out.size) return out;
    if (type == kIpRouting) out.is_route_pending = header[3] != 0;
    out.proto_offset = out.size;
    out.size += size;
    const unsigned fragment = type == kIpFragment ? load16(header + 2) : 0u;
    if (fragment != 0) {
      out.ip_frag = kFragAny;
      if ((fragment & 0xfff8) != 0) {
        out.ip_frag = kFragAny | kFragLater;
        break;  // `type` stays 44.
      }
    }
    type = header[0];
  }
  out.ip_proto = type;
  out.exthdr = order.bits();
  out.is_sound = true;
  return out;
}

}  // namespace hoist::software

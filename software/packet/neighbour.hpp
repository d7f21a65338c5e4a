// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "packet/wire.hpp"

namespace hoist::software {

/// Offsets in a neighbour solicitation or advertisement, from its ICMPv6 header; 0: not there.
struct NeighbourOffsets {
  std::size_t target = 0;
  std::size_t source_link = 0;
  std::size_t target_link = 0;
};

/// RFC 4861, 4.3, 4.4 and 4.6: target address from byte 8, then options of 8 bytes and more. The
/// same option twice voids the message. `icmp` has at least 8 readable bytes.
[[nodiscard]] inline NeighbourOffsets find_neighbour(const std::uint8_t* icmp,
                                                     std::size_t readable) noexcept {
  NeighbourOffsets found;
  const bool is_neighbour = icmp[0] == wire::kNdSolicit || icmp[0] == wire::kNdAdvertise;
  if (!is_neighbour || icmp[1] != 0 || readable < 24) return found;
  found.target = 8;
  constexpr std::array<std::uint8_t, 6> kNoAddress{};
  for (std::size_t at = 24; readable - at >= 8;) {
    const std::size_t option_size = icmp[at + 1] * std::size_t{8};
    if (option_size == 0 || option_size > readable - at) break;
    const bool is_source = icmp[at] == wire::kNdSourceLinkAddress;
    if (option_size == 8 && (is_source || icmp[at] == wire::kNdTargetLinkAddress)) {
      std::size_t& offset = is_source ? found.source_link : found.target_link;
      // As Open vSwitch, an option that holds zeros does not count as given.
      if (offset != 0 && std::memcmp(icmp + offset, kNoAddress.data(), 6) != 0) return {};
      offset = at + 2;
    }
    at += option_size;
  }
  return found;
}

}  // namespace hoist::software

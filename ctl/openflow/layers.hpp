// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "hoist/field.hpp"
#include "hoist/match.hpp"

namespace hoist::openflow {

/// What is known of the headers of the packets that a match lets through; enough to answer
/// prerequisites, and to follow what actions do to them.
struct Layers {
  static constexpr std::uint32_t kUnknown = 1u << 16;

  std::uint32_t eth_type = kUnknown;
  std::uint32_t ip_proto =
      kUnknown;  ///< Unknown in later fragments too: no transport header there.
  std::uint32_t icmp_type = kUnknown;  ///< Of ICMP or ICMPv6.
  bool is_code_zero = true;            ///< The match does not say that the ICMP code is another.
  std::uint8_t vlans = 0;              ///< Tags that are surely there.

  [[nodiscard]] static Layers of(const Match& match) noexcept;
  [[nodiscard]] bool satisfy(Prerequisite prerequisite) const noexcept;
};

}  // namespace hoist::openflow

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "packet/parse.hpp"

struct rte_mbuf;

namespace hoist::software {

/// The DSCP whose drop precedence is `levels` higher than `dscp`'s, at most 3. Only the assured
/// forwarding classes AF1 to AF4 have one (RFC 2597, 6); any other DSCP is left as it is.
[[nodiscard]] constexpr std::uint8_t raised_drop_precedence(std::uint8_t dscp,
                                                            unsigned levels) noexcept {
  const unsigned af_class = dscp >> 3;
  const unsigned precedence = dscp >> 1 & 3;
  const bool is_assured = (dscp & 1) == 0 && af_class >= 1 && af_class <= 4 && precedence != 0;
  if (!is_assured) return dscp;
  const unsigned raised = precedence + levels < 3 ? precedence + levels : 3;
  return static_cast<std::uint8_t>(af_class << 3 | raised << 1);
}

/// The DSCP of a packet that is_ip().
[[nodiscard]] std::uint8_t dscp_of(const rte_mbuf& packet, const Layers& layers) noexcept;

/// Raises a packet's drop precedence, and mends its checksum. No IP, no change. The packet must be
/// the caller's alone.
void raise_drop_precedence(rte_mbuf& packet, Layers& layers, unsigned levels) noexcept;

}  // namespace hoist::software

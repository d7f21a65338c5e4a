// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string_view>

#include "packet/parse.hpp"

struct rte_mbuf;

namespace hoist::software {

/// A place in a frame.
struct FrameRange {
  std::size_t offset;
  std::size_t size;
};

/// Puts `text` where `range` was in the payload of a TCP packet of one segment, with lengths and
/// checksums right; Ethernet padding is lost. False: there is no room, and nothing was changed. The
/// caller owns the mbuf alone.
[[nodiscard]] bool rewrite_payload(rte_mbuf& packet, Layers& layers, const FrameRange& range,
                                   std::string_view text) noexcept;

/// Adds to a TCP packet's sequence number, and takes from what it acknowledges (RFC 9293),
/// selective acknowledgements included (RFC 2018). The header lies in the first segment.
void shift_sequence(rte_mbuf& packet, const Layers& layers, std::uint32_t sent,
                    std::uint32_t acknowledged) noexcept;

}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_mbuf.h>

#include <cstring>

#include "packet/parse.hpp"

namespace hoist::software {

/// Makes 4 bytes of room after the first `head` bytes of a frame. Null if there is no headroom;
/// then nothing was changed. Else the frame's new first byte.
[[nodiscard]] inline std::uint8_t* open_gap(rte_mbuf& packet, std::size_t head) noexcept {
  auto* data = reinterpret_cast<std::uint8_t*>(rte_pktmbuf_prepend(&packet, 4));
  if (data != nullptr) std::memmove(data, data + 4, head);
  return data;
}

/// Takes the 4 bytes after the first `head` bytes out of a frame. Returns its new first byte.
inline std::uint8_t* close_gap(rte_mbuf& packet, std::size_t head) noexcept {
  auto* data = rte_pktmbuf_mtod(&packet, std::uint8_t*);
  std::memmove(data + 4, data, head);
  return reinterpret_cast<std::uint8_t*>(rte_pktmbuf_adj(&packet, 4));
}

/// Layers of a frame whose headers have come to mean something else.
[[nodiscard]] inline Layers parse_again(const rte_mbuf& packet) noexcept {
  FlowKey unused;
  return parse(packet, PortNo{0}, unused);
}

/// Pushes an outer tag.
[[nodiscard]] bool insert_tag(rte_mbuf& packet, Layers& layers, std::uint16_t ethertype,
                              std::uint16_t tci) noexcept;

}  // namespace hoist::software

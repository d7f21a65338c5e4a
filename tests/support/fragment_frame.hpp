// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/packet_builder.hpp"

namespace hoist::test {

struct Cut {
  std::size_t payload_size = 1400;  ///< Of each fragment but the last: a multiple of 8.
  std::uint32_t id = 7;
  std::size_t extensions_size = 0;  ///< IPv6: extension headers that each fragment has, in bytes.
};

/// The fragments of a frame of IPv4 or IPv6 without tags, in order (RFC 791, 3.2; RFC 8200, 4.5).
[[nodiscard]] std::vector<Bytes> fragmented(const Bytes& frame, const Cut& cut = {});

}  // namespace hoist::test

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include "packet/parse.hpp"
#include "support/packet_builder.hpp"

namespace hoist::software {

/// By how much a packet's checksums are wrong; 0: right; nothing: there is none, or an absent UDP
/// one. Worked out from whole headers and payloads, never by difference.
struct ChecksumError {
  std::optional<std::uint16_t> ipv4_header;
  std::optional<std::uint32_t> layer4;
  bool operator==(const ChecksumError&) const = default;
};

[[nodiscard]] ChecksumError checksum_error(const test::Bytes& frame, const Layers& layers);

}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

namespace hoist::test {

/// One's complement sum of 16-bit big-endian words (RFC 1071), not yet folded. An odd last byte
/// counts as the high half of a word. Slow and plain: the reference that checksum code is compared
/// with.
[[nodiscard]] std::uint64_t checksum_add(std::span<const std::uint8_t> bytes,
                                         std::uint64_t sum = 0);

/// Folds and complements.
[[nodiscard]] std::uint16_t checksum_finish(std::uint64_t sum);

/// CRC32c as SCTP uses it (RFC 9260, appendix A), of bytes as they lie. Stored little-endian in the
/// packet.
[[nodiscard]] std::uint32_t crc32c(std::span<const std::uint8_t> bytes);

}  // namespace hoist::test

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "packet/wire.hpp"

namespace hoist::software {

/// What a change of some bytes does to an Internet checksum that covers them, without looking at
/// the other bytes (RFC 1624, equation 3: HC' = ~(~HC + ~m + m')). A wrong checksum stays wrong by
/// as much.
class ChecksumDelta {
 public:
  /// `size` bytes changed from `before` to `after`. `is_odd`: the first of them is the low half of
  /// its 16-bit word. Range: each byte adds less than 2^17, so a frame of 65,535 bytes cannot
  /// overflow.
  void replace(const std::uint8_t* before, const std::uint8_t* after, std::size_t size,
               bool is_odd) noexcept {
    for (std::size_t i = 0; i < size; ++i) {
      const bool is_low = (i % 2 != 0) != is_odd;
      const std::uint32_t was = is_low ? before[i] : std::uint32_t{before[i]} << 8;
      const std::uint32_t is = is_low ? after[i] : std::uint32_t{after[i]} << 8;
      sum_ += (was ^ 0xffff) + is;
    }
  }
  void replace(std::uint16_t before, std::uint16_t after) noexcept {
    sum_ += std::uint32_t{before ^ 0xffffu} + after;
  }

  /// The checksum at `at` after the change.
  void apply(std::uint8_t* at) const noexcept { wire::store16(at, applied(wire::load16(at))); }
  /// UDP's: 0 means "none" and stays; a result of 0 is sent as 0xffff (RFC 768).
  void apply_optional(std::uint8_t* at) const noexcept {
    if (wire::load16(at) != 0) apply_nonzero(at);
  }
  /// The same with a result of 0 written as 0xffff, which is right for all data; 0 is wrong where
  /// all that the checksum covers has become 0, as only an ICMP message can (no pseudo header).
  void apply_nonzero(std::uint8_t* at) const noexcept {
    const std::uint16_t after = applied(wire::load16(at));
    wire::store16(at, after == 0 ? std::uint16_t{0xffff} : after);
  }

 private:
  [[nodiscard]] std::uint16_t applied(std::uint16_t checksum) const noexcept {
    std::uint64_t sum = sum_ + (checksum ^ 0xffffu);
    while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<std::uint16_t>(sum ^ 0xffff);
  }
  std::uint32_t sum_ = 0;
};

/// Applies to an SCTP checksum at `at` (CRC32c, RFC 9260, 6.8) that `difference` (4 bytes: before
/// xor after) was written and `size_after` more bytes of the packet follow them. CRC is linear, so
/// nothing else of the packet is read, and a wrong checksum stays wrong. Cost: O(size_after), about
/// 1 cycle in 3 bytes.
void apply_crc32c(std::uint8_t* at, const std::uint8_t* difference,
                  std::size_t size_after) noexcept;

}  // namespace hoist::software

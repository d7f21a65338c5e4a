// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace hoist::software {

/// By how much the sequence numbers of one direction of a TCP connection differ behind us, because
/// payloads have been rewritten with ones of another size. Segments up to the one that was
/// rewritten last, when they are sent again, are shifted as they were then.
///
/// Range: a rewriting changes at most some tens of bytes, so 2^31 is out of reach.
struct SequenceShift {
  std::uint32_t position = 0;  ///< Where the segment that was rewritten last begins, as sent.
  std::int32_t before = 0;     ///< Of segments that begin no later.
  std::int32_t after = 0;      ///< Of all others.

  [[nodiscard]] bool is_none() const noexcept { return before == 0 && after == 0; }
  /// What is to be added to a sequence number as sent.
  [[nodiscard]] std::uint32_t of(std::uint32_t sequence) const noexcept {
    return static_cast<std::uint32_t>(is_later(sequence, position) ? after : before);
  }
  /// What is to be taken from a number by which the receiver acknowledges.
  [[nodiscard]] std::uint32_t of_acknowledged(std::uint32_t acknowledged) const noexcept {
    const std::uint32_t sent = acknowledged - static_cast<std::uint32_t>(before);
    return static_cast<std::uint32_t>(is_later(sent, position) ? after : before);
  }
  /// The segment that begins at `sequence` has grown by `bytes`. One sent again is counted once.
  void add(std::uint32_t sequence, std::int32_t bytes) noexcept {
    if (!is_none() && !is_later(sequence, position)) return;
    position = sequence;
    before = after;
    after += bytes;
  }

 private:
  static bool is_later(std::uint32_t a, std::uint32_t b) noexcept {
    return static_cast<std::int32_t>(a - b) > 0;
  }
};

}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace hoist::openflow {

/// How many counters may be read that workers write: each that is read takes its cache line from a
/// worker, which has to fetch it back. Some at once, then so many a second. Control thread.
class ReadBudget {
 public:
  ReadBudget(std::uint64_t per_second, std::uint64_t at_once)
      : per_second_(per_second), at_once_(at_once), left_(at_once) {}

  /// Takes as many as there are, at most `wanted`.
  std::size_t take(std::size_t wanted, std::uint64_t now_ms) noexcept {
    const std::uint64_t passed_ms = now_ms - std::min(now_ms, last_ms_);
    last_ms_ = now_ms;
    // Beyond a second there is nothing left to earn.
    left_ =
        std::min(at_once_, left_ + per_second_ * std::min<std::uint64_t>(passed_ms, 1000) / 1000);
    const std::uint64_t taken = std::min<std::uint64_t>(wanted, left_);
    left_ -= taken;
    return taken;
  }

 private:
  std::uint64_t per_second_;
  std::uint64_t at_once_;
  std::uint64_t left_;
  std::uint64_t last_ms_ = 0;
};

}  // namespace hoist::openflow

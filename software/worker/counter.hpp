// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

namespace hoist::software {

/// A count that one thread writes and any may read: a plain load and store, no locked instruction.
class Counter {
 public:
  void add(std::uint64_t n) noexcept {
    // Relaxed: readers need some value that it had, in no order with anything else.
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  void set(std::uint64_t n) noexcept { value_.store(n, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t get() const noexcept {
    return value_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> value_{0};
};

}  // namespace hoist::software

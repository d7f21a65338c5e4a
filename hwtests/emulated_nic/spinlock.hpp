// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>

namespace emulated_nic {

/// For std::lock_guard. Unlike rte_spinlock it is made of atomics that a race detector understands.
class Spinlock {
 public:
  void lock() noexcept {
    while (flag_.test_and_set(std::memory_order_acquire)) {  // Pairs with unlock().
      while (flag_.test(std::memory_order_relaxed)) __builtin_ia32_pause();
    }
  }
  void unlock() noexcept { flag_.clear(std::memory_order_release); }

 private:
  std::atomic_flag flag_;
};

}  // namespace emulated_nic

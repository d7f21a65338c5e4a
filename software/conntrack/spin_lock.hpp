// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_pause.h>

#include <atomic>
#include <cstdint>

namespace hoist::software {

/// One byte. Held for tens of cycles by workers that never sleep.
class SpinLock {
 public:
  void lock() noexcept {
    // Acquire: pairs with the release in unlock().
    while (is_held_.exchange(true, std::memory_order_acquire)) {
      while (is_held_.load(std::memory_order_relaxed)) rte_pause();
    }
  }
  [[nodiscard]] bool try_lock() noexcept {
    return !is_held_.exchange(true, std::memory_order_acquire);
  }
  void unlock() noexcept { is_held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> is_held_;
};

}  // namespace hoist::software

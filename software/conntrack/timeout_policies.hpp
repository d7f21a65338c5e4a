// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "conntrack/timeout.hpp"

namespace hoist::software {

/// Timeouts, and which zones have others than the default. Control thread writes, any thread reads.
class TimeoutPolicies {
 public:
  static constexpr std::uint8_t kDefault = 0;

  TimeoutPolicies() noexcept {
    for (std::size_t p = 0; p < timeouts_ms_.size(); ++p) {
      set(static_cast<std::uint8_t>(p), kDefaultConnectionTimeouts);
    }
  }
  void set(std::uint8_t policy, const ConnectionTimeouts& seconds) noexcept {
    for (std::size_t i = 0; i < kTimeoutCount; ++i) {
      timeouts_ms_[policy][i].store(std::uint64_t{seconds[i]} * 1000, std::memory_order_relaxed);
    }
  }
  [[nodiscard]] std::uint64_t ms(std::uint8_t policy, Timeout timeout) const noexcept {
    return timeouts_ms_[policy][static_cast<std::size_t>(timeout)].load(std::memory_order_relaxed);
  }

  /// Of connections that the zone will get.
  void assign(std::uint16_t zone, std::uint8_t policy) noexcept {
    policies_[zone].store(policy, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint8_t of(std::uint16_t zone) const noexcept {
    return policies_[zone].load(std::memory_order_relaxed);
  }

 private:
  std::array<std::array<std::atomic<std::uint64_t>, kTimeoutCount>, 256> timeouts_ms_{};
  std::array<std::atomic<std::uint8_t>, 65536> policies_{};
};

}  // namespace hoist::software

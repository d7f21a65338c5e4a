// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_cycles.h>

#include <atomic>
#include <cstdint>

#include "meter/meter.hpp"

namespace hoist::software {

/// The datapath's clock, from the processor's counter, or from a number that a test sets. Any
/// thread.
class Clock {
 public:
  /// `test_ns`: null, or the time in nanoseconds.
  explicit Clock(const std::atomic<std::uint64_t>* test_ns)
      : test_ns_(test_ns),
        start_(rte_rdtsc()),
        ticks_per_ms_(rte_get_tsc_hz() / 1000),
        // Below 2^64 for counters of 60 Hz and more.
        meter_time_per_tick_(
            static_cast<std::uint64_t>((Uint128{kSecond} << kFraction) / rte_get_tsc_hz())) {}

  /// Milliseconds since it was made.
  [[nodiscard]] std::uint64_t now_ms() const noexcept { return ms_at(rte_rdtsc()); }
  /// The time when the processor's counter stood at `ticks`.
  [[nodiscard]] std::uint64_t ms_at(std::uint64_t ticks) const noexcept {
    // Relaxed: nothing is ordered by the time.
    if (test_ns_ != nullptr) return test_ns_->load(std::memory_order_relaxed) / 1'000'000;
    return (ticks - start_) / ticks_per_ms_;
  }
  /// The same in meters' units. A multiplication, no division.
  [[nodiscard]] MeterTime meter_time() const noexcept { return meter_time_at(rte_rdtsc()); }
  [[nodiscard]] MeterTime meter_time_at(std::uint64_t ticks) const noexcept {
    if (test_ns_ != nullptr) return test_ns_->load(std::memory_order_relaxed) << kMeterTimeShift;
    const Uint128 product = Uint128{ticks - start_} * meter_time_per_tick_;
    return static_cast<MeterTime>(product >> kFraction);
  }

 private:
  __extension__ using Uint128 = unsigned __int128;
  static constexpr std::uint64_t kSecond = std::uint64_t{1'000'000'000} << kMeterTimeShift;
  static constexpr unsigned kFraction = 32;

  const std::atomic<std::uint64_t>* test_ns_;
  std::uint64_t start_;
  std::uint64_t ticks_per_ms_;
  std::uint64_t meter_time_per_tick_;  ///< With kFraction bits of fraction.
};

}  // namespace hoist::software

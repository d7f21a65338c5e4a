// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_cycles.h>

#include <cstdint>

namespace hoist::software {

/// The datapath's clock: milliseconds since it was made, from the processor's counter. Any thread.
class Clock {
 public:
  Clock() : start_(rte_rdtsc()), ticks_per_ms_(rte_get_tsc_hz() / 1000) {}
  [[nodiscard]] std::uint64_t now_ms() const noexcept { return ms_at(rte_rdtsc()); }
  /// The time when the processor's counter stood at `ticks`.
  [[nodiscard]] std::uint64_t ms_at(std::uint64_t ticks) const noexcept {
    return (ticks - start_) / ticks_per_ms_;
  }

 private:
  std::uint64_t start_;
  std::uint64_t ticks_per_ms_;
};

}  // namespace hoist::software

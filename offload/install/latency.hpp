// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>

#include "hoist/offload_report.hpp"

namespace hoist::offload {

/// Mean and deviation of how long things took: of all, and of the recent ones.
class Latency {
 public:
  void add(std::chrono::nanoseconds took) noexcept {
    const double us = static_cast<double>(took.count()) / 1000;
    ++count_;
    const double delta = us - mean_;
    mean_ += delta / static_cast<double>(count_);
    squares_ += delta * (us - mean_);  // Welford's method
    const double step = us - recent_mean_;
    const double weight = count_ == 1 ? 1 : kWeight;
    recent_mean_ += weight * step;
    recent_variance_ = (1 - weight) * (recent_variance_ + weight * step * step);
  }
  [[nodiscard]] OffloadStats summary() const noexcept {
    const double variance = count_ < 2 ? 0 : squares_ / static_cast<double>(count_);
    const auto whole = [](double us) { return static_cast<std::uint64_t>(us + 0.5); };
    return {.latency_mean_us = whole(mean_),
            .latency_deviation_us = whole(std::sqrt(variance)),
            .recent_mean_us = whole(recent_mean_),
            .recent_deviation_us = whole(std::sqrt(recent_variance_))};
  }

 private:
  static constexpr double kWeight = 1.0 / 16;
  std::uint64_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
  double recent_mean_ = 0;
  double recent_variance_ = 0;
};

}  // namespace hoist::offload

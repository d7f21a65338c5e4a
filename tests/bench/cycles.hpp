// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <benchmark/benchmark.h>
#include <rte_cycles.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace hoist::bench {

/// Measures rounds of equal work on `packets` packets each in cycles of the time stamp counter, and
/// reports the median a packet: others use the machine too.
class RoundCycles {
 public:
  RoundCycles(benchmark::State& state, std::uint64_t packets) : state_(state), packets_(packets) {}
  RoundCycles(const RoundCycles&) = delete;
  RoundCycles& operator=(const RoundCycles&) = delete;
  ~RoundCycles() {
    if (cycles_.empty()) return;
    const auto middle = cycles_.begin() + static_cast<std::ptrdiff_t>(cycles_.size() / 2);
    std::nth_element(cycles_.begin(), middle, cycles_.end());
    state_.counters["cycles/packet"] = static_cast<double>(*middle) / static_cast<double>(packets_);
    state_.SetItemsProcessed(static_cast<std::int64_t>(cycles_.size() * packets_));
  }

  template <class Round>
  void measure(Round round) {
    const std::uint64_t before = rte_rdtsc_precise();
    round();
    add(rte_rdtsc_precise() - before);
  }
  void add(std::uint64_t cycles) { cycles_.push_back(cycles); }

 private:
  benchmark::State& state_;
  std::uint64_t packets_;
  std::vector<std::uint64_t> cycles_;
};

}  // namespace hoist::bench

// SPDX-License-Identifier: BSD-3-Clause
#include "cache/flow_cache.hpp"

#include <benchmark/benchmark.h>

#include <cstring>
#include <random>

#include "cycles.hpp"

namespace hoist::software {
namespace {

constexpr std::size_t kBurst = 32;
constexpr std::uint32_t kEntries = 1u << 20;

/// A cache that knows `flows` flows which differ in 12 bytes, and bursts of them in random order.
class Rig {
 public:
  explicit Rig(std::uint32_t flows) : cache_(*FlowCache::create(kEntries)) {
    std::fill_n(mask_.window.begin() + 26, 12, std::uint8_t{0xff});
    mask_.wide.fill(~std::uint64_t{0});
    mask_.id = 1;
    for (std::uint32_t flow = 0; flow < flows; ++flow) insert(flow);
    constexpr std::size_t kOrder = std::size_t{1} << 18;
    std::mt19937 random(1);
    order_.resize(kOrder);
    for (std::uint32_t& flow : order_) flow = static_cast<std::uint32_t>(random()) % flows;
  }

  void insert(std::uint32_t flow) {
    WindowKey key;
    cache_.insert(key, make_window(flow, key), {flow + 1, 1});
    FlowCache::WideEntry entry{};
    const std::uint32_t hash = make_wide(flow, entry);
    entry.segment = {flow + 1, 1};
    cache_.insert(entry, hash);
  }

  /// Packets of the burst that are found at their first place.
  std::size_t look_up_windows() {
    std::array<WindowKey, kBurst> keys;
    std::array<std::uint32_t, kBurst> hashes;
    std::size_t found = 0;
    for (std::size_t i = 0; i < kBurst; ++i) {
      hashes[i] = make_window(next(), keys[i]);
      cache_.prefetch_window(hashes[i]);
    }
    for (std::size_t i = 0; i < kBurst; ++i) {
      const auto* now = cache_.find_now(keys[i], hashes[i]);
      found += now != nullptr || cache_.find_any(keys[i], hashes[i]) != nullptr ? 1u : 0u;
    }
    return found;
  }
  std::size_t look_up_wide() {
    std::array<FlowCache::WideEntry, kBurst> keys;
    std::array<std::uint32_t, kBurst> hashes;
    std::size_t found = 0;
    for (std::size_t i = 0; i < kBurst; ++i) {
      hashes[i] = make_wide(next(), keys[i]);
      cache_.prefetch_wide(hashes[i]);
    }
    for (std::size_t i = 0; i < kBurst; ++i) {
      found += cache_.find_any(keys[i], hashes[i]) != nullptr ? 1u : 0u;
    }
    return found;
  }

 private:
  std::uint32_t next() { return order_[at_++ % order_.size()]; }
  std::uint32_t make_window(std::uint32_t flow, WindowKey& key) {
    std::memcpy(&frame_[30], &flow, sizeof flow);
    return FlowCache::make_key(frame_.data(), mask_, 1, key);
  }
  std::uint32_t make_wide(std::uint32_t flow, FlowCache::WideEntry& entry) {
    packet_.nw_dst = Be32{flow};
    return FlowCache::make_key(packet_, mask_, 1, entry);
  }

  FlowCache cache_;
  ClassMask mask_;
  std::array<std::uint8_t, 64> frame_{};
  FlowKey packet_{};
  std::vector<std::uint32_t> order_;
  std::size_t at_ = 0;
};

/// Key, hash and probe of packets that are not parsed. Flows in L1, L2, L3 and memory.
void BM_WindowHits(benchmark::State& state) {
  Rig rig(static_cast<std::uint32_t>(state.range(0)));
  bench::RoundCycles cycles(state, kBurst);
  std::size_t found = 0;
  for (auto _ : state) cycles.measure([&] { found += rig.look_up_windows(); });
  benchmark::DoNotOptimize(found);
  state.counters["found"] =
      static_cast<double>(found) / static_cast<double>(state.iterations() * std::int64_t{kBurst});
}

/// The same of parsed packets. There is room for a quarter as many.
void BM_WideHits(benchmark::State& state) {
  Rig rig(static_cast<std::uint32_t>(state.range(0)));
  bench::RoundCycles cycles(state, kBurst);
  std::size_t found = 0;
  for (auto _ : state) cycles.measure([&] { found += rig.look_up_wide(); });
  benchmark::DoNotOptimize(found);
}

BENCHMARK(BM_WindowHits)->Arg(256)->Arg(8192)->Arg(100'000)->Arg(500'000)->Arg(1'000'000);
BENCHMARK(BM_WideHits)->Arg(128)->Arg(4096)->Arg(100'000);

}  // namespace
}  // namespace hoist::software

BENCHMARK_MAIN();

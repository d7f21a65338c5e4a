// SPDX-License-Identifier: BSD-3-Clause
//
// Cost of the classifier: cycles (of the time stamp counter) a lookup, in batches, each batch's
// keys fresh from the cache as a parser leaves them; and of an insertion, with the memory a rule
// takes.
#include <benchmark/benchmark.h>
#include <malloc.h>
#include <rte_cycles.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>

#include "classifier/classifier.hpp"
#include "classifier_rules.hpp"

namespace hoist::bench {
namespace {

using software::Classifier;
using software::Entry;
using software::Reclaimer;

double percentile(std::vector<double>& values, double share) {
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

/// Of the time stamp counter, against the steady clock.
double tsc_hz() {
  using Clock = std::chrono::steady_clock;
  static const double kHz = [] {
    const auto start = Clock::now();
    const std::uint64_t ticks = rte_rdtsc();
    while (Clock::now() - start < std::chrono::milliseconds(20)) {
    }
    const auto passed = rte_rdtsc() - ticks;
    return static_cast<double>(passed) /
           std::chrono::duration<double>(Clock::now() - start).count();
  }();
  return kHz;
}

struct Table {
  Reclaimer reclaimer{1};
  std::unique_ptr<Classifier> classifier = Classifier::create(reclaimer);

  explicit Table(const RuleSet& set) {
    std::uint32_t id = 0;
    for (const RuleLine& r : set.rules) {
      classifier->insert(r.match, r.priority, RuleId{++id}, nullptr, 1);
      reclaimer.poll();
    }
    for (int i = 0; i < 1000; ++i) classifier->settle(1);
    reclaimer.poll();
  }
};

void lookup(benchmark::State& state, const RuleSet& set) {
  if (set.rules.empty()) return state.SkipWithError("no rule set (HOIST_CLASSBENCH)");
  const Table table(set);
  const auto batch = static_cast<std::size_t>(state.range(0));
  const auto trace_keys = static_cast<std::size_t>(state.range(1));
  std::mt19937_64 rng(1);
  // What the keys have of a packet, without the state behind it.
  struct Seed {
    std::array<std::uint64_t, kPacketWords> words;
  };
  std::vector<Seed> trace(trace_keys);
  for (Seed& s : trace) std::copy_n(words(set.key(rng)), kPacketWords, s.words.data());

  std::vector<FlowKey> keys(batch);
  std::vector<const FlowKey*> pointers;
  for (const FlowKey& k : keys) pointers.push_back(&k);
  std::vector<const Entry*> found(batch);
  std::vector<double> cycles;
  std::size_t at = 0;
  std::size_t matched = 0;
  for (auto _ : state) {
    std::uint64_t sum = 0;
    constexpr std::size_t kBatches = 64;
    for (std::size_t n = 0; n < kBatches; ++n) {
      for (FlowKey& k : keys) {
        std::copy_n(trace[at].words.data(), kPacketWords, words(k));
        at = (at + 1) % trace_keys;
      }
      const std::uint64_t start = rte_rdtsc_precise();
      table.classifier->lookup(pointers, 1, found.data());
      sum += rte_rdtsc_precise() - start;
      matched += static_cast<std::size_t>(std::ranges::count_if(found, [](auto* e) { return e; }));
    }
    cycles.push_back(static_cast<double>(sum) / static_cast<double>(kBatches * batch));
  }
  benchmark::DoNotOptimize(matched);
  state.counters["cycles"] = percentile(cycles, 0.5);
  state.counters["cycles_p10"] = percentile(cycles, 0.1);
  state.counters["rules"] = static_cast<double>(table.classifier->rule_count());
  state.counters["masks"] = static_cast<double>(table.classifier->mask_count());
}

void insert(benchmark::State& state, const RuleSet& set) {
  if (set.rules.empty()) return state.SkipWithError("no rule set (HOIST_CLASSBENCH)");
  std::vector<double> microseconds;
  double bytes = 0;
  const double us = 1e6 / tsc_hz();
  for (auto _ : state) {
    microseconds.reserve(microseconds.size() + set.rules.size());
    const std::size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    Reclaimer reclaimer{1};
    const auto classifier = Classifier::create(reclaimer);
    std::uint32_t id = 0;
    for (const RuleLine& r : set.rules) {
      const std::uint64_t start = rte_rdtsc_precise();
      classifier->insert(r.match, r.priority, RuleId{++id}, nullptr, 1);
      reclaimer.poll();
      microseconds.push_back(static_cast<double>(rte_rdtsc_precise() - start) * us);
    }
    bytes = static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd - before);
  }
  const double inserted = static_cast<double>(microseconds.size());
  double sum = 0;
  for (const double t : microseconds) sum += t;
  state.counters["us_mean"] = sum / inserted;
  state.counters["us_p50"] = percentile(microseconds, 0.5);
  state.counters["us_p99"] = percentile(microseconds, 0.99);
  state.counters["us_p999"] = percentile(microseconds, 0.999);
  state.counters["us_max"] = percentile(microseconds, 1);
  state.counters["bytes_a_rule"] = bytes / static_cast<double>(set.rules.size());
}

std::string classbench_path(const std::string& name) {
  const char* base = std::getenv("HOIST_CLASSBENCH");
  return std::string(base != nullptr ? base : HOIST_CLASSBENCH) + "/rules/" + name;
}

void register_all() {
  const auto add = [](const std::string& name, auto make) {
    auto cached = std::make_shared<RuleSet>();
    const auto set = [cached, make]() -> const RuleSet& {
      if (cached->rules.empty()) *cached = make();
      return *cached;
    };
    benchmark::RegisterBenchmark(("BM_ClassifierLookup/" + name).c_str(),
                                 [set](benchmark::State& s) { lookup(s, set()); })
        ->ArgNames({"batch", "keys"})
        ->Args({1, 65536})
        ->Args({32, 65536})
        ->Args({32, 64});  // Few enough that all that they touch stays in the nearest caches.
    benchmark::RegisterBenchmark(("BM_ClassifierInsert/" + name).c_str(), [set](
                                                                              benchmark::State& s) {
      insert(s, set());
    })->Unit(benchmark::kMillisecond);
  };
  add("17_rules", [] { return seventeen_rules(); });
  add("255_masks", [] { return many_masks(255); });
  add("1024_masks", [] { return many_masks(1024); });
  for (const std::uint32_t n : {1000u, 10'000u, 200'000u}) {
    add("one_mask_" + std::to_string(n), [n] { return one_mask(n); });
  }
  add("300_masks_200000", [] { return prefixes(200'000, 300); });
  for (const char* name : {"acl1_1k", "fw1_1k", "ipc1_1k", "acl1_10k", "acl4_10k", "fw1_10k",
                           "fw5_10k", "ipc1_10k", "ipc2_10k"}) {
    add(name, [name] { return classbench(classbench_path(name)); });
  }
  for (const std::string name : {"acl1_10k", "fw1_10k", "ipc1_10k"}) {
    add(name + "_strangers", [name] { return classbench_strangers(classbench_path(name)); });
  }
}

}  // namespace
}  // namespace hoist::bench

int main(int argc, char** argv) {
  hoist::bench::register_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}

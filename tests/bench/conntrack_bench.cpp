// SPDX-License-Identifier: BSD-3-Clause
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>
#include <vector>

#include "conntrack/connection_tracker.hpp"

namespace hoist::software {
namespace {

constexpr std::size_t kBatch = 32;

/// The connection tracker that the threads of a benchmark share.
std::unique_ptr<ConnectionTracker> g_tracker;

TrackedPacket packet_of(std::uint32_t thread, std::uint32_t n) {
  TrackedPacket p{};
  const std::uint32_t src = Be32{0x0a000000 + (thread << 22) + n / 32768}.wire();
  const std::uint32_t dst = Be32{0x0b000000}.wire();
  std::memcpy(p.tuple.src.data(), &src, 4);
  std::memcpy(p.tuple.dst.data(), &dst, 4);
  p.tuple.src_port = Be16{static_cast<std::uint16_t>(1 + n % 32768)};
  p.tuple.dst_port = Be16{2};
  p.tuple.ip_proto = 17;
  p.tuple.family = 4;
  p.is_sound = true;
  return p;
}

void start(const benchmark::State& state) {
  if (state.thread_index() != 0) return;
  g_tracker = *ConnectionTracker::create({.connections_most = 1u << 24});
}

/// The work of Open vSwitch's `test-conntrack benchmark`: each thread runs one batch of its own
/// connections again and again, all committed.
void BM_ConntrackSameBatch(benchmark::State& state) {
  start(state);
  std::vector<TrackedPacket> packets;
  const auto thread = static_cast<std::uint32_t>(state.thread_index());
  for (std::uint32_t i = 0; i < kBatch; ++i) packets.push_back(packet_of(thread, i));
  std::uint64_t now_ms = 0;
  std::uint32_t batches = 0;
  for (auto _ : state) {
    if (++batches % 256 == 0) ++now_ms;
    for (const TrackedPacket& p : packets) {
      PacketTrack track;
      benchmark::DoNotOptimize(g_tracker->track({.commits = true}, p, {now_ms, 0, thread}, track));
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBatch));
}
BENCHMARK(BM_ConntrackSameBatch)->Threads(1)->Threads(2)->UseRealTime();

/// The setup-rate benchmark: every packet opens a connection; those opened first expire.
void BM_ConntrackNewConnections(benchmark::State& state) {
  start(state);
  const auto thread = static_cast<std::uint32_t>(state.thread_index());
  constexpr std::uint32_t kHeld = 1u << 20;
  std::uint32_t n = 0;
  for (auto _ : state) {
    // A connection lives for 60 s, in which kHeld are opened.
    const std::uint64_t now_ms = std::uint64_t{n} * 60'000 / kHeld;
    for (std::size_t i = 0; i < kBatch; ++i) {
      PacketTrack track;
      benchmark::DoNotOptimize(
          g_tracker->track({.commits = true}, packet_of(thread, n++), {now_ms, 0, thread}, track));
    }
    g_tracker->sweep(now_ms, 2 * kBatch);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kBatch));
  if (state.thread_index() == 0) state.counters["held"] = g_tracker->count();
}
BENCHMARK(BM_ConntrackNewConnections)->Threads(1)->Threads(2)->UseRealTime();

/// Established connections found among many, in an order that no cache guesses.
void BM_ConntrackFind(benchmark::State& state) {
  const auto held = static_cast<std::uint32_t>(state.range(0));
  g_tracker = *ConnectionTracker::create({.connections_most = 1u << 24});
  for (std::uint32_t n = 0; n < held; ++n) {
    PacketTrack track;
    (void)g_tracker->track({.commits = true}, packet_of(0, n), {0, 0}, track);
  }
  std::uint32_t n = 0;
  for (auto _ : state) {
    n = n * 1664525u + 1013904223u;
    const Tuple t = packet_of(0, static_cast<std::uint32_t>(std::uint64_t{n} * held >> 32)).tuple;
    benchmark::DoNotOptimize(g_tracker->table().find(t, 1));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_ConntrackFind)->Arg(1000)->Iterations(1'000'000)->Apply([](auto* b) {
  // Gigabytes, so only where somebody asks for it.
  if (std::getenv("HOIST_BENCH_LARGE") != nullptr) b->Arg(1'000'000)->Arg(10'000'000);
});

}  // namespace
}  // namespace hoist::software

BENCHMARK_MAIN();

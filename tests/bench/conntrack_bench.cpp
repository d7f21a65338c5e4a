// SPDX-License-Identifier: BSD-3-Clause
#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "conntrack/connection_tracker.hpp"
#include "conntrack/tracked_connections.hpp"
#include "text/connection_text.hpp"

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

/// What else the control thread does while packets are tracked.
class ControlThread {
 public:
  enum class Work : std::uint8_t { kOther, kDump, kEnd };

  explicit ControlThread(ConnectionTracker& tracker)
      : connections_(tracker, {1u << 24, [] { return std::uint64_t{1}; }}),
        thread_([this] { run(); }) {}
  ~ControlThread() {
    set(Work::kEnd);
    thread_.join();
  }
  void set(Work work) { work_.store(work, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t dumped() const { return dumped_.load(std::memory_order_relaxed); }

 private:
  void run() {
    for (;;) {
      const Work work = work_.load(std::memory_order_relaxed);
      if (work == Work::kEnd) return;
      if (work == Work::kDump) dump_some();
      if (work == Work::kOther) do_other();
    }
  }
  /// As dpctl/dump-conntrack does it.
  void dump_some() {
    std::string out;
    const bool is_more = connections_.walk(cursor_, 2048, {}, [&](const ConnectionReport& c) {
      text::append_connection(out, c, {});
      out += '\n';
      dumped_.fetch_add(1, std::memory_order_relaxed);
    });
    benchmark::DoNotOptimize(out.data());
    if (!is_more) cursor_ = {};
  }
  /// Keeps its core as busy, with memory of its own.
  void do_other() {
    for (std::size_t i = 0; i < own_.size(); ++i) own_[i] += own_[(i * 7) % own_.size()] + i;
    benchmark::DoNotOptimize(own_.data());
  }

  TrackedConnections connections_;
  Connections::Cursor cursor_;
  std::vector<std::uint64_t> own_ = std::vector<std::uint64_t>(4096);
  std::atomic<Work> work_{Work::kOther};
  std::atomic<std::uint64_t> dumped_{0};
  std::thread thread_;
};

/// What a dump of all connections costs the worker, in per cent of its packets: windows of a
/// twentieth of a second with and without, one after the other. Wants two cores.
void BM_ConntrackUnderDump(benchmark::State& state) {
  const auto held = static_cast<std::uint32_t>(state.range(0));
  g_tracker = *ConnectionTracker::create({.connections_most = 1u << 24});
  for (std::uint32_t n = 0; n < held; ++n) {
    PacketTrack track;
    (void)g_tracker->track({.commits = true}, packet_of(0, n), {0, 0}, track);
  }
  ControlThread control(*g_tracker);
  std::uint32_t n = 0;
  const auto window = [&](ControlThread::Work work) {
    using Clock = std::chrono::steady_clock;
    control.set(work);
    const auto end = Clock::now() + std::chrono::milliseconds(50);
    std::uint64_t packets = 0;
    for (; Clock::now() < end; packets += kBatch) {
      for (std::size_t i = 0; i < kBatch; ++i) {
        n = n * 1664525u + 1013904223u;
        PacketTrack track;
        const auto which = static_cast<std::uint32_t>(std::uint64_t{n} * held >> 32);
        benchmark::DoNotOptimize(
            g_tracker->track({.commits = true}, packet_of(0, which), {1, 0}, track));
      }
    }
    return static_cast<double>(packets);
  };
  std::vector<double> costs;
  for (auto _ : state) {
    const double without = window(ControlThread::Work::kOther);
    const double with = window(ControlThread::Work::kDump);
    costs.push_back(100 * (1 - with / without));
  }
  std::ranges::nth_element(costs, costs.begin() + static_cast<std::ptrdiff_t>(costs.size() / 2));
  state.counters["cost_percent"] = costs[costs.size() / 2];
  state.counters["dumped"] =
      benchmark::Counter(static_cast<double>(control.dumped()), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_ConntrackUnderDump)->Arg(20'000)->Iterations(2)->UseRealTime()->Apply([](auto* b) {
  if (std::getenv("HOIST_BENCH_LARGE") != nullptr) b->Arg(1'000'000)->Iterations(101);
});

}  // namespace
}  // namespace hoist::software

BENCHMARK_MAIN();

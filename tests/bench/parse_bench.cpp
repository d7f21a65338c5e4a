// SPDX-License-Identifier: BSD-3-Clause
#include <benchmark/benchmark.h>

#include <cstring>
#include <ctime>

#include "packet/edit.hpp"
#include "packet/parse.hpp"
#include "packet/window.hpp"
#include "support/packet_builder.hpp"
#include "support/test_mbuf.hpp"

namespace hoist::software {
namespace {

using test::Bytes;
using test::Packet;

/// Frames of one kind, a cache line apart from each other, in a working set of `count` frames.
class Frames {
 public:
  Frames(const Bytes& frame, std::size_t count) : size_(frame.size()), bytes_(count * kSlot) {
    for (std::size_t i = 0; i < count; ++i) std::memcpy(&bytes_[i * kSlot], frame.data(), size_);
  }
  [[nodiscard]] const std::uint8_t* operator[](std::size_t i) const { return &bytes_[i * kSlot]; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t kSlot = 192;
  std::size_t size_;
  Bytes bytes_;
};

/// Runs body(i) for packets 0 to range(0) - 1 over and over; reports processor time, in cycles, per
/// packet.
template <class Body>
void run(benchmark::State& state, Body body) {
  const auto count = static_cast<std::size_t>(state.range(0));
  const std::clock_t started = std::clock();
  for (auto _ : state) {
    for (std::size_t i = 0; i < count; ++i) body(i);
  }
  const auto packets = static_cast<double>(state.iterations()) * static_cast<double>(count);
  state.SetItemsProcessed(static_cast<std::int64_t>(packets));
  const double seconds = static_cast<double>(std::clock() - started) / CLOCKS_PER_SEC;
  state.counters["cycles/packet"] = seconds * benchmark::CPUInfo::Get().cycles_per_second / packets;
}

Bytes frame_of(int kind) {
  switch (kind) {
    case 0:
      return Packet().eth().ipv4().udp().pad_to(60).bytes();
    case 1:
      return Packet().eth().ipv4().tcp().pad_to(60).bytes();
    case 2:
      return Packet().eth().vlan().ipv4().udp().pad_to(64).bytes();
    case 3:
      return Packet().eth().ipv6().udp().bytes();
    case 4:
      return Packet().eth().ipv6().extension().tcp().bytes();
    default:
      return Packet().eth().arp().pad_to(60).bytes();
  }
}
constexpr const char* kKinds[] = {"ipv4_udp", "ipv4_tcp",     "vlan_ipv4_udp",
                                  "ipv6_udp", "ipv6_ext_tcp", "arp"};

void BM_Parse(benchmark::State& state) {
  const auto kind = static_cast<int>(state.range(1));
  const Frames frames(frame_of(kind), static_cast<std::size_t>(state.range(0)));
  state.SetLabel(kKinds[kind]);
  FlowKey key{};
  run(state, [&](std::size_t i) {
    benchmark::DoNotOptimize(parse(frames[i], frames.size(), PortNo{1}, key));
    benchmark::ClobberMemory();
  });
}
BENCHMARK(BM_Parse)
    ->ArgsProduct({{32}, {0, 1, 2, 3, 4, 5}})
    ->ArgsProduct({{1 << 12, 1 << 18}, {0}});

void BM_ClassifyWindow(benchmark::State& state) {
  const Frames frames(frame_of(0), static_cast<std::size_t>(state.range(0)));
  run(state,
      [&](std::size_t i) { benchmark::DoNotOptimize(classify_window(frames[i], frames.size())); });
}
BENCHMARK(BM_ClassifyWindow)->Arg(32)->Arg(1 << 18);

void BM_SetField(benchmark::State& state) {
  const auto id = static_cast<FieldId>(state.range(1));
  const Field& f = field(id);
  state.SetLabel(std::string(f.name));
  test::TestMbuf packet(frame_of(0));
  FlowKey key{};
  Layers layers = parse(*packet, PortNo{1}, key);
  const FieldValue mask = full_mask(f);
  run(state, [&](std::size_t i) {
    benchmark::DoNotOptimize(set_field(*packet, layers, f, field_value(i), mask));
  });
}
BENCHMARK(BM_SetField)
    ->ArgsProduct({{32},
                   {static_cast<int>(FieldId::kEthDst), static_cast<int>(FieldId::kNwDst),
                    static_cast<int>(FieldId::kUdpDst), static_cast<int>(FieldId::kIpDscp)}});

void BM_DecNwTtl(benchmark::State& state) {
  test::TestMbuf packet(frame_of(0));
  FlowKey key{};
  Layers layers = parse(*packet, PortNo{1}, key);
  run(state, [&](std::size_t) {
    if (dec_nw_ttl(*packet, layers) == TtlOutcome::kExpired) {
      benchmark::DoNotOptimize(set_nw_ttl(*packet, layers, 255));
    }
  });
}
BENCHMARK(BM_DecNwTtl)->Arg(32);

void BM_PushPopVlan(benchmark::State& state) {
  test::TestMbuf packet(frame_of(0));
  FlowKey key{};
  Layers layers = parse(*packet, PortNo{1}, key);
  run(state, [&](std::size_t) {
    benchmark::DoNotOptimize(push_vlan(*packet, layers, 0x8100));
    benchmark::DoNotOptimize(pop_vlan(*packet, layers));
  });
}
BENCHMARK(BM_PushPopVlan)->Arg(32);

}  // namespace
}  // namespace hoist::software

BENCHMARK_MAIN();

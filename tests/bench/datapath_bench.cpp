// SPDX-License-Identifier: BSD-3-Clause
#include <benchmark/benchmark.h>
#include <rte_cycles.h>
#include <rte_eth_ring.h>
#include <rte_mbuf.h>
#include <rte_ring.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "cycles.hpp"
#include "hoist/datapath.hpp"
#include "hoist/field.hpp"
#include "support/eal.hpp"
#include "support/packet_builder.hpp"

namespace hoist::test {
namespace {

constexpr unsigned kBurst = 32;

/// A switch of two ports whose packets are written anew, in few warm buffers, before each turn.
/// Only the turn is measured.
class Rig {
 public:
  Rig(const std::string& name, std::uint32_t flow_cache_entries, std::uint32_t flows)
      : flows_(flows) {
    start_eal();
    auto created = Datapath::create(
        {.flow_cache_entries = flow_cache_entries, .mbuf_count = 2048, .max_rules = 1u << 16});
    if (!created) std::exit(1);
    datapath_ = std::move(*created);
    bridge_ = *datapath_->add_bridge("br0");
    pool_ = rte_pktmbuf_pool_create((name + "m").c_str(), 1023, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
    for (std::uint32_t n = 1; n <= 2; ++n) {
      const std::string port = name + std::to_string(n);
      rings_[n - 1][0] =
          rte_ring_create((port + "r").c_str(), 64, 0, RING_F_SP_ENQ | RING_F_SC_DEQ);
      rings_[n - 1][1] =
          rte_ring_create((port + "t").c_str(), 64, 0, RING_F_SP_ENQ | RING_F_SC_DEQ);
      rte_eth_from_rings(port.c_str(), &rings_[n - 1][0], 1, &rings_[n - 1][1], 1, 0);
      const auto added = datapath_->add_port(
          bridge_, {.name = port, .number = PortNo{n}, .devargs = "net_ring_" + port});
      if (!added) std::exit(1);
    }
    template_ = Packet().eth().ipv4().udp().pad_to(60).bytes();
    for (rte_mbuf*& m : mbufs_) {
      m = rte_pktmbuf_alloc(pool_);
      std::memcpy(rte_pktmbuf_append(m, 60), template_.data(), 60);
    }
  }
  ~Rig() {
    rte_pktmbuf_free_bulk(mbufs_, kBurst);
    datapath_.reset();
    for (auto& pair : rings_) {
      for (rte_ring* ring : pair) rte_ring_free(ring);
    }
    rte_mempool_free(pool_);
  }

  void add(const Match& match, std::uint16_t priority) {
    add(match, priority, 0, {.apply_actions = {OutputAction{PortNo{2}, 0}}});
  }
  void add(const Match& match, std::uint16_t priority, std::uint8_t table_id,
           Instructions instructions) {
    auto spec = std::make_shared<RuleSpec>();
    spec->id = RuleId{++last_rule_};
    spec->table_id = table_id;
    spec->priority = priority;
    spec->match = MiniMatch(match);
    spec->instructions = std::make_shared<const Instructions>(std::move(instructions));
    const RuleChange change{RuleChange::Kind::kAdd, spec};
    datapath_->apply(bridge_, std::span(&change, 1));
  }

  /// Cycles of one turn with a full burst.
  std::uint64_t turn() {
    for (rte_mbuf* m : mbufs_) write_flow(*m, next_flow_ = (next_flow_ + 1) % flows_);
    rte_ring_sp_enqueue_bulk(rings_[0][0], reinterpret_cast<void**>(mbufs_), kBurst, nullptr);
    const std::uint64_t before = rte_rdtsc_precise();
    datapath_->run_once();
    const std::uint64_t cycles = rte_rdtsc_precise() - before;
    if (rte_ring_sc_dequeue_bulk(rings_[1][1], reinterpret_cast<void**>(mbufs_), kBurst, nullptr) !=
        kBurst) {
      std::exit(1);
    }
    return cycles;
  }
  void poll() {
    datapath_->poll([](PacketIn&&) {}, [](BridgeId, const PortStatus&) {});
  }

 private:
  // Destination 10.1.x.y and both ports vary.
  static void write_flow(rte_mbuf& m, std::uint32_t flow) {
    auto* frame = rte_pktmbuf_mtod(&m, std::uint8_t*);
    frame[30] = 10;
    frame[31] = 1;
    frame[32] = static_cast<std::uint8_t>(flow >> 8);
    frame[33] = static_cast<std::uint8_t>(flow);
    frame[35] = static_cast<std::uint8_t>(flow >> 16);
  }

  std::uint32_t flows_;
  std::uint32_t next_flow_ = 0;
  std::uint32_t last_rule_ = 0;
  std::unique_ptr<Datapath> datapath_;
  BridgeId bridge_{};
  rte_mempool* pool_ = nullptr;
  rte_ring* rings_[2][2]{};
  rte_mbuf* mbufs_[kBurst]{};
  Bytes template_;
};

Match udp_to(std::uint32_t address, std::uint32_t mask) {
  Match match{};
  const auto with = [&](FieldId id, std::uint64_t value, std::uint64_t bits) {
    set_field(match.value, field(id), field_value(value & bits), field_value(bits));
    set_field(match.mask, field(id), field_value(bits), field_value(bits));
  };
  with(FieldId::kEthType, 0x0800, 0xffff);
  with(FieldId::kIpProto, 17, 0xff);
  with(FieldId::kNwDst, address, mask);
  return match;
}
Match from_port_1() {
  Match match{};
  match.value.in_port = Be32{1};
  match.mask.in_port = Be32{0xffffffff};
  return match;
}

void measure(benchmark::State& state, Rig& rig) {
  rig.poll();
  for (std::int64_t i = 0; i < 2 * state.range(0) / kBurst + 8; ++i) rig.turn();
  bench::RoundCycles cycles(state, kBurst);
  for (auto _ : state) cycles.add(rig.turn());
}

std::string unique_name() {
  static int number = 0;
  std::string name("bench");
  name.append(std::to_string(++number)).append(1, 'p');
  return name;
}

/// `in_port=1,actions=output:2`: packets are not looked at.
void BM_PortRule(benchmark::State& state) {
  Rig rig(unique_name(), 1u << 20, static_cast<std::uint32_t>(state.range(0)));
  rig.add(from_port_1(), 1);
  measure(state, rig);
}

/// One rule on a prefix: one key for all flows.
void BM_PrefixRule(benchmark::State& state) {
  Rig rig(unique_name(), 1u << 20, static_cast<std::uint32_t>(state.range(0)));
  rig.add(udp_to(0x0a010000, 0xffff0000), 1);
  measure(state, rig);
}

/// A rule on whole addresses above it: one key a flow.
void BM_CachedFlows(benchmark::State& state) {
  Rig rig(unique_name(), 1u << 20, static_cast<std::uint32_t>(state.range(0)));
  rig.add(udp_to(0x0a010000, 0xffff0000), 1);
  Match other = udp_to(0x0b000001, 0xffffffff);
  other.mask.tp_src = Be16{0xffff};
  rig.add(other, 2);
  measure(state, rig);
}

/// The same without a cache: parse, two masks, one trail.
void BM_UncachedFlows(benchmark::State& state) {
  Rig rig(unique_name(), 0, static_cast<std::uint32_t>(state.range(0)));
  rig.add(udp_to(0x0a010000, 0xffff0000), 1);
  rig.add(udp_to(0x0b000001, 0xffffffff), 2);
  measure(state, rig);
}

/// Without a cache, a rule a destination address: many segments.
void BM_UncachedRules(benchmark::State& state) {
  const auto flows = static_cast<std::uint32_t>(state.range(0));
  Rig rig(unique_name(), 0, flows);
  for (std::uint32_t i = 0; i < flows; ++i) rig.add(udp_to(0x0a010000 + i, 0xffffffff), 1);
  measure(state, rig);
}

/// Without a cache, three tables and a register on the way.
void BM_UncachedTables(benchmark::State& state) {
  Rig rig(unique_name(), 0, static_cast<std::uint32_t>(state.range(0)));
  const Field& reg = field(FieldId::kReg0);
  rig.add(from_port_1(), 1, 0,
          {.apply_actions = {SetFieldAction{
               .field = FieldId::kReg0, .value = field_value(7), .mask = full_mask(reg)}},
           .goto_table = 1});
  rig.add(udp_to(0x0a010000, 0xffff0000), 1, 1, {.goto_table = 2});
  Match match{};
  set_field(match.value, reg, field_value(7), full_mask(reg));
  set_field(match.mask, reg, full_mask(reg), full_mask(reg));
  rig.add(match, 1, 2, {.apply_actions = {OutputAction{PortNo{2}, 0}}});
  measure(state, rig);
}

BENCHMARK(BM_PortRule)->Arg(1);
BENCHMARK(BM_PrefixRule)->Arg(1)->Arg(10000);
BENCHMARK(BM_CachedFlows)->Arg(1)->Arg(1000)->Arg(10000)->Arg(100000)->Arg(1000000);
BENCHMARK(BM_UncachedFlows)->Arg(1)->Arg(10000);
BENCHMARK(BM_UncachedRules)->Arg(17)->Arg(1000)->Arg(10000);
BENCHMARK(BM_UncachedTables)->Arg(10000);

}  // namespace
}  // namespace hoist::test

BENCHMARK_MAIN();

// SPDX-License-Identifier: BSD-3-Clause
//
// Rules per second from decoded flow mods into the NIC: rule store, planner, translator, install
// queue, and the emulated NIC at no insertion cost. Figures are of processor time: `offload` is the
// offload thread's part (the emulation's included), `store` the control thread's.
#include <benchmark/benchmark.h>
#include <malloc.h>
#include <rte_ethdev.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "classifier_rules.hpp"
#include "emulated_nic/control.h"
#include "hoist/flow_manager.hpp"
#include "openflow/rule_store.hpp"
#include "support/eal.hpp"
#include "support/ring_port.hpp"

namespace hoist::bench {
namespace {

constexpr BridgeId kBridge{0};
/// Flow mods that one publication holds: what a busy controller's read buffer brings.
constexpr std::size_t kModsAStep = 64;

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Two ports of an emulated NIC, for the whole run.
void start_nic() {
  ::mallopt(M_MMAP_THRESHOLD, 256 * 1024);  // as hoistd does
  ::mallopt(M_TOP_PAD, 32 * 1024 * 1024);
  ::mallopt(M_TRIM_THRESHOLD, 1 << 30);  // what one fill gave back the next one has
  test::start_eal();
  static test::FramePool pool("frames", 255);
  static std::vector<std::unique_ptr<test::RingPort>> ports;
  if (ports.empty()) emulated_nic_load_profile(EMULATED_NIC_PROFILES "/connectx.toml");
  for (std::uint16_t id = 0; ports.size() < 2; ++id) {
    ports.push_back(std::make_unique<test::RingPort>("nic" + std::to_string(id), pool.pool()));
    const rte_eth_conf conf{};
    rte_eth_dev_configure(id, 1, 1, &conf);
    rte_eth_rx_queue_setup(id, 0, 64, 0, nullptr, &pool.pool());
    rte_eth_tx_queue_setup(id, 0, 64, 0, nullptr);
    rte_eth_dev_start(id);
  }
}

class Switch {
 public:
  explicit Switch(std::uint32_t max_rules) : slab_(max_rules) {
    manager_ = FlowManager::create({.has_thread = false}, marks_, [] { return 1000; });
    for (std::uint16_t i = 0; i < 2; ++i) {
      PortStatus status{.name = "p", .number = PortNo{i + 1u}, .ethdev = EthdevId{i}};
      status.queues = 1;
      manager_->attach_port(kBridge, status);
      manager_->run_once();
    }
  }

  /// The control thread's part of one publication.
  void add(std::span<openflow::FlowMod> mods) {
    for (openflow::FlowMod& mod : mods) {
      static_cast<void>(store_.apply(std::move(mod), 1000, {}));
    }
    const openflow::Commit commit = store_.commit();
    manager_->submit(kBridge, commit.changes);
  }
  /// One turn of the offload thread.
  void turn() { manager_->run_once(); }

 private:
  openflow::RuleSlab slab_;
  openflow::InstructionPool pool_;
  openflow::RuleStore store_{kBridge, slab_, pool_,
                             [](const RuleSpec&) { return openflow::Decoded<void>(); }};
  ResumeTable marks_;
  std::unique_ptr<FlowManager> manager_;
};

openflow::FlowMod addition(const RuleLine& line) {
  openflow::FlowMod mod;
  mod.priority = line.priority;
  mod.match = line.match.expand();
  mod.instructions.apply_actions = {OutputAction{PortNo{2}, 0}};
  return mod;
}

/// Addresses behind one port, each a hardware rule.
std::vector<openflow::FlowMod> exact_table(std::uint32_t count) {
  std::vector<openflow::FlowMod> mods;
  mods.reserve(count);
  for (const RuleLine& line : one_mask(count).rules) {
    mods.push_back(addition(line));
    mods.back().match.value.in_port = Be32{1};
    mods.back().match.mask.in_port = Be32{UINT32_MAX};
  }
  return mods;
}

/// Half addresses, and prefixes in 64 masks that overlap; one rule in four rewrites, one in sixteen
/// is for software alone.
std::vector<openflow::FlowMod> mixed_table(std::uint32_t count) {
  std::vector<openflow::FlowMod> mods = exact_table(count / 2);
  for (const RuleLine& line : prefixes(count / 2, 64).rules) mods.push_back(addition(line));
  const Field& mac = *find_field("eth_dst");
  for (std::size_t i = 0; i < mods.size(); ++i) {
    auto& actions = mods[i].instructions.apply_actions;
    if (i % 4 == 0) {
      const ActionList old = std::exchange(
          actions,
          {SetFieldAction{
              .field = mac.id, .value = field_value(0x020000000000 + i), .mask = full_mask(mac)}});
      actions.append(old);
    }
    if (i % 16 == 1) actions = {OutputAction{PortNo::kController, 128}};
  }
  std::mt19937_64 rng(11);
  std::ranges::shuffle(mods, rng);
  return mods;
}

/// The two threads' parts of filling one table.
struct Seconds {
  double store = 0;
  double offload = 0;
};

Seconds fill(Switch& bridge, std::span<openflow::FlowMod> mods) {
  Seconds taken;
  for (std::size_t at = 0; at < mods.size(); at += kModsAStep) {
    const double start_s = thread_seconds();
    bridge.add(mods.subspan(at, std::min(kModsAStep, mods.size() - at)));
    const double middle_s = thread_seconds();
    bridge.turn();
    taken.offload += thread_seconds() - middle_s;
    taken.store += middle_s - start_s;
  }
  return taken;
}

/// The first fill is into memory that the system has still to give (`fresh`); the others' has been
/// used before.
template <class MakeTable>
void insert(benchmark::State& state, MakeTable make_table) {
  start_nic();
  emulated_nic_set_insertion_cost(0);
  Seconds first;
  Seconds best{.store = 1e9, .offload = 1e9};
  std::uint64_t hardware_rules = 0;
  for (auto _ : state) {
    auto mods = make_table(static_cast<std::uint32_t>(state.range(0)));
    Switch bridge(static_cast<std::uint32_t>(mods.size() + 1));
    const Seconds taken = fill(bridge, mods);
    if (first.offload == 0) first = taken;
    best = {std::min(best.store, taken.store), std::min(best.offload, taken.offload)};
    hardware_rules = emulated_nic_rule_count();
    if (hardware_rules == 0) return state.SkipWithError("no rules in the NIC");
    state.SetIterationTime(taken.offload);
  }
  const auto count = static_cast<double>(state.range(0));
  state.counters["rules_per_s"] = count / best.offload;
  state.counters["rules_per_s_fresh"] = count / first.offload;
  state.counters["store_rules_per_s"] = count / best.store;
  state.counters["hardware_rules_per_s"] = static_cast<double>(hardware_rules) / best.offload;
}
BENCHMARK_CAPTURE(insert, exact, exact_table)
    ->Arg(2000)
    ->Arg(200'000)
    ->Iterations(3)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(insert, mixed, mixed_table)
    ->Arg(2000)
    ->Arg(200'000)
    ->Iterations(3)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hoist::bench

BENCHMARK_MAIN();

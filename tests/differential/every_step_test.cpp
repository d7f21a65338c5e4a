// SPDX-License-Identifier: BSD-3-Clause
// Packets at every moment of a change: before each operation of the emulated NIC, and with
// operation i failing, for every i. A packet goes the old way or the new one, whatever happened.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <functional>
#include <map>
#include <random>
#include <string>

#include "differential.hpp"
#include "emulated_nic/control.h"
#include "hardware_view.hpp"
#include "offload/rules.hpp"
#include "offloaded_plane.hpp"
#include "support/eal.hpp"
#include "support/pipeline/random_scenario.hpp"

namespace hoist::test {
namespace {

std::string text(const Seen& seen) {
  std::string out = std::to_string(seen.packet_ins) + " packet-ins";
  for (const auto& [port, frames] : seen.sent) {
    for (const Bytes& frame : frames) {
      out += "; to " + std::to_string(to_integer(port)) + " " + hex(frame);
    }
  }
  return out;
}

/// errno of the failures, in turn: one that may pass, no room, one for good.
constexpr int kCodes[] = {EIO, ENOSPC, EINVAL};

class EveryStepTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    start_eal();
    plane_ = new OffloadedPlane("step", {.flow_cache_entries = 1024});
  }
  static void TearDownTestSuite() {
    delete plane_;
    plane_ = nullptr;
  }
  void SetUp() override {
    if (std::getenv("EMULATED_NIC") == nullptr) GTEST_SKIP() << "no profile: EMULATED_NIC";
    emulated_nic_set_hook(&EveryStepTest::before_operation, this);
  }
  void TearDown() override { emulated_nic_set_hook(nullptr, nullptr); }

  /// A moment between two operations: packets, then the verdict on the one to come.
  static int before_operation(void* self, int /*is_create*/) {
    return static_cast<EveryStepTest*>(self)->moment();
  }
  int moment() {
    if (before_ == nullptr) return 0;  // between two runs
    const std::uint64_t number = ++operations_;
    if (after_ != nullptr) pass_packets();
    if (number != failing_) return 0;
    return kCodes[number % std::size(kCodes)];
  }
  void pass_packets() {
    for (std::size_t i = 0; i < 2; ++i) {
      const Arrival& arrival = (*packets_)[next_packet_++ % packets_->size()];
      const Seen got = see(plane_->run({arrival}));
      const Seen new_way = see(after_->run({arrival}));
      const Seen old_way = see(before_->run({arrival}));
      if (got == new_way || (is_changing_ && got == old_way)) continue;
      ADD_FAILURE() << "operation " << operations_ << ", failing " << failing_ << ": " << what_
                    << "\nwent neither way: " << hex(arrival.frame) << "\ngot " << text(got)
                    << "\nnew " << text(new_way) << "\nold " << text(old_way) << "\n"
                    << describe(*scenario_);
    }
  }

  /// One step of both planes, with packets at each moment of it and after it.
  void change(const Changes& changes, const std::string& what) {
    ReferencePlane after = *before_;
    after.apply(changes);
    after_ = &after;
    step(what, [&] { plane_->begin(changes); });
    *before_ = std::move(after);
    after_ = nullptr;
  }
  void step(const std::string& what, const std::function<void()>& begin) {
    if (HasFailure()) return;
    what_ = what;
    is_changing_ = true;
    begin();
    while (!plane_->settle_one()) {
    }
    is_changing_ = false;
    for (std::size_t i = 0; i < packets_->size() / 2; ++i) pass_packets();
  }
  /// A port's rules leave, and come back.
  void replug(PortNo port) {
    ReferencePlane same = *before_;
    after_ = &same;
    step("removal of a port", [&] { plane_->begin_detach(port); });
    step("return of a port", [&] { plane_->begin_attach(port); });
    after_ = nullptr;
  }

  /// Adds one by one, modifies, exchanges several at once, and removes.
  void run_script() {
    const Changes& first = std::get<Changes>(scenario_->steps.front());
    ReferencePlane reference;
    reference.start(*scenario_);
    plane_->start(*scenario_);
    before_ = &reference;
    operations_ = 0;
    for (const RuleChange& addition : first) change({addition}, "addition");
    const Changes modified = modification_of(first);
    change(modified, "modification");
    replug(PortNo{1});
    replug(PortNo{2});
    Changes all{{RuleChange::Kind::kRemove, modified.back().rule}};
    for (std::size_t i = 1; i < first.size(); ++i) {
      all.push_back({RuleChange::Kind::kRemove, first[i].rule});
    }
    const Changes half(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2));
    change(half, "removal of several");
    for (std::size_t i = half.size(); i < all.size(); ++i) change({all[i]}, "removal");
    before_ = after_ = nullptr;
  }
  /// The first rule drops from now on: one out, one in, in one step.
  static Changes modification_of(const Changes& first) {
    RuleSpec spec = *first.front().rule;
    spec.id = RuleId{100};
    spec.instructions = std::make_shared<const Instructions>();
    return {{RuleChange::Kind::kRemove, first.front().rule},
            {RuleChange::Kind::kAdd, std::make_shared<const RuleSpec>(std::move(spec))}};
  }

  /// Any rules at all; false: the seed has none that this test can run.
  bool choose_any(std::uint64_t seed, Scenario& scenario) {
    scenario = random_scenario(seed, {.rules_max = 8, .bursts = 1, .burst_packets_max = 16});
    if (scenario.learns || scenario.tracks || !scenario.meters.empty()) return false;
    auto& changes = std::get<Changes>(scenario.steps.front());
    std::erase_if(changes, [](const RuleChange& c) { return !plane_->refusal(*c.rule).empty(); });
    auto& packets = std::get<Burst>(scenario.steps.back());
    std::erase_if(packets, [](const Arrival& arrival) { return !is_sound(arrival.frame); });
    return !packets.empty() && !changes.empty();
  }
  /// Three tables of overlapping rules that most NICs take, and all packets that they tell apart.
  static Scenario choose_overlapping(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(random() % n); };
    Changes changes;
    for (std::uint32_t id = 1; id <= 8; ++id) {
      const auto table = static_cast<std::uint8_t>(below(3));
      offload::Rule rule(id);
      rule.table(table).priority(static_cast<std::uint16_t>(10 * id + below(60) * 8));
      if (below(2) == 0) rule.match("in_port", 1 + below(2));
      if (below(3) != 0) rule.ip().match("nw_dst", below(4), below(4));
      const std::uint32_t kind = below(8);
      if (kind == 1) rule.act(OutputAction{PortNo::kController, 0xffff});
      if (kind > 1 && kind <= 4 && table < 2) rule.go_to(static_cast<std::uint8_t>(table + 1));
      if (kind > 4) rule.output(1 + below(3));
      changes.push_back({RuleChange::Kind::kAdd, rule.spec()});
    }
    Burst packets;
    for (std::uint32_t i = 0; i < 8; ++i) {
      const auto frame = Packet().eth().ipv4({.dst = Be32{i & 3}}).udp().payload(4).bytes();
      packets.push_back({PortNo{1 + (i >> 2)}, frame, i});
    }
    return {.seed = seed, .meters = {}, .steps = {changes, packets}};
  }
  /// The script as often as it has operations, another of them failing each time. How often.
  std::uint64_t run_all(const Scenario& scenario) {
    scenario_ = &scenario;
    packets_ = &std::get<Burst>(scenario.steps.back());
    std::uint64_t last = 0;
    for (failing_ = 0; failing_ <= last && !HasFailure(); ++failing_) {
      run_script();
      last = std::max(last, operations_);
    }
    return failing_;
  }

  static inline OffloadedPlane* plane_ = nullptr;
  const Scenario* scenario_ = nullptr;
  const Burst* packets_ = nullptr;
  ReferencePlane* before_ = nullptr;
  ReferencePlane* after_ = nullptr;
  bool is_changing_ = false;
  std::string what_;
  std::size_t next_packet_ = 0;
  std::uint64_t operations_ = 0;
  std::uint64_t failing_ = 0;  ///< 0: none.
};

#if defined(__SANITIZE_ADDRESS__)
constexpr std::uint64_t kSeeds = 1;  // A scenario takes twenty seconds with the sanitizers.
#else
constexpr std::uint64_t kSeeds = 4;
#endif

TEST_F(EveryStepTest, APacketMeetsTheOldRulesOrTheNewWhateverOperationFails) {
  std::uint64_t runs = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds && !HasFailure(); ++seed) {
    runs += run_all(choose_overlapping(seed));
  }
  EXPECT_EQ(emulated_nic_book("stale_touches"), 0u);
  std::printf("%lu runs\n", static_cast<unsigned long>(runs));
}

TEST_F(EveryStepTest, AnyKindOfRuleComesAndGoesWithoutAGap) {
  std::uint64_t runs = 0;
  for (std::uint64_t seed = 1; seed <= 2 * kSeeds && !HasFailure(); ++seed) {
    Scenario scenario;
    if (choose_any(seed, scenario)) runs += run_all(scenario);
  }
  EXPECT_EQ(emulated_nic_book("stale_touches"), 0u);
  std::printf("%lu runs\n", static_cast<unsigned long>(runs));
}

}  // namespace
}  // namespace hoist::test

// SPDX-License-Identifier: BSD-3-Clause
// The profile of the emulated NIC comes from the environment: ctest runs this program once a
// profile.
#include <gtest/gtest.h>

#include <cstdlib>

#include "differential.hpp"
#include "emulated_nic/control.h"
#include "hardware_view.hpp"
#include "offloaded_plane.hpp"
#include "support/eal.hpp"
#include "support/pipeline/random_scenario.hpp"

namespace hoist::test {
namespace {

/// What hardware drops and looks up, no counter of the datapath tells.
constexpr Strictness kWithHardware{
    .has_drops = false, .has_tables = false, .has_rule_bytes = false};

class OffloadDifferentialTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    start_eal();
    plane_ = new OffloadedPlane("nic", {.flow_cache_entries = 1024});
  }
  static void TearDownTestSuite() {
    delete plane_;
    plane_ = nullptr;
  }
  void SetUp() override {
    if (std::getenv("EMULATED_NIC") == nullptr) GTEST_SKIP() << "no profile: EMULATED_NIC";
  }
  /// Hardware's meters have a clock of their own: here none is ever beyond its rate.
  static void widen(std::vector<MeterConfig>& meters) {
    std::erase_if(meters, [](const MeterConfig& m) { return m.id == MeterId::kController; });
    for (MeterConfig& meter : meters) {
      meter.accounting = MeterConfig::Accounting::kLayer2;
      for (MeterBand& band : meter.bands) {
        band = {.rate = band.rate * 100'000, .burst_size = 4'000'000};
      }
    }
  }
  static void prepare(Scenario& scenario) {
    widen(scenario.meters);
    for (Step& step : scenario.steps) {
      auto* changes = std::get_if<Changes>(&step);
      if (changes != nullptr) leave_out_refused(*changes);
      auto* burst = std::get_if<Burst>(&step);
      if (burst == nullptr) continue;
      std::erase_if(*burst, [](const Arrival& arrival) { return !is_sound(arrival.frame); });
    }
  }
  static void leave_out_refused(Changes& changes) {
    std::erase_if(changes,
                  [&](const RuleChange& change) { return !plane_->refusal(*change.rule).empty(); });
  }
  static inline OffloadedPlane* plane_ = nullptr;
};

/// Else the tests below would show little.
TEST_F(OffloadDifferentialTest, APlainRuleIsInHardware) {
  Instructions drop;
  const auto rule = std::make_shared<RuleSpec>(
      RuleSpec{.id = RuleId{1},
               .table_id = 0,
               .priority = 1,
               .cookie = 0,
               .match = {},
               .instructions = std::make_shared<const Instructions>(std::move(drop))});
  plane_->start({});
  plane_->apply({{RuleChange::Kind::kAdd, rule}});
  const std::string placements = plane_->explain();
  (void)plane_->run({{PortNo{1}, Packet().eth().ipv4().udp().bytes(), 0}});
  EXPECT_EQ(plane_->counts().rules[RuleId{1}].packets, 1u);
  EXPECT_EQ(plane_->hardware_packets(), 1u) << placements;
}

TEST_F(OffloadDifferentialTest, PacketsNeverNoticeWhatCarriesThem) {
  run_many(*plane_, kWithHardware, 100, prepare);
  EXPECT_EQ(plane_->frames_in_use(), 0u);
  EXPECT_GT(plane_->hardware_packets(), 0u);
  std::printf("%lu packets through meters in hardware\n",
              static_cast<unsigned long>(plane_->metered_packets()));
  EXPECT_EQ(emulated_nic_book("stale_touches"), 0u);  // A handle used after its end.
  std::printf("%lu rule hits in hardware\n",
              static_cast<unsigned long>(plane_->hardware_packets()));
}

/// While one change is on its way into the NIC, sends packets one by one.
void change_under_traffic(OffloadedPlane& plane, ReferencePlane& before, const Changes& change,
                          const Burst& packets, const Scenario& scenario) {
  ReferencePlane after = before;
  after.apply(change);
  plane.begin(change);
  bool is_settled = false;
  for (const Arrival& arrival : packets) {
    const Seen got = see(plane.run({arrival}));
    const Seen new_way = see(after.run({arrival}));
    const Seen old_way = see(before.run({arrival}));
    const bool is_right = got == new_way || (!is_settled && got == old_way);
    ASSERT_TRUE(is_right) << "HOIST_DIFFERENTIAL_SEED=" << scenario.seed << "\n"
                          << describe(scenario) << "\nwent neither way: " << hex(arrival.frame);
    is_settled = is_settled || plane.settle_one();
  }
  while (!is_settled) is_settled = plane.settle_one();
  before = std::move(after);
}

TEST_F(OffloadDifferentialTest, WhileARuleChangesPacketsMeetTheOldOrTheNew) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Scenario scenario = random_scenario(seed, {.rules_max = 16, .bursts = 2});
    if (scenario.learns || !scenario.meters.empty()) continue;
    prepare(scenario);
    const auto& packets = std::get<Burst>(scenario.steps.back());
    ReferencePlane reference;
    reference.start(scenario);
    plane_->start(scenario);
    Changes& first = std::get<Changes>(scenario.steps.front());
    for (std::size_t i = 0; i < first.size() && !HasFailure(); ++i) {
      change_under_traffic(*plane_, reference, {first[i]}, packets, scenario);
    }
    for (std::size_t i = 0; i < first.size() && !HasFailure(); ++i) {
      const RuleChange removal{RuleChange::Kind::kRemove, first[i].rule};
      change_under_traffic(*plane_, reference, {removal}, packets, scenario);
    }
    if (HasFailure()) return;
  }
}

std::shared_ptr<const RuleSpec> metered(std::uint32_t id, std::uint16_t priority, PortNo to) {
  Instructions instructions;
  instructions.apply_actions = {MeterAction{1}, OutputAction{to, 0xffff}};
  return std::make_shared<RuleSpec>(
      RuleSpec{.id = RuleId{id},
               .table_id = 0,
               .priority = priority,
               .cookie = 0,
               .match = {},
               .instructions = std::make_shared<const Instructions>(std::move(instructions))});
}

/// Twice the rate comes in, while the meter changes planes ten times: each change may give it one
/// burst more, as both planes' buckets are full when they take over.
TEST_F(OffloadDifferentialTest, AMeterKeepsItsRateWhileItsRulesChangePlanes) {
  constexpr std::uint32_t kRate = 1000;
  constexpr std::uint32_t kBurst = 10;
  constexpr int kMoves = 10;
  constexpr int kMsBetween = 500;
  constexpr std::uint64_t kMs = 1'000'000;
  Scenario scenario;
  scenario.meters = {{.id = MeterId{1},
                      .flags = MeterConfig::kPktps,
                      .bands = {{.rate = kRate, .burst_size = kBurst}}}};
  std::uint64_t nic_ns = 1'000'000'000;
  emulated_nic_set_clock(nic_ns);
  plane_->start(scenario);
  plane_->apply({{RuleChange::Kind::kAdd, metered(1, 2, PortNo{2})}});
  // Never hit, but of a kind that only software has.
  const auto stranger = metered(2, 1, PortNo::kController);
  const Arrival arrival{PortNo{1}, Packet().eth().ipv4().udp().bytes(), 0};
  std::size_t passed = 0;
  for (int move = 0; move < kMoves; ++move) {
    const auto kind = move % 2 == 0 ? RuleChange::Kind::kAdd : RuleChange::Kind::kRemove;
    plane_->begin({{kind, stranger}});
    bool is_settled = false;
    for (int ms = 0; ms < kMsBetween; ++ms) {
      nic_ns += kMs;
      emulated_nic_set_clock(nic_ns);
      plane_->pass({kMs});
      for (int i = 0; i < 2; ++i) passed += see(plane_->run({arrival})).sent[PortNo{2}].size();
      is_settled = is_settled || plane_->settle_one();
    }
    EXPECT_TRUE(is_settled);
  }
  emulated_nic_set_clock(0);
  (void)plane_->counts();
  constexpr std::size_t kAllowed = std::size_t{kRate} * kMoves * kMsBetween / 1000;
  EXPECT_GE(passed, kAllowed - kBurst) << plane_->explain();
  EXPECT_LE(passed, kAllowed + (kMoves + 1) * kBurst) << plane_->explain();
  std::printf("%zu packets passed, %zu allowed; %lu met the meter in hardware\n", passed, kAllowed,
              static_cast<unsigned long>(plane_->metered_packets()));
}

}  // namespace
}  // namespace hoist::test

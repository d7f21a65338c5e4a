// SPDX-License-Identifier: BSD-3-Clause
// A NIC with room for a tenth of the rules, and Zipf traffic whose hot set shifts.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "emulated_nic/control.h"
#include "manager_bench.hpp"

namespace hoist::offload {
namespace {

using hoist::test::Bytes;
using hoist::test::Packet;

constexpr std::uint32_t kRules = 1000;
constexpr std::uint32_t kRoom = 100;
constexpr unsigned kPacketsASecond = 4000;

class RankingTest : public ManagerBench {
 protected:
  void SetUp() override {
    begin("connectx");
    const std::uint64_t steering = rule_count();
    // The steering that comes with the first rule, and table 0's last rule, are no rule's.
    add(Rule(kRules + 1).match("in_port", 2).ip().match("nw_dst", 1).output(1).spec());
    const std::uint64_t overhead = rule_count() - steering - 1;
    remove(kRules + 1);
    emulated_nic_set_room(steering + overhead + kRoom);
    std::vector<std::shared_ptr<const RuleSpec>> rules;
    for (std::uint32_t i = 1; i <= kRules; ++i) {
      rules.push_back(Rule(i).match("in_port", 1).ip().match("nw_dst", i).output(2).spec());
    }
    add(rules);
    by_rank_.resize(kRules);
    std::iota(by_rank_.begin(), by_rank_.end(), 1u);
    shuffle();
    std::vector<double> weights;
    for (std::uint32_t i = 1; i <= kRules; ++i) weights.push_back(1.0 / i);
    zipf_ = std::discrete_distribution<std::uint32_t>(weights.begin(), weights.end());
    optimum_ = std::accumulate(weights.begin(), weights.begin() + kRoom, 0.0) /
               std::accumulate(weights.begin(), weights.end(), 0.0);
  }
  void add(const std::vector<std::shared_ptr<const RuleSpec>>& rules) { ManagerBench::add(rules); }
  void add(const std::shared_ptr<const RuleSpec>& rule) { ManagerBench::add({rule}); }

  void shuffle() { std::ranges::shuffle(by_rank_, random_); }

  /// One second of traffic; the share that hardware carried.
  double second() {
    unsigned in_hardware = 0;
    std::map<RuleId, RuleHit> software;
    for (unsigned n = 0; n < kPacketsASecond; ++n) {
      const std::uint32_t rule = by_rank_[zipf_(random_)];
      const Bytes frame = Packet().eth().ipv4({.dst = Be32{rule}}).udp().payload(4).bytes();
      if (fate(1, frame) == 2) {
        ++in_hardware;
      } else {
        RuleHit& hit = software[RuleId{rule}];
        hit.rule = RuleId{rule};
        hit.count += {1, frame.size()};
      }
      if (n % (kPacketsASecond / 10) == 0) {
        now_ms_ += 100;
        manager_->run_once();
      }
    }
    std::vector<RuleHit> hits;
    for (const auto& [id, hit] : software) hits.push_back(hit);
    EXPECT_TRUE(manager_->wants_hits());
    manager_->observe(std::move(hits));
    manager_->run_once();
    return static_cast<double>(in_hardware) / kPacketsASecond;
  }
  double after_seconds(int seconds) {
    double share = 0;
    for (int i = 0; i < seconds; ++i) share = second();
    return share;
  }

  std::mt19937 random_{4711};
  std::vector<std::uint32_t> by_rank_;
  std::discrete_distribution<std::uint32_t> zipf_;
  double optimum_ = 0;
};

TEST_F(RankingTest, HardwareCarriesTheHotRulesWithinTenSeconds) {
  EXPECT_GE(after_seconds(10), 0.85 * optimum_);
  shuffle();
  EXPECT_LT(second(), 0.5 * optimum_);
  EXPECT_GE(after_seconds(9), 0.85 * optimum_);
}

TEST_F(RankingTest, SteadyTrafficMovesLittle) {
  after_seconds(15);
  const std::uint64_t before = book("creates");
  after_seconds(10);
  EXPECT_LT(book("creates") - before, kRoom * 3u) << "hot and cold rules change places for ever";
}

TEST_F(RankingTest, NothingMovesWhereNothingMay) {
  config_.moves_per_second = 0;
  SetUp();
  const std::uint64_t before = book("destroys");
  after_seconds(5);
  EXPECT_EQ(book("destroys"), before);
}

TEST_F(RankingTest, AFullNicSaysHowHotARuleWouldHaveToBe) {
  after_seconds(10);
  const Placement cold = placement(by_rank_.back());
  EXPECT_EQ(cold.refusal, Refusal::kTableFull);
  EXPECT_NE(cold.reason.find("packets/s"), std::string::npos) << cold.reason;
}

}  // namespace
}  // namespace hoist::offload

// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "emulated_nic/control.h"
#include "manager_bench.hpp"

namespace hoist::offload {
namespace {

using hoist::test::Bytes;
using hoist::test::Packet;
using ::testing::HasSubstr;

Bytes udp_to(std::uint32_t dst) {
  return Packet().eth().ipv4({.dst = Be32{dst}}).udp().payload(10).bytes();
}

Rule metered(std::uint32_t id, std::uint32_t dst, std::uint32_t meter) {
  return Rule(id).match("in_port", 1).ip().match("nw_dst", dst).act(MeterAction{meter}).output(2);
}

MeterConfig packets(std::uint32_t id, std::uint32_t rate, std::uint32_t burst) {
  return {.id = MeterId{id},
          .flags = MeterConfig::kPktps,
          .bands = {{.rate = rate, .burst_size = burst}}};
}

class ManagerMeterTest : public ManagerBench {
 protected:
  void SetUp() override {
    ManagerBench::SetUp();
    emulated_nic_set_clock(1'000'000'000);
  }
  void TearDown() override {
    emulated_nic_set_clock(0);
    ManagerBench::TearDown();
  }
  void set(const MeterConfig& config) {
    const MeterChange change{config.id, std::make_shared<const MeterConfig>(config)};
    settle(manager_->submit_meters(kBridge, std::span(&change, 1)));
  }
  /// Of so many frames, how many came out of port 2, and how many software got.
  struct Fates {
    int forwarded = 0;
    int software = 0;
  };
  Fates pass(std::uint32_t dst, int count) {
    Fates fates;
    for (int i = 0; i < count; ++i) {
      const int to = fate(1, udp_to(dst));
      fates.forwarded += to == 2 ? 1 : 0;
      fates.software += to == 0 ? 1 : 0;
    }
    return fates;
  }
  MeterHit hit(std::uint32_t meter) {
    settle(manager_->refresh_counters());
    manager_->collect_meters([&](const MeterHit& h) {
      meter_hits_[to_integer(h.meter)].in += h.in;
      meter_hits_[to_integer(h.meter)].dropped += h.dropped;
    });
    return meter_hits_[meter];
  }
  std::map<std::uint32_t, MeterHit> meter_hits_;
};

TEST_F(ManagerMeterTest, RulesShareTheRateInTheNic) {
  set(packets(7, 1, 3));
  add({metered(1, 1, 7).spec(), metered(2, 2, 7).spec()});
  EXPECT_EQ(placement(1).tier, Tier::kFull) << placement(1).reason;
  EXPECT_EQ(pass(1, 2).forwarded + pass(2, 5).forwarded, 3);
  EXPECT_EQ(hit(7).in.packets, 7u);
  EXPECT_EQ(hit(7).dropped.packets, 4u);
  EXPECT_EQ(carried(2).packets, 5u) << "what is dropped has matched";
}

TEST_F(ManagerMeterTest, WhatHardwareCannotPoliceStaysInSoftwareAndSaysWhy) {
  MeterConfig remark = packets(1, 10, 10);
  remark.bands[0].type = MeterBand::Type::kDscpRemark;
  MeterConfig two = packets(2, 10, 10);
  two.bands.push_back({.rate = 20, .burst_size = 20});
  MeterConfig wire{.id = MeterId{3}, .bands = {{.rate = 1000}}};
  wire.accounting = MeterConfig::Accounting::kLayer1;
  for (const auto& config : {remark, two, wire}) set(config);
  add({metered(1, 1, 1).spec(), metered(2, 2, 2).spec(), metered(3, 3, 3).spec()});
  EXPECT_EQ(placement(1).reason, "meter 1 is in software: hardware has no dscp_remark");
  EXPECT_EQ(placement(2).reason, "meter 2 is in software: hardware has meters of one band");
  EXPECT_EQ(placement(3).refusal, Refusal::kMeterInSoftware);
  EXPECT_EQ(pass(1, 2).software, 2);
}

TEST_F(ManagerMeterTest, ARuleInSoftwareKeepsTheOthersOfItsMeterThere) {
  set(packets(7, 1000, 1000));
  add(metered(1, 1, 7));
  EXPECT_EQ(pass(1, 1).forwarded, 1);
  add(metered(2, 2, 7).output(PortNo::kController));
  EXPECT_EQ(pass(1, 1).software, 1);
  EXPECT_EQ(placement(1).refusal, Refusal::kMeterInSoftware);
  EXPECT_THAT(placement(1).reason, HasSubstr("nw_dst=0.0.0.2"));
  remove(2);
  EXPECT_EQ(pass(1, 1).forwarded, 1) << placement(1).reason;
}

TEST_F(ManagerMeterTest, OneRuleAfterTheOtherMakesNoDifference) {
  set(packets(7, 1000, 1000));
  add(metered(2, 2, 7).output(PortNo::kController));
  add(metered(1, 1, 7));
  EXPECT_EQ(pass(1, 1).software, 1);
}

TEST_F(ManagerMeterTest, NewRateHoldsInTheNicAndCountersStay) {
  set(packets(7, 1, 2));
  add(metered(1, 1, 7));
  EXPECT_EQ(pass(1, 4).forwarded, 2);
  set(packets(7, 1, 100));
  EXPECT_EQ(pass(1, 4).forwarded, 4);
  EXPECT_EQ(hit(7).dropped.packets, 2u);
  MeterConfig two = packets(7, 10, 10);
  two.bands.push_back({.rate = 20, .burst_size = 20});
  set(two);
  EXPECT_EQ(pass(1, 1).software, 1);
  set(packets(7, 1, 100));
  EXPECT_EQ(pass(1, 1).forwarded, 1);
}

TEST_F(ManagerMeterTest, NicThatIsFullHoldsAllRulesOfAMeterOrNone) {
  begin("tiny");
  std::vector<std::shared_ptr<const RuleSpec>> rules;
  for (std::uint32_t m = 1; m <= 60; ++m) set(packets(m, 1'000'000, 1000));
  for (std::uint32_t m = 1; m <= 60; ++m) {
    rules.push_back(metered(2 * m, 2 * m, m).spec());
    rules.push_back(metered(2 * m + 1, 2 * m + 1, m).spec());
  }
  add(rules);
  unsigned in_hardware = 0;
  for (std::uint32_t m = 1; m <= 60; ++m) {
    const bool first = fate(1, udp_to(2 * m)) == 2;
    const bool second = fate(1, udp_to(2 * m + 1)) == 2;
    EXPECT_EQ(first, second) << placement(2 * m).reason << "; " << placement(2 * m + 1).reason;
    in_hardware += first ? 1u : 0u;
  }
  EXPECT_GT(in_hardware, 10u) << "it has 16 meters, and room for them";
  for (std::uint32_t m = 1; m <= 60; ++m) {
    remove(2 * m);
    remove(2 * m + 1);
  }
}

TEST_F(ManagerMeterTest, HotMetersTakeTheRoomOfColdOnes) {
  begin("tiny");
  constexpr std::uint32_t kMeters = 40;
  constexpr std::uint32_t kHot = 6;
  std::vector<std::shared_ptr<const RuleSpec>> rules;
  for (std::uint32_t m = 1; m <= kMeters; ++m) {
    set(packets(m, 1'000'000, 1000));
    rules.push_back(metered(2 * m, 2 * m, m).spec());
    rules.push_back(metered(2 * m + 1, 2 * m + 1, m).spec());
  }
  add(rules);
  const auto hot_in_hardware = [&] {
    std::uint32_t count = 0;
    for (std::uint32_t m = kMeters - kHot + 1; m <= kMeters; ++m) {
      const bool first = fate(1, udp_to(2 * m)) == 2;
      EXPECT_EQ(first, fate(1, udp_to(2 * m + 1)) == 2);
      count += first ? 1u : 0u;
    }
    return count;
  };
  ASSERT_LT(hot_in_hardware(), kHot) << "the first that came have the room";
  for (int second = 0; second < 5; ++second) {
    EXPECT_TRUE(manager_->wants_hits());
    std::vector<RuleHit> hits;
    for (std::uint32_t m = kMeters - kHot + 1; m <= kMeters; ++m) {
      if (placement(2 * m).tier != Tier::kSoftware) continue;
      hits.push_back({.rule = RuleId{2 * m}, .count = {60, 6000}});
      hits.push_back({.rule = RuleId{2 * m + 1}, .count = {40, 4000}});
    }
    manager_->observe(std::move(hits));
    for (std::uint32_t m = kMeters - kHot + 1; m <= kMeters; ++m) pass(2 * m, 100);
    for (int i = 0; i < 10; ++i) {
      now_ms_ += 100;
      manager_->run_once();
    }
  }
  EXPECT_EQ(hot_in_hardware(), kHot);
  const auto cold_in_hardware = [&] {
    std::uint32_t count = 0;
    for (std::uint32_t m = 1; m <= kMeters - kHot; ++m)
      count += fate(1, udp_to(2 * m)) == 2 ? 1u : 0u;
    return count;
  };
  EXPECT_EQ(cold_in_hardware(), 16 - kHot) << "no more than needed gave way";
  for (std::uint32_t m = 1; m <= kMeters; ++m) {
    remove(2 * m);
    remove(2 * m + 1);
  }
}

TEST_F(ManagerMeterTest, SeveralMetersInARuleAreSoftwares) {
  set(packets(1, 10, 10));
  set(packets(2, 10, 10));
  add(metered(1, 1, 1));
  add(Rule(2)
          .match("in_port", 1)
          .ip()
          .match("nw_dst", 9)
          .act(MeterAction{1})
          .act(MeterAction{2})
          .output(2));
  EXPECT_EQ(placement(2).reason, "meter 1 is in software: a rule has several meters");
  EXPECT_EQ(pass(1, 1).software, 1);
}

}  // namespace
}  // namespace hoist::offload

// SPDX-License-Identifier: BSD-3-Clause
// rte_mtr: meters in rules, their rates, their counters, what is refused.
#include <rte_errno.h>
#include <rte_mtr.h>

#include "emulated_nic/control.h"
#include "nic_bench.hpp"

namespace emulated_nic::test {
namespace {

using hoist::test::Packet;

constexpr std::uint64_t kSecond = 1'000'000'000;

class MeterTest : public NicBench {
 protected:
  void SetUp() override {
    use("connectx");
    emulated_nic_set_clock(kSecond);
  }
  void TearDown() override {
    emulated_nic_set_clock(0);
    NicBench::TearDown();
  }

  static rte_mtr_meter_profile srtcm(std::uint64_t cir, std::uint64_t cbs, std::uint64_t ebs = 0,
                                     bool in_packets = false) {
    rte_mtr_meter_profile profile{};
    profile.alg = RTE_MTR_SRTCM_RFC2697;
    profile.srtcm_rfc2697.cir = cir;
    profile.srtcm_rfc2697.cbs = cbs;
    profile.srtcm_rfc2697.ebs = ebs;
    profile.packet_mode = in_packets ? 1 : 0;
    return profile;
  }

  /// Meter 1 with profile 1 and policy 1, which lets green and yellow pass.
  void make_meter(rte_mtr_meter_profile profile, std::uint64_t stats = 0, bool is_shared = true) {
    rte_mtr_error error{};
    ASSERT_EQ(rte_mtr_meter_profile_add(0, 1, &profile, &error), 0) << error.message;
    const rte_flow_action drop[] = {{.type = RTE_FLOW_ACTION_TYPE_DROP},
                                    {.type = RTE_FLOW_ACTION_TYPE_END}};
    rte_mtr_meter_policy_params policy{};
    policy.actions[RTE_COLOR_RED] = drop;
    ASSERT_EQ(rte_mtr_meter_policy_add(0, 1, &policy, &error), 0) << error.message;
    rte_mtr_params params{};
    params.meter_profile_id = params.meter_policy_id = 1;
    params.meter_enable = 1;
    params.stats_mask = stats;
    ASSERT_EQ(rte_mtr_create(0, 1, &params, is_shared ? 1 : 0, &error), 0) << error.message;
  }
  static Flow metered(std::uint16_t from) {
    return Flow::transfer()
        .from(from)
        .eth()
        .action_with(RTE_FLOW_ACTION_TYPE_METER, rte_flow_action_meter{.mtr_id = 1})
        .to(2);
  }
  static Bytes frame() { return Packet().eth().pad_to(100).bytes(); }
  /// How many of `count` frames of 100 bytes come through, all at the same instant.
  std::size_t through(int count) {
    for (int i = 0; i < count; ++i) pass(0, frame());
    return sent(2).size();
  }
};

TEST_F(MeterTest, BurstPassesThenTheRateDoes) {
  make_meter(srtcm(1000, 500));
  install(metered(0));
  EXPECT_EQ(through(10), 5u);
  emulated_nic_set_clock(kSecond + kSecond / 10);
  EXPECT_EQ(through(10), 1u);
  emulated_nic_set_clock(kSecond * 100);
  EXPECT_EQ(through(10), 5u);
  EXPECT_EQ(book("metered_out"), 19u);
}

TEST_F(MeterTest, ExcessBurstIsFilledByWhatOverflowsTheCommittedOne) {
  make_meter(srtcm(1000, 200, 300));
  install(metered(0));
  EXPECT_EQ(through(10), 5u);  // Green and yellow pass.
  emulated_nic_set_clock(kSecond + kSecond / 2);
  EXPECT_EQ(through(10), 5u);
}

TEST_F(MeterTest, PacketMode) {
  make_meter(srtcm(10, 3, 0, true));
  install(metered(0));
  EXPECT_EQ(through(10), 3u);
  emulated_nic_set_clock(kSecond + kSecond / 5);
  EXPECT_EQ(through(10), 2u);
}

TEST_F(MeterTest, RulesShareAMeter) {
  make_meter(srtcm(1000, 500));
  install(metered(0));
  install(metered(1));
  for (int i = 0; i < 4; ++i) {
    pass(0, frame());
    pass(1, frame());
  }
  EXPECT_EQ(sent(2).size(), 5u);
}

TEST_F(MeterTest, UnsharedMeterTakesOneRule) {
  make_meter(srtcm(1000, 500), 0, false);
  install(metered(0));
  rte_flow_error error{};
  EXPECT_EQ(metered(1).create(0, error), nullptr);
  EXPECT_EQ(rte_errno, EBUSY);
}

TEST_F(MeterTest, OnlyDropsAreCountedOnConnectX) {
  make_meter(srtcm(1000, 500), RTE_MTR_STATS_N_PKTS_DROPPED | RTE_MTR_STATS_N_BYTES_DROPPED);
  install(metered(0));
  through(8);
  rte_mtr_stats stats{};
  std::uint64_t mask = 0;
  rte_mtr_error error{};
  EXPECT_EQ(rte_mtr_stats_read(0, 1, &stats, &mask, 1, &error), 0);
  EXPECT_EQ(stats.n_pkts_dropped, 3u);
  EXPECT_EQ(stats.n_bytes_dropped, 300u);
  EXPECT_EQ(stats.n_pkts[RTE_COLOR_GREEN], 0u);
  EXPECT_EQ(rte_mtr_stats_read(0, 1, &stats, &mask, 0, &error), 0);
  EXPECT_EQ(stats.n_pkts_dropped, 0u);
  EXPECT_EQ(
      rte_mtr_stats_update(0, 1, RTE_MTR_STATS_N_PKTS_GREEN | RTE_MTR_STATS_N_PKTS_DROPPED, &error),
      0);
  EXPECT_EQ(rte_mtr_stats_read(0, 1, &stats, &mask, 0, &error), 0);
  EXPECT_EQ(mask, static_cast<std::uint64_t>(RTE_MTR_STATS_N_PKTS_DROPPED));
}

TEST_F(MeterTest, ProfileUpdateChangesTheRateAndKeepsCounters) {
  make_meter(srtcm(1000, 500), RTE_MTR_STATS_N_PKTS_DROPPED);
  install(metered(0));
  through(8);
  rte_mtr_meter_profile twice = srtcm(2000, 200);
  rte_mtr_error error{};
  ASSERT_EQ(rte_mtr_meter_profile_add(0, 2, &twice, &error), 0);
  ASSERT_EQ(rte_mtr_meter_profile_update(0, 1, 2, &error), 0);
  EXPECT_EQ(through(5), 2u);
  rte_mtr_stats stats{};
  std::uint64_t mask = 0;
  EXPECT_EQ(rte_mtr_stats_read(0, 1, &stats, &mask, 0, &error), 0);
  EXPECT_EQ(stats.n_pkts_dropped, 6u);
  EXPECT_EQ(rte_mtr_meter_profile_delete(0, 1, &error), 0);
  EXPECT_EQ(rte_mtr_meter_profile_delete(0, 2, &error), -EBUSY);
}

TEST_F(MeterTest, RatesAreRoundedToTheMantissa) {
  make_meter(srtcm(1'000'000, 1001));  // 8 significant bits: 1001 becomes 1000.
  install(metered(0));
  const Bytes big = Packet().eth().pad_to(1001).bytes();
  pass(0, big);
  EXPECT_EQ(sent(2).size(), 0u);
}

TEST_F(MeterTest, DisabledMeterLetsPass) {
  make_meter(srtcm(1000, 500));
  install(metered(0));
  rte_mtr_error error{};
  EXPECT_EQ(rte_mtr_meter_disable(0, 1, &error), 0);
  EXPECT_EQ(through(10), 10u);
  EXPECT_EQ(rte_mtr_meter_enable(0, 1, &error), 0);
  EXPECT_EQ(through(10), 5u);
}

TEST_F(MeterTest, MeterInUseCannotGo) {
  make_meter(srtcm(1000, 500));
  rte_flow* flow = install(metered(0));
  rte_mtr_error error{};
  EXPECT_EQ(rte_mtr_destroy(0, 1, &error), -EBUSY);
  EXPECT_EQ(error.type, RTE_MTR_ERROR_TYPE_MTR_ID);
  EXPECT_EQ(rte_mtr_meter_policy_delete(0, 1, &error), -EBUSY);
  rte_flow_error flow_error{};
  EXPECT_EQ(rte_flow_destroy(0, flow, &flow_error), 0);
  EXPECT_EQ(rte_mtr_destroy(0, 1, &error), 0);
  EXPECT_EQ(rte_mtr_meter_policy_delete(0, 1, &error), 0);
  EXPECT_EQ(metered(0).create(0, flow_error), nullptr);
  EXPECT_EQ(flow_error.type, RTE_FLOW_ERROR_TYPE_ACTION_CONF);
}

TEST_F(MeterTest, TinyNicHasRoomFor16Meters) {
  use("tiny");
  make_meter(srtcm(1000, 500));
  rte_mtr_params params{};
  params.meter_profile_id = params.meter_policy_id = 1;
  rte_mtr_error error{};
  for (std::uint32_t id = 2; id <= 16; ++id) {
    EXPECT_EQ(rte_mtr_create(0, id, &params, 1, &error), 0);
  }
  EXPECT_EQ(rte_mtr_create(0, 17, &params, 1, &error), -ENOMEM);
}

TEST_F(MeterTest, BasicNicHasNoMeters) {
  use("basic");
  rte_mtr_capabilities caps{};
  rte_mtr_error error{};
  EXPECT_EQ(rte_mtr_capabilities_get(0, &caps, &error), -ENOTSUP);
}

TEST_F(MeterTest, TwoRatesColourByPeakFirst) {
  rte_mtr_meter_profile profile{};
  profile.alg = RTE_MTR_TRTCM_RFC2698;
  profile.trtcm_rfc2698.cir = 1000;
  profile.trtcm_rfc2698.cbs = 200;
  profile.trtcm_rfc2698.pir = 2000;
  profile.trtcm_rfc2698.pbs = 400;
  use("ideal");
  make_meter(profile, RTE_MTR_STATS_N_PKTS_GREEN | RTE_MTR_STATS_N_PKTS_YELLOW |
                          RTE_MTR_STATS_N_PKTS_DROPPED);
  install(metered(0));
  EXPECT_EQ(through(6), 4u);
  rte_mtr_stats stats{};
  std::uint64_t mask = 0;
  rte_mtr_error error{};
  EXPECT_EQ(rte_mtr_stats_read(0, 1, &stats, &mask, 0, &error), 0);
  EXPECT_EQ(stats.n_pkts[RTE_COLOR_GREEN], 2u);
  EXPECT_EQ(stats.n_pkts[RTE_COLOR_YELLOW], 2u);
  EXPECT_EQ(stats.n_pkts_dropped, 2u);
}

}  // namespace
}  // namespace emulated_nic::test

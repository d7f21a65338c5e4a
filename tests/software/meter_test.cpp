// SPDX-License-Identifier: BSD-3-Clause
#include "meter/meter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <memory>
#include <thread>

namespace hoist::software {
namespace {

constexpr MeterTime kMs = MeterTime{1'000'000} << kMeterTimeShift;
constexpr MeterTime kStart = ~MeterTime{0} - 500 * kMs;  // the clock wraps half a second later

struct Free {
  void operator()(Meter* m) const { std::free(m); }
};
using OwnedMeter = std::unique_ptr<Meter, Free>;

OwnedMeter make(const MeterConfig& config, MeterTime now = kStart) {
  auto* memory = static_cast<char*>(std::aligned_alloc(64, 8 * Meter::kLine));
  return OwnedMeter(Meter::create(memory, memory + Meter::kLine, config, now));
}

MeterConfig drop_at(std::uint32_t rate, std::uint32_t burst,
                    std::uint16_t flags = MeterConfig::kKbps) {
  return {.id = MeterId{1}, .flags = flags, .bands = {{.rate = rate, .burst_size = burst}}};
}

std::uint64_t drops(Meter& meter, std::vector<std::uint16_t> lengths, MeterTime now) {
  MeterVerdict verdict;
  const std::vector<std::uint16_t> l3_offsets(lengths.size(), 14);
  meter.police(lengths, l3_offsets.data(), now, verdict);
  return verdict.drop;
}

/// Bytes passed of a load of `load_kbps` over `ms` in bursts of 32, policed by so many workers in
/// turn, whose clocks differ by a microsecond.
std::uint64_t passed(Meter& meter, std::uint16_t length, std::uint64_t load_kbps, std::uint64_t ms,
                     unsigned workers) {
  const std::vector<std::uint16_t> burst(32, length);
  unsigned turn = 0;
  const double gap = 32.0 * length * 8 / static_cast<double>(load_kbps) * static_cast<double>(kMs);
  std::uint64_t bytes = 0;
  for (double t = 0; t < static_cast<double>(ms * kMs); t += gap) {
    const MeterTime lag = (turn++ % workers) * (kMs / 1000);
    const auto dropped = drops(meter, burst, kStart + static_cast<MeterTime>(t) - lag);
    bytes += static_cast<std::uint64_t>(32 - std::popcount(dropped)) * length;
  }
  return bytes;
}

MeterStats stats_of(const Meter& meter) {
  MeterStats stats;
  meter.read_stats(stats);
  return stats;
}

TEST(MeterTest, OneLinePerBand) {
  EXPECT_EQ(sizeof(Meter), 64u);
  EXPECT_EQ(Meter::further_lines(1), 0u);
  EXPECT_EQ(Meter::further_lines(2), 1u);
}

TEST(MeterTest, PacketsBeyondTheBurstAreDroppedInOrder) {
  auto meter = make(drop_at(1, 1, MeterConfig::kPktps));
  EXPECT_EQ(drops(*meter, {60, 60, 60, 60, 60}, kStart), 0b11110u);
  EXPECT_EQ(drops(*meter, {60}, kStart + 999 * kMs), 1u);
  EXPECT_EQ(drops(*meter, {60}, kStart + 1000 * kMs), 0u);
}

TEST(MeterTest, KilobitsCountFrameBytesWithoutFcs) {
  auto meter = make(drop_at(1, 2));  // 2,000 bits: four frames of 480
  EXPECT_EQ(drops(*meter, {60, 60, 60, 60, 60, 60, 60}, kStart), 0b1110000u);
  EXPECT_EQ(drops(*meter, {60, 60}, kStart + 870 * kMs), 0b10u);
  EXPECT_EQ(drops(*meter, {60, 60}, kStart + 880 * kMs), 0b10u);
  EXPECT_EQ(drops(*meter, {60, 60}, kStart + 1360 * kMs), 0b10u);
}

TEST(MeterTest, RefusedPacketCostsNothing) {
  auto meter = make(drop_at(8, 8));  // 1,000 bytes a second and at once
  EXPECT_EQ(drops(*meter, {600, 500, 400}, kStart), 0b010u);
}

TEST(MeterTest, ManyBurstsOfZeroSizeStandForOneSecond) {
  auto meter = make(drop_at(8, 0));
  EXPECT_EQ(drops(*meter, {500, 500, 1}, kStart), 0b100u);
}

struct RateCase {
  std::uint32_t rate_kbps;
  std::uint16_t length;
  unsigned workers;
};
class MeterRateTest : public testing::TestWithParam<RateCase> {};

TEST_P(MeterRateTest, PassesRateAndBurstWithinHalfAPercent) {
  const auto [rate, length, workers] = GetParam();
  // Deep enough for a whole burst of 32, or the load itself would be burstier than the meter.
  const std::uint32_t burst = std::max(rate / 100, 32u * length * 8 / 1000 * 2);
  auto meter = make(drop_at(rate, burst));
  // Ten seconds, but for the highest rates: of these as many as are 20 million frames.
  const std::uint64_t frames_a_second = std::uint64_t{rate} * 2000 / (8u * length) + 1;
  const std::uint64_t ms = std::min<std::uint64_t>(10'000, 20'000'000'000 / frames_a_second);
  const double allowed = (static_cast<double>(rate) * static_cast<double>(ms) + burst * 1000.0) / 8;
  EXPECT_NEAR(static_cast<double>(passed(*meter, length, 2ull * rate, ms, workers)), allowed,
              std::max(0.005 * allowed, 64.0 * length));
}

std::vector<RateCase> rate_cases() {
  std::vector<RateCase> out;
  for (const std::uint32_t rate : {64u, 10'000u, 1'000'000u, 100'000'000u}) {
    for (const std::uint16_t length :
         {std::uint16_t{64}, std::uint16_t{1500}, std::uint16_t{9000}}) {
      for (const unsigned workers : {1u, 2u}) out.push_back({rate, length, workers});
    }
  }
  return out;
}
INSTANTIATE_TEST_SUITE_P(All, MeterRateTest, testing::ValuesIn(rate_cases()), [](const auto& one) {
  return std::to_string(one.param.rate_kbps) + "kbps" + std::to_string(one.param.length) + "B" +
         std::to_string(one.param.workers) + "Workers";
});

TEST(MeterTest, WorkersTogetherGetOneRate) {
  auto meter = make(drop_at(1'000'000, 1000));  // 125,000 bytes at once, then time stands still
  std::array<std::uint64_t, 2> bytes{};
  auto work = [&](std::size_t i) {
    const std::vector<std::uint16_t> burst(32, 64);
    for (int n = 0; n < 2000; ++n) {
      bytes[i] += 64u * static_cast<unsigned>(32 - std::popcount(drops(*meter, burst, kStart)));
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  EXPECT_EQ(bytes[0] + bytes[1], 125'000 / 64 * 64u);
}

TEST(MeterTest, TheExceededBandOfTheHighestRateActs) {
  MeterConfig config = drop_at(8, 8);
  config.bands = {
      {.type = MeterBand::Type::kDscpRemark, .prec_level = 1, .rate = 8, .burst_size = 8},
      {.type = MeterBand::Type::kDrop, .rate = 16, .burst_size = 16}};
  auto meter = make(config);
  MeterVerdict verdict;
  meter->police(std::array<std::uint16_t, 4>{500, 500, 500, 600}, nullptr, kStart, verdict);
  EXPECT_EQ(verdict.remark, 0b0100u);
  EXPECT_EQ(verdict.prec_level[2], 1);
  EXPECT_EQ(verdict.drop, 0b1000u);
  const MeterStats stats = stats_of(*meter);
  EXPECT_EQ(stats.in, (TrafficCount{4, 2100}));
  EXPECT_EQ(stats.bands[0], (TrafficCount{1, 500}));
  EXPECT_EQ(stats.bands[1], (TrafficCount{1, 600}));
}

TEST(MeterTest, LayersOneAndThreeCountOtherBytes) {
  MeterConfig config = drop_at(8, 8);
  config.accounting = MeterConfig::Accounting::kLayer1;
  EXPECT_EQ(drops(*make(config), {476, 476, 1}, kStart), 0b100u);
  config.accounting = MeterConfig::Accounting::kLayer3;
  EXPECT_EQ(drops(*make(config), {514, 514, 15}, kStart), 0b100u);
}

TEST(MeterTest, NewRateHoldsAtOnceAndCountersStay) {
  auto meter = make(drop_at(8, 8000));  // a million bytes at once
  EXPECT_EQ(drops(*meter, std::vector<std::uint16_t>(64, 15625), kStart), 0u);
  meter->configure(drop_at(8000, 8), nullptr, kStart);  // 1,000 bytes a millisecond and at once
  EXPECT_EQ(drops(*meter, {1000}, kStart), 1u);
  EXPECT_EQ(drops(*meter, {1000, 1}, kStart + kMs), 0b10u);
  EXPECT_EQ(stats_of(*meter).in, (TrafficCount{67, 1'002'001}));
}

TEST(MeterTest, BandsComeAndGoAndTheOthersKeepTheirState) {
  auto meter = make(drop_at(8, 8));
  EXPECT_EQ(drops(*meter, {1000, 1}, kStart), 0b10u);
  MeterConfig two = drop_at(8, 8);
  two.bands.push_back({.rate = 80, .burst_size = 80});
  char* further = reinterpret_cast<char*>(meter.get()) + 3 * Meter::kLine;
  meter->configure(two, further, kStart);
  EXPECT_EQ(meter->further(), further);
  EXPECT_EQ(drops(*meter, {1}, kStart), 1u);
  ASSERT_EQ(stats_of(*meter).bands.size(), 2u);
  EXPECT_EQ(stats_of(*meter).bands[0], (TrafficCount{2, 2}));
  EXPECT_EQ(stats_of(*meter).bands[1], (TrafficCount{0, 0}));
  meter->configure(drop_at(8, 8), nullptr, kStart);
  ASSERT_EQ(stats_of(*meter).bands.size(), 1u);
  EXPECT_EQ(stats_of(*meter).bands[0], (TrafficCount{2, 2}));
}

TEST(MeterTest, WithoutBandsItOnlyCounts) {
  MeterConfig config = drop_at(1, 1);
  config.bands.clear();
  auto meter = make(config);
  EXPECT_EQ(drops(*meter, {60, 60}, kStart), 0u);
  EXPECT_EQ(stats_of(*meter).in, (TrafficCount{2, 120}));
}

TEST(MeterTest, LongIdleFillsTheBucketOnce) {
  auto meter = make(drop_at(8, 8));
  EXPECT_EQ(drops(*meter, {1000}, kStart), 0u);
  EXPECT_EQ(drops(*meter, {1000, 1}, kStart + 86'400'000 * kMs), 0b10u);
}

}  // namespace
}  // namespace hoist::software

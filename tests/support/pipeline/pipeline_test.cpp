// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "support/pipeline/random_scenario.hpp"
#include "support/pipeline/shrink.hpp"
#include "support/reference/interpreter.hpp"

namespace hoist::test {
namespace {

struct Tally {
  std::uint64_t packets = 0, matched = 0, sent = 0;
};

void run(const Scenario& scenario, Tally& tally) {
  std::vector<reference::Interpreter::Port> ports;
  for (std::uint32_t n = 1; n <= scenario.port_count; ++n) ports.push_back({.number = PortNo{n}});
  reference::Interpreter bridge(ports);
  for (const Step& step : scenario.steps) {
    if (const auto* changes = std::get_if<Changes>(&step)) {
      bridge.apply(*changes);
      continue;
    }
    const auto* burst = std::get_if<Burst>(&step);
    if (burst == nullptr) continue;
    for (const Arrival& arrival : *burst) {
      const auto fate = bridge.receive(arrival.in_port, arrival.frame);
      ++tally.packets;
      tally.sent += std::uint64_t{!fate.sent.empty()};
    }
  }
  tally.matched += bridge.table(0).count().matches;
}

TEST(RandomScenarioTest, MostPacketsMatchAndManyAreSent) {
  Tally tally;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) run(random_scenario(seed), tally);
  EXPECT_GT(tally.matched * 10, tally.packets * 3);
  EXPECT_GT(tally.sent * 10, tally.packets * 2);
}

TEST(RandomScenarioTest, SameSeedGivesTheSameScenario) {
  EXPECT_EQ(describe(random_scenario(7)), describe(random_scenario(7)));
  EXPECT_NE(describe(random_scenario(7)), describe(random_scenario(8)));
}

std::size_t count_packets(const Scenario& scenario) {
  std::size_t count = 0;
  for (const Step& step : scenario.steps) {
    if (const auto* burst = std::get_if<Burst>(&step)) count += burst->size();
  }
  return count;
}

TEST(ShrinkTest, LeavesOnlyWhatIsNeededToFail) {
  const auto fails = [](const Scenario& s) { return count_packets(s) >= 3; };
  const Scenario small = shrink(random_scenario(3), fails);
  EXPECT_EQ(count_packets(small), 3u);
  EXPECT_LE(small.steps.size(), 3u);
}

}  // namespace
}  // namespace hoist::test

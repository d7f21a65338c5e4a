// SPDX-License-Identifier: BSD-3-Clause
#include "datapath/queue_plan.hpp"

#include <gtest/gtest.h>

#include "datapath/queue_table.hpp"

namespace hoist::software {
namespace {

using Plan = std::vector<unsigned>;

Plan plan(std::vector<PlannedQueue> queues, unsigned workers) {
  return plan_queues(queues, workers);
}

TEST(QueuePlanTest, HeaviestGoFirstToTheLeastLoaded) {
  EXPECT_EQ(plan({{10, {}}, {50, {}}, {30, {}}, {20, {}}}, 2), (Plan{0, 0, 1, 1}));
}

TEST(QueuePlanTest, QueuesWithoutLoadAreSpreadByNumber) {
  EXPECT_EQ(plan({{0, {}}, {0, {}}, {0, {}}, {0, {}}}, 2), (Plan{0, 1, 0, 1}));
}

TEST(QueuePlanTest, PinnedQueuesHaveTheirWorkerForThemselves) {
  EXPECT_EQ(plan({{90, {}}, {1, 1u}, {80, {}}}, 3), (Plan{0, 1, 2}));
}

TEST(QueuePlanTest, WhereAllWorkersHavePinnedQueuesFreeOnesJoinThem) {
  EXPECT_EQ(plan({{50, 0u}, {10, 1u}, {5, {}}}, 2), (Plan{0, 1, 1}));
}

TEST(QueuePlanTest, VarianceIsInSquaredPercentOfWhatAWorkerCarries) {
  const std::vector<PlannedQueue> queues{{600, {}}, {200, {}}};
  EXPECT_EQ(load_variance(queues, Plan{0, 0}, 2, 1000), 1600u);
  EXPECT_EQ(load_variance(queues, Plan{0, 1}, 2, 1000), 400u);
}

TEST(QueueTableTest, NewQueuesGoToTheWorkerWithTheFewest) {
  QueueTable table(2);
  table.add_port(0, 0, 3);
  table.add_port(1, 1, 1);
  View view;
  table.fill(view);
  EXPECT_EQ(view.queues.at(0).size(), 2u);
  EXPECT_EQ(view.queues.at(1).size(), 2u);
}

TEST(QueueTableTest, QueueThatMovesIsServedByNobodyUntilItsOldWorkerIsDone) {
  QueueTable table(2);
  table.add_port(0, 0, 1);
  ASSERT_TRUE(table.move_to(Plan{1}));
  View resting;
  table.fill(resting);
  EXPECT_TRUE(resting.queues.at(0).empty() && resting.queues.at(1).empty());
  table.end_rest();
  View moved;
  table.fill(moved);
  EXPECT_EQ(moved.queues.at(1).size(), 1u);
  EXPECT_FALSE(table.move_to(Plan{1}));
}

TEST(QueueTableTest, PinMovesItsQueueAndDrivesFreeOnesAway) {
  QueueTable table(2);
  table.add_port(0, 0, 2);
  const std::vector<std::pair<std::uint16_t, unsigned>> pins{{1, 0}};
  table.pin(0, pins);
  EXPECT_EQ(table.plan_of_pins(), (Plan{1, 0}));
  EXPECT_TRUE(table.is_isolated(0));
}

TEST(QueueTableTest, BalanceIsWorthWhatItTakesOffTheVariance) {
  QueueTable table(2);
  table.add_port(0, 0, 4);  // Workers 0, 1, 0, 1.
  table.queues()[0].load->cycles.add(500);
  table.queues()[2].load->cycles.add(400);
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> cycles{{900, 100}, {0, 1000}};
  table.sample(cycles);
  EXPECT_EQ(table.top_load_percent(1), 90u);
  const Plan better = table.plan();
  EXPECT_NE(better.at(0), better.at(2));
  EXPECT_GE(table.improvement_percent(better), 90u);
}

TEST(UsageHistoryTest, KnowsTheLastMinuteAndNoMore) {
  UsageHistory usage;
  for (std::uint64_t i = 1; i <= 20; ++i) usage.sample(i * 10);
  EXPECT_EQ(usage.gained(1), 10u);
  EXPECT_EQ(usage.gained(100), 120u);
}

}  // namespace
}  // namespace hoist::software

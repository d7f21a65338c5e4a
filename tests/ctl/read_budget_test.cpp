// SPDX-License-Identifier: BSD-3-Clause
#include "openflow/read_budget.hpp"

#include <gtest/gtest.h>

namespace hoist::openflow {
namespace {

TEST(ReadBudgetTest, GivesSomeAtOnceAndThenSoManyASecond) {
  ReadBudget budget(2000, 100);
  EXPECT_EQ(budget.take(60, 5), 60u);
  EXPECT_EQ(budget.take(60, 5), 40u);
  EXPECT_EQ(budget.take(60, 5), 0u);
  EXPECT_EQ(budget.take(60, 7), 4u);
  std::size_t taken = 0;
  for (std::uint64_t now_ms = 8; now_ms <= 1007; ++now_ms) taken += budget.take(60, now_ms);
  EXPECT_EQ(taken, 2000u);
}

TEST(ReadBudgetTest, SavesNoMoreThanItGivesAtOnce) {
  ReadBudget budget(2000, 100);
  EXPECT_EQ(budget.take(1000, 1), 100u);
  EXPECT_EQ(budget.take(1000, std::uint64_t{1} << 62), 100u);
  EXPECT_EQ(budget.take(1000, 3), 0u);  // a clock that goes back earns nothing
}

}  // namespace
}  // namespace hoist::openflow

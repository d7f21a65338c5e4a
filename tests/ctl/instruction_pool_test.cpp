// SPDX-License-Identifier: BSD-3-Clause
#include "openflow/instruction_pool.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace hoist::openflow {
namespace {

Instructions metered(std::uint32_t meter, std::uint32_t port) {
  return {.meter_id = meter, .apply_actions = {OutputAction{PortNo{port}, 0}}};
}

TEST(ActionListTest, CopiesShareUntilOneChanges) {
  const ActionList one{OutputAction{PortNo{1}, 0}};
  ActionList two = one;
  EXPECT_EQ(two.data(), one.data());
  two.push_back(PopVlanAction{});
  EXPECT_EQ(one.size(), 1u);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<PopVlanAction>(two.back()));

  ActionList three = one;
  three.edit()[0] = PopVlanAction{};
  EXPECT_TRUE(std::holds_alternative<OutputAction>(one.front()));
  EXPECT_FALSE(three == one);
}

TEST(ActionListTest, EqualListsAreEqualWhereverTheyLie) {
  const ActionList one{OutputAction{PortNo{1}, 0}};
  const ActionList two{OutputAction{PortNo{1}, 0}};
  EXPECT_NE(one.data(), two.data());
  EXPECT_TRUE(one == two);
  ActionList none{PopVlanAction{}};
  none.erase(none.begin());
  EXPECT_TRUE(none == ActionList());
  EXPECT_TRUE(ActionList().empty());
}

TEST(InstructionPoolTest, RulesThatDifferInTheirMeterAloneShareTheirActions) {
  InstructionPool pool;
  const auto one = pool.intern(metered(1, 2));
  const auto two = pool.intern(metered(2, 2));
  const auto other = pool.intern(metered(3, 9));
  EXPECT_NE(one, two);
  EXPECT_EQ(one->apply_actions.data(), two->apply_actions.data());
  EXPECT_NE(one->apply_actions.data(), other->apply_actions.data());
  EXPECT_EQ(pool.intern(metered(1, 2)), one);
}

TEST(InstructionPoolTest, WhatNoRuleUsesGoes) {
  InstructionPool pool;
  const auto kept = pool.intern(metered(0, 1));
  for (std::uint32_t i = 1; i <= 5000; ++i) static_cast<void>(pool.intern(metered(i, i)));
  EXPECT_LE(pool.size(), 2048u);
  EXPECT_EQ(pool.intern(metered(0, 1)), kept);
}

}  // namespace
}  // namespace hoist::openflow

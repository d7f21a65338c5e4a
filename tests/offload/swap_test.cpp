// SPDX-License-Identifier: BSD-3-Clause
#include "plan/swap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hoist::offload {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

bool always(const RoomUnit&) { return true; }

TEST(SwapTest, TheHottestTakesThePlaceOfTheColdest) {
  const auto swaps = choose_swaps({{10, 1, 1}, {100, 1, 2}}, {{50, 1, 3}, {5, 1, 4}}, 0, 1, always);
  ASSERT_EQ(swaps.size(), 1u);
  EXPECT_EQ(swaps[0].in, 2u);
  EXPECT_THAT(swaps[0].out, ElementsAre(4));
}

TEST(SwapTest, SeveralGiveWayToOneThatNeedsTheirRoom) {
  const auto swaps = choose_swaps({{100, 2, 1}}, {{5, 1, 2}, {6, 1, 3}, {7, 1, 4}}, 0, 10, always);
  ASSERT_EQ(swaps.size(), 1u);
  EXPECT_THAT(swaps[0].out, ElementsAre(2, 3));
  EXPECT_THAT(choose_swaps({{12, 2, 1}}, {{5, 1, 2}, {6, 1, 3}}, 0, 10, always), IsEmpty())
      << "together they carry nearly as much";
}

TEST(SwapTest, FreeRoomIsTakenFirst) {
  const auto swaps = choose_swaps({{9, 1, 1}, {8, 1, 2}}, {{1, 1, 3}}, 1, 10, always);
  ASSERT_EQ(swaps.size(), 2u);
  EXPECT_THAT(swaps[0].out, IsEmpty());
  EXPECT_THAT(swaps[1].out, ElementsAre(3));
}

TEST(SwapTest, WhatMayNotGoStays) {
  const auto swaps = choose_swaps({{9, 1, 1}}, {{1, 1, 2}, {2, 1, 3}}, 0, 10,
                                  [](const RoomUnit& unit) { return unit.id != 2; });
  ASSERT_EQ(swaps.size(), 1u);
  EXPECT_THAT(swaps[0].out, ElementsAre(3));
}

TEST(SwapTest, WhatCarriesNothingWaits) {
  EXPECT_THAT(choose_swaps({{0, 1, 1}}, {{0, 1, 2}}, 5, 10, always), IsEmpty());
}

}  // namespace
}  // namespace hoist::offload

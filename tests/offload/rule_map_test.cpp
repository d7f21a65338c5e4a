// SPDX-License-Identifier: BSD-3-Clause
#include "plan/rule_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace hoist::offload {
namespace {

using testing::ElementsAre;

std::vector<std::uint32_t> ids_of(const RuleMap<int>& map) {
  std::vector<std::uint32_t> ids;
  for (const auto& [id, value] : map) ids.push_back(to_integer(id));
  return ids;
}

TEST(RuleMapTest, RunsOverIdsInOrderAcrossGaps) {
  RuleMap<int> map;
  for (const std::uint32_t id : {900u, 63u, 64u, 255u, 256u, 1u}) map[RuleId{id}] = 7;
  EXPECT_THAT(ids_of(map), ElementsAre(1, 63, 64, 255, 256, 900));
  map.erase(RuleId{64});
  map.erase(map.find(RuleId{900}));
  EXPECT_THAT(ids_of(map), ElementsAre(1, 63, 255, 256));
  EXPECT_EQ(map.erase(RuleId{5000}), 0u);
}

TEST(RuleMapTest, ValuesAreWritableInPlaceAndStartAsNothing) {
  RuleMap<int> map;
  map[RuleId{3}] = 5;
  for (auto [id, value] : map) value += 1;
  EXPECT_EQ(map.at(RuleId{3}), 6);
  map.find(RuleId{3})->second = 9;
  EXPECT_EQ(map.at(RuleId{3}), 9);
  map.erase(RuleId{3});
  EXPECT_EQ(map[RuleId{3}], 0);
}

TEST(RuleMapTest, IsAMap) {
  std::mt19937 random(1);
  RuleMap<int> map;
  std::map<std::uint32_t, int> model;
  for (int i = 0; i < 20'000; ++i) {
    const auto id = static_cast<std::uint32_t>(1 + random() % 1500);
    if (random() % 3 == 0) {
      EXPECT_EQ(map.erase(RuleId{id}), model.erase(id));
    } else {
      map.emplace(RuleId{id}, i);
      model.emplace(id, i);
    }
  }
  ASSERT_EQ(map.size(), model.size());
  auto it = model.begin();
  for (const auto& [id, value] : map) {
    EXPECT_EQ(to_integer(id), it->first);
    EXPECT_EQ(value, it++->second);
  }
}

}  // namespace
}  // namespace hoist::offload

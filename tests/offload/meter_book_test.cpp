// SPDX-License-Identifier: BSD-3-Clause
#include "meter/meter_book.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "rules.hpp"

namespace hoist::offload {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

std::shared_ptr<const RuleSpec> rule_of(std::uint32_t id, std::initializer_list<unsigned> meters) {
  Rule rule(id);
  for (const unsigned meter : meters) rule.act(MeterAction{meter});
  return rule.output(2).spec();
}

class MeterBookTest : public ::testing::Test {
 protected:
  MeterConfigs configs_;
  MeterBook book_{configs_};
};

TEST_F(MeterBookTest, KnowsTheRulesThatUseAMeterThroughAnyChurn) {
  std::mt19937 random(static_cast<unsigned>(::testing::UnitTest::GetInstance()->random_seed()));
  std::set<RuleId> expected;
  for (int i = 0; i < 5'000; ++i) {
    const auto id = static_cast<std::uint32_t>(1 + random() % 40);
    const auto rule = rule_of(id, {1, 2});
    if (expected.insert(RuleId{id}).second) {
      book_.add_user(*rule);
    } else {
      book_.remove_user(*rule);
      expected.erase(RuleId{id});
    }
    ASSERT_EQ(book_.user_count(MeterId{1}), expected.size());
    ASSERT_THAT(book_.users(MeterId{2}), UnorderedElementsAreArray(expected));
  }
}

TEST_F(MeterBookTest, CountsARuleOnceHoweverOftenItNamesTheMeter) {
  const auto rule = rule_of(1, {7, 7});
  book_.add_user(*rule);
  EXPECT_THAT(book_.users(MeterId{7}), ElementsAre(RuleId{1}));
  EXPECT_EQ(only_meter(*rule->instructions), std::nullopt);  // it polices twice
  book_.remove_user(*rule);
  EXPECT_THAT(book_.users(MeterId{7}), IsEmpty());
  EXPECT_TRUE(book_.is_empty());
}

TEST_F(MeterBookTest, ForgetsTheBanOfAMeterWhoseLastRuleHasGone) {
  const auto rule = rule_of(1, {7});
  book_.add_user(*rule);
  book_.ban(MeterId{7}, Refused{Refusal::kMeterInSoftware, "no"}, Ban::kNoRoom);
  book_.remove_user(*rule);
  EXPECT_FALSE(book_.is_banned(MeterId{7}));
  EXPECT_THAT(book_.without_room(), IsEmpty());
}

}  // namespace
}  // namespace hoist::offload

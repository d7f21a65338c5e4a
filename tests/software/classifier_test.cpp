// SPDX-License-Identifier: BSD-3-Clause
#include "classifier/classifier.hpp"

#include <gtest/gtest.h>

#include "classifier_support.hpp"

namespace hoist::software {
namespace {

using testing::ip;
using testing::key_of;
using testing::Rule;

class ClassifierTest : public ::testing::Test {
 protected:
  Entry* add(const Rule& rule, std::uint16_t priority, Classifier::Version from = 1) {
    return classifier_->insert(rule.match(), priority, RuleId{++last_id_}, nullptr, from);
  }
  const Entry* find(const Rule& rule, Classifier::Version version = 1) const {
    return classifier_->lookup(key_of(rule), version);
  }

  Reclaimer reclaimer_{1};
  std::unique_ptr<Classifier> classifier_ = Classifier::create(reclaimer_);
  std::uint32_t last_id_ = 0;
};

TEST_F(ClassifierTest, EmptyTableMatchesNothing) {
  EXPECT_EQ(find(ip()), nullptr);
  EXPECT_EQ(classifier_->rule_count(), 0u);
  EXPECT_EQ(classifier_->mask_count(), 0u);
}

TEST_F(ClassifierTest, HighestPriorityWinsWhateverTheMask) {
  Entry* narrow = add(ip().nw_dst(7), 10);
  Entry* wide = add(ip(), 20);
  EXPECT_EQ(find(ip().nw_dst(7)), wide);
  Entry* top = add(Rule(), 30);
  EXPECT_EQ(find(ip().nw_dst(7)), top);
  classifier_->remove(top, 2);
  classifier_->remove(wide, 2);
  EXPECT_EQ(find(ip().nw_dst(7), 2), narrow);
  EXPECT_EQ(find(ip().nw_dst(8), 2), nullptr);
}

TEST_F(ClassifierTest, EqualMatchesOfSeveralPrioritiesAreKept) {
  Entry* low = add(ip().nw_dst(7), 10);
  Entry* high = add(ip().nw_dst(7), 30);
  Entry* middle = add(ip().nw_dst(7), 20);
  EXPECT_EQ(find(ip().nw_dst(7)), high);
  classifier_->remove(high, 2);
  classifier_->settle(2);
  EXPECT_EQ(find(ip().nw_dst(7), 2), middle);
  classifier_->remove(middle, 3);
  EXPECT_EQ(find(ip().nw_dst(7), 3), low);
}

TEST_F(ClassifierTest, ReadersSeeExactlyTheRulesOfTheirVersion) {
  Entry* old_rule = add(ip(), 10, 1);
  classifier_->remove(old_rule, 2);
  Entry* new_rule = add(ip(), 10, 2);
  EXPECT_EQ(find(ip(), 0), nullptr);
  EXPECT_EQ(find(ip(), 1), old_rule);
  EXPECT_EQ(find(ip(), 2), new_rule);
  classifier_->settle(2);
  EXPECT_EQ(find(ip(), 2), new_rule);
}

TEST_F(ClassifierTest, EveryFieldCanBeMaskedAtAnyBit) {
  for (std::size_t bit = 0; bit < sizeof(FlowKey) * 8; bit += 7) {
    Match match;
    words(match.mask)[bit / 64] = words(match.value)[bit / 64] = std::uint64_t{1} << bit % 64;
    const Entry* entry = classifier_->insert(MiniMatch(match), 1, RuleId{1}, nullptr, 1);
    EXPECT_EQ(classifier_->lookup(match.value, 1), entry) << bit;
  }
}

// Nothing tells such rules apart: no two have a bit in common.
TEST_F(ClassifierTest, MasksWithoutACommonBitAreSearchedAllTheSame) {
  std::vector<Entry*> entries;
  for (std::size_t bit = 0; bit < 700; ++bit) {
    Match match;
    words(match.mask)[bit / 64] = words(match.value)[bit / 64] = std::uint64_t{1} << bit % 64;
    const auto priority = static_cast<std::uint16_t>(bit);
    entries.push_back(classifier_->insert(MiniMatch(match), priority, RuleId{1}, nullptr, 1));
  }
  FlowKey key{};
  for (std::size_t bit = 0; bit < 700; ++bit) {
    words(key)[bit / 64] |= std::uint64_t{1} << bit % 64;
    EXPECT_EQ(classifier_->lookup(key, 1), entries[bit]) << bit;
  }
  for (Entry* e : entries) classifier_->remove(e, 2);
  classifier_->settle(2);
  EXPECT_EQ(classifier_->lookup(key, 2), nullptr);
}

TEST_F(ClassifierTest, CountsRulesAndMasks) {
  Entry* a = add(ip().nw_dst(1), 1);
  add(ip().nw_dst(2), 1);
  add(ip().nw_src(2), 1);
  EXPECT_EQ(classifier_->rule_count(), 3u);
  EXPECT_EQ(classifier_->mask_count(), 2u);
  classifier_->remove(a, 2);
  EXPECT_EQ(classifier_->rule_count(), 2u);
}

TEST_F(ClassifierTest, MasksWithoutRulesGoAway) {
  for (std::uint32_t round = 1; round < 100; ++round) {
    Entry* e = add(ip().nw_dst(round, ~0u << round % 32), 1, round);
    classifier_->remove(e, round + 1);
    classifier_->settle(round + 1);
  }
  EXPECT_EQ(classifier_->mask_count(), 0u);
}

TEST_F(ClassifierTest, BatchFindsWhatSingleLookupsFind) {
  std::vector<FlowKey> keys;
  for (std::uint32_t i = 0; i < 64; ++i) {
    if (i % 3 != 0) add(ip().nw_dst(i), static_cast<std::uint16_t>(i));
    keys.push_back(key_of(ip().nw_dst(i)));
  }
  add(ip().nw_src(0), 32);
  std::vector<const FlowKey*> pointers;
  for (const FlowKey& k : keys) pointers.push_back(&k);
  std::vector<const Entry*> found(64);
  classifier_->lookup(pointers, 1, found.data());
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(found[i], classifier_->lookup(keys[i], 1)) << i;
}

TEST_F(ClassifierTest, HoldsManyRulesOfOneMask) {
  constexpr std::uint32_t kCount = 20'000;
  std::vector<Entry*> entries;
  for (std::uint32_t i = 0; i < kCount; ++i) entries.push_back(add(ip().nw_dst(i), 5));
  for (std::uint32_t i = 0; i < kCount; i += 2) classifier_->remove(entries[i], 2);
  classifier_->settle(2);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(find(ip().nw_dst(i), 2), i % 2 == 0 ? nullptr : entries[i]);
  }
}

}  // namespace
}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "classifier/branch.hpp"
#include "classifier/buckets.hpp"
#include "classifier/leaf.hpp"
#include "classifier/mask_registry.hpp"
#include "classifier/split.hpp"
#include "classifier_support.hpp"

namespace hoist::software {
namespace {

using testing::ip;
using testing::Rule;

/// Entries outside of a classifier.
class Entries {
 public:
  ~Entries() {
    for (StoredEntry* e : all_) StoredEntry::destroy(e);
  }
  StoredEntry* make(const Rule& rule, std::uint16_t priority = 1) {
    const MiniMatch match = rule.match();
    const Entry entry{nullptr, RuleId{1}, priority};
    all_.push_back(StoredEntry::create(entry, 1, match, masks_.acquire(match)));
    return all_.back();
  }
  [[nodiscard]] std::span<StoredEntry* const> all() const { return all_; }

 private:
  MaskRegistry masks_;
  std::vector<StoredEntry*> all_;
};

std::vector<unsigned> numbers(BucketLine::Hits hits) {
  std::vector<unsigned> out;
  for (; hits.any(); hits.drop_first()) out.push_back(hits.first());
  return out;
}

TEST(BucketLineTest, HitsAreTheSlotsOfThatHash) {
  Entries entries;
  StoredEntry* e = entries.make(ip());
  BucketLine line;
  for (std::uint64_t i = 0; i < BucketLine::kSlots; ++i) {
    EXPECT_NE(line.add((2 * i + 1) << 40, Ref(e, 0)), nullptr);
  }
  EXPECT_EQ(line.add(0, Ref(e, 0)), nullptr);
  for (unsigned i = 0; i < BucketLine::kSlots; ++i) {
    EXPECT_THAT(numbers(line.hits((2 * std::uint64_t{i} + 1) << 40)), ::testing::Contains(i));
  }
  EXPECT_THAT(numbers(line.hits(std::uint64_t{99} << 40)), ::testing::IsEmpty());
  EXPECT_EQ(numbers(line.occupied()).size(), BucketLine::kSlots);
  EXPECT_TRUE(line.erase(&line.slot(3)));
  EXPECT_THAT(numbers(line.hits(std::uint64_t{7} << 40)), ::testing::IsEmpty());
  EXPECT_FALSE(line.has_overflowed());
}

TEST(BranchTest, FindsEachBucketWhileItGrowsAndShrinks) {
  Entries entries;
  Reclaimer reclaimer{1};
  const FlowMask mask(ip().nw_dst(0).match());
  Branch branch;
  branch.set_mask(mask);
  constexpr std::uint32_t kCount = 3000;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    StoredEntry* e = entries.make(ip().nw_dst(i));
    const std::uint64_t hash = branch.hash(*e);
    branch.add(hash, Ref(e, Branch::tag(hash)), reclaimer);
  }
  for (std::uint32_t i = 0; i < kCount; ++i) {
    StoredEntry* e = entries.all()[i];
    const std::uint64_t hash = branch.hash(*e);
    EXPECT_EQ(hash, branch.hash(testing::key_of(ip().nw_dst(i))));
    Slot* slot = branch.find(hash);
    ASSERT_NE(slot, nullptr);
    EXPECT_EQ(slot->load().entry(), e);
    branch.erase(slot, hash, reclaimer);
    EXPECT_EQ(branch.find(hash), nullptr);
  }
  EXPECT_EQ(branch.buckets, 0u);
  BucketLines::free(branch.load_lines().memory());
}

TEST(LeafChunkTest, BothFiltersAgree) {
  testing::RandomMatches random(std::random_device{}());
  LeafChunk chunk;
  for (int round = 0; round < 1000; ++round) {
    for (std::size_t i = 0; i < LeafChunk::kLanes; ++i) {
      const std::uint64_t mask = random.rng()() & 0xff;
      chunk.set_filter(i, random.rng()() & mask, mask);
    }
    chunk.set_free(random.below(LeafChunk::kLanes));
    const std::uint64_t word = random.rng()();
    EXPECT_EQ(chunk.passing(word), chunk.passing_scalar(word));
  }
}

TEST(LeafChunkTest, FreeLanesNeverPass) {
  LeafChunk chunk;
  for (std::size_t i = 0; i < LeafChunk::kLanes; ++i) chunk.set_free(i);
  EXPECT_EQ(chunk.passing(0), 0u);
  EXPECT_EQ(chunk.passing(~std::uint64_t{0}), 0u);
}

TEST(SplitTest, TakesTheBitsThatTellEntriesApart) {
  Entries entries;
  for (std::uint32_t i = 0; i < 40; ++i) entries.make(ip().nw_dst(i).nw_src(5));
  const auto masks = choose_masks(entries.all(), 1, 8);
  ASSERT_EQ(masks.size(), 1u);
  EXPECT_EQ(masks[0].word(5), ~std::uint64_t{0});  // All that they have in that word.
  EXPECT_EQ(masks[0].word(0), 0u);                 // They all have one Ethernet type.
}

TEST(SplitTest, WhatLacksTheFirstMasksBitsGetsAnother) {
  Entries entries;
  for (std::uint32_t i = 0; i < 40; ++i) {
    entries.make(i % 4 == 0 ? ip().nw_src(i << 24, 0xff000000) : ip().nw_dst(i));
  }
  const auto masks = choose_masks(entries.all(), 1, 8);
  ASSERT_EQ(masks.size(), 2u);
  for (const StoredEntry* e : entries.all()) {
    const bool is_source = e->mask->word(5) == masks[1].word(5);
    EXPECT_NE(is_source, e->mask->word(5) == masks[0].word(5));
  }
}

TEST(SplitTest, NothingTellsEqualMatchesApart) {
  Entries entries;
  for (int i = 0; i < 40; ++i) entries.make(ip().nw_dst(7));
  EXPECT_TRUE(choose_masks(entries.all(), 1, 8).empty());
}

TEST(StoredEntryTest, MatchesOnMoreWordsThanStandInline) {
  Entries entries;
  Match all;
  for (std::size_t w = 0; w < kFlowKeyWords; ++w) words(all.mask)[w] = ~std::uint64_t{0};
  MaskRegistry masks;
  const MiniMatch match(all);
  StoredEntry* e = StoredEntry::create({nullptr, RuleId{1}, 1}, 1, match, masks.acquire(match));
  EXPECT_TRUE(e->matches(FlowKey{}));
  for (std::size_t w = 0; w < kFlowKeyWords; ++w) {
    FlowKey key{};
    words(key)[w] = 1;
    EXPECT_FALSE(e->matches(key)) << w;
  }
  StoredEntry::destroy(e);
}

}  // namespace
}  // namespace hoist::software

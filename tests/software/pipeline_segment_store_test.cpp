// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/segment_store.hpp"

#include <gtest/gtest.h>

#include "pipeline/path_builder.hpp"

namespace hoist::software {
namespace {

class SegmentStoreTest : public ::testing::Test {
 protected:
  std::uint32_t intern(std::uint32_t rule, std::uint16_t slot) {
    path_.reset();
    path_.step({.rule = RuleId{rule}, .table_id = 0, .bridge = 0});
    path_.emit({.code = OpCode::kOutput, .b = slot});
    return store_->intern(path_.finish(DropReason::kRule));
  }
  PathBuilder path_;
  std::unique_ptr<SegmentStore> store_ = *SegmentStore::create(64);
};

TEST_F(SegmentStoreTest, EqualPathsAreOneSegment) {
  const std::uint32_t a = intern(1, 5);
  EXPECT_EQ(intern(1, 5), a);
  EXPECT_NE(intern(1, 6), a);
  EXPECT_NE(intern(2, 5), a);
  EXPECT_EQ(store_->at(a).fate, SegmentFate::kOutput);
  EXPECT_EQ(store_->at(a).port_slot, 5);
}

TEST_F(SegmentStoreTest, CondemnedSegmentIsNeverFoundAgain) {
  const std::uint32_t a = intern(1, 5);
  store_->condemn(a);
  EXPECT_NE(intern(1, 5), a);
}

TEST_F(SegmentStoreTest, PlaceOfACondemnedSegmentIsGivenAgainUnderAnotherGeneration) {
  const std::uint32_t a = intern(1, 5);
  const SegmentRef old = store_->ref(a);
  store_->at(a).count(3, 300, 1);
  store_->condemn(a);
  store_->reclaim();
  ASSERT_EQ(intern(2, 6), a);
  EXPECT_NE(store_->ref(a).generation, old.generation);
  EXPECT_EQ(store_->at(a).packets.get(), 0u);
}

TEST_F(SegmentStoreTest, FullStoreSaysSoAndRecovers) {
  std::uint32_t rule = 0;
  while (intern(++rule, 1) != SegmentStore::kNone) {
  }
  EXPECT_EQ(rule, 64u);
  store_->condemn(7);
  store_->reclaim();
  EXPECT_EQ(intern(rule, 1), 7u);
  EXPECT_EQ(intern(rule + 1, 1), SegmentStore::kNone);
}

TEST(PathBuilderTest, EditsThatNothingSeesAreLeftOut) {
  PathBuilder path;
  path.emit({.code = OpCode::kPopVlan});
  path.emit({.code = OpCode::kOutput, .b = 1});
  path.emit({.code = OpCode::kPopVlan});
  path.emit({.code = OpCode::kDrop, .b = 2});
  const SegmentCode& code = path.finish(DropReason::kRule);
  ASSERT_EQ(code.op_count, 3);
  EXPECT_EQ(code.ops()[1].a, kTakesPacket);
  EXPECT_EQ(code.ops()[2].code, OpCode::kDrop);
}

}  // namespace
}  // namespace hoist::software

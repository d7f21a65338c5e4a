// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/mac_table.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace hoist::software {
namespace {

MacAddress address(std::uint32_t n) {
  return {0x02,
          0,
          static_cast<std::uint8_t>(n >> 24),
          static_cast<std::uint8_t>(n >> 16),
          static_cast<std::uint8_t>(n >> 8),
          static_cast<std::uint8_t>(n)};
}

class MacTableTest : public ::testing::Test {
 protected:
  std::unique_ptr<MacTable> table_ = std::make_unique<MacTable>();
};

TEST_F(MacTableTest, KnowsAddressesByVlanAndFollowsMoves) {
  table_->learn(address(1), 5, PortNo{1}, 0);
  EXPECT_EQ(table_->find(address(1), 5).port, PortNo{1});
  EXPECT_FALSE(table_->find(address(1), 6).is_found);
  table_->learn(address(1), 5, PortNo{2}, 0);
  EXPECT_EQ(table_->find(address(1), 5).port, PortNo{2});
  EXPECT_EQ(table_->entries(0).size(), 1u);
}

TEST_F(MacTableTest, ForgetsWhatWasNotSeenFor300Seconds) {
  table_->learn(address(1), 0, PortNo{1}, 10);
  table_->learn(address(2), 0, PortNo{1}, 10);
  table_->touch(table_->find(address(2), 0).index, 200);
  table_->expire(309);
  EXPECT_TRUE(table_->find(address(1), 0).is_found);
  table_->expire(310);
  EXPECT_FALSE(table_->find(address(1), 0).is_found);
  EXPECT_TRUE(table_->find(address(2), 0).is_found);
}

TEST_F(MacTableTest, HoldsItsCapacityAtMostAndKeepsTheNewest) {
  constexpr std::uint32_t kCount = MacTable::kCapacity + 100;
  for (std::uint32_t n = 0; n < kCount; ++n) table_->learn(address(n), 0, PortNo{1}, n);
  const std::size_t size = table_->entries(kCount).size();
  EXPECT_LE(size, MacTable::kCapacity);
  EXPECT_GT(size, MacTable::kCapacity * 9 / 10);
  EXPECT_TRUE(table_->find(address(kCount - 1), 0).is_found);
}

TEST_F(MacTableTest, ForgetsAPortAndTellsThatItForgot) {
  table_->learn(address(1), 0, PortNo{1}, 0);
  table_->learn(address(2), 0, PortNo{2}, 0);
  const std::uint32_t generation = table_->generation();
  table_->forget_port(PortNo{1});
  EXPECT_FALSE(table_->find(address(1), 0).is_found);
  EXPECT_TRUE(table_->find(address(2), 0).is_found);
  EXPECT_NE(table_->generation(), generation);
}

}  // namespace
}  // namespace hoist::software

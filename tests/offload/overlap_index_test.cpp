// SPDX-License-Identifier: BSD-3-Clause
#include "plan/overlap_index.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>

#include "rules.hpp"

namespace hoist::offload {
namespace {

class OverlapIndexTest : public ::testing::Test {
 protected:
  std::mt19937 random_{static_cast<unsigned>(::testing::UnitTest::GetInstance()->random_seed()) +
                       7u};
  OverlapIndex index_;
  std::vector<std::unique_ptr<OverlapItem>> items_;

  MiniMatch random_match() {
    const std::uint32_t masks[] = {0, 0xff, 0xff00, 0xffff, 0xffffff};
    return Rule(1)
        .match("nw_src", random_() & 0x030303, masks[random_() % 5])
        .match("nw_dst", random_() & 0x030303, masks[random_() % 5])
        .match("tcp_dst", random_() & 3, (random_() & 1) != 0 ? 0xffff : 0)
        .spec()
        ->match;
  }
  void expect_all_found(const MiniMatch& match) {
    std::multiset<const OverlapItem*> found;
    index_.for_each_overlap(match, [&](OverlapItem& item) {
      found.insert(&item);
      return true;
    });
    std::multiset<const OverlapItem*> expected;
    for (const auto& item : items_) {
      if (overlaps(item->match, match)) expected.insert(item.get());
    }
    ASSERT_EQ(found, expected);
  }
};

TEST_F(OverlapIndexTest, FindsWhatAScanFinds) {
  for (int i = 0; i < 3000; ++i) {
    if (items_.size() > 1500 || (items_.size() > 20 && random_() % 3 == 0)) {
      std::swap(items_[random_() % items_.size()], items_.back());
      index_.erase(*items_.back());
      items_.pop_back();
    } else {
      items_.push_back(std::make_unique<OverlapItem>());
      items_.back()->match = random_match();
      index_.insert(*items_.back());
    }
    if (i % 10 == 0) expect_all_found(random_match());
  }
}

TEST_F(OverlapIndexTest, StopsWhenAskedTo) {
  for (int i = 0; i < 50; ++i) {
    items_.push_back(std::make_unique<OverlapItem>());
    items_.back()->match = random_match();
    index_.insert(*items_.back());
  }
  int calls = 0;
  index_.for_each_overlap(MiniMatch(), [&](OverlapItem&) { return ++calls < 3; });
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace hoist::offload

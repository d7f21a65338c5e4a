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
  struct Item : OverlapItem {
    explicit Item(MiniMatch matched) : own(std::move(matched)) { match = &own; }
    MiniMatch own;
  };
  std::vector<std::unique_ptr<Item>> items_;

  MiniMatch random_match() {
    const std::uint32_t masks[] = {0, 0xff, 0xff00, 0xffff, 0xffffff};
    return Rule(1)
        .match("nw_src", random_() & 0x030303, masks[random_() % 5])
        .match("nw_dst", random_() & 0x030303, masks[random_() % 5])
        .match("tcp_dst", random_() & 3, (random_() & 1) != 0 ? 0xffff : 0)
        .spec()
        ->match;
  }
  void add(const Stance& stance = {}) {
    items_.push_back(std::make_unique<Item>(random_match()));
    items_.back()->stance = stance;
    index_.insert(*items_.back());
  }
  void remove_one() {
    std::swap(items_[random_() % items_.size()], items_.back());
    index_.erase(*items_.back());
    items_.pop_back();
  }
  void expect_all_found(const MiniMatch& match) {
    std::multiset<const OverlapItem*> found;
    index_.for_each_overlap(match, [&](OverlapItem& item) {
      found.insert(&item);
      return true;
    });
    std::multiset<const OverlapItem*> expected;
    for (const auto& item : items_) {
      if (overlaps(item->own, match)) expected.insert(item.get());
    }
    ASSERT_EQ(found, expected);
  }
};

TEST_F(OverlapIndexTest, FindsWhatAScanFinds) {
  for (int i = 0; i < 3000; ++i) {
    if (items_.size() > 1500 || (items_.size() > 20 && random_() % 3 == 0)) {
      remove_one();
    } else {
      add();
    }
    if (i % 10 == 0) expect_all_found(random_match());
  }
}

/// Whatever a summary says is so of each member, and where it is exact nothing else is.
TEST_F(OverlapIndexTest, SummariesCoverWhatAScanFinds) {
  for (int i = 0; i < 3000; ++i) {
    const Stance stance{.priority = static_cast<std::uint16_t>(random_() % 8),
                        .is_soft = random_() % 4 == 0,
                        .acts = random_() % 2 == 0,
                        .stands = random_() % 3 != 0,
                        .level = static_cast<std::uint32_t>(random_() % 100)};
    if (items_.size() > 400 || (items_.size() > 200 && random_() % 3 == 0)) {
      remove_one();
    } else {
      add(stance);
    }
    index_.change(*items_[random_() % items_.size()], stance);

    std::uint32_t soft = 0;
    std::uint32_t highest = 0;
    const MiniMatch match = random_match();
    const auto take = [&](const Summary& s, bool is_exact) {
      if (!is_exact) return true;
      soft += s.soft;
      if (s.standing != 0) highest = std::max(highest, s.max_level);
      return false;
    };
    index_.search(match, take, [&](OverlapItem& item) {
      soft += item.stance.is_soft ? 1u : 0u;
      if (item.stance.stands) highest = std::max(highest, item.stance.level);
      return true;
    });
    std::uint32_t soft_wanted = 0;
    std::uint32_t highest_wanted = 0;
    for (const auto& item : items_) {
      if (!overlaps(item->own, match)) continue;
      soft_wanted += item->stance.is_soft ? 1u : 0u;
      if (item->stance.stands) highest_wanted = std::max(highest_wanted, item->stance.level);
    }
    ASSERT_EQ(soft, soft_wanted);
    ASSERT_EQ(highest, highest_wanted);
  }
}

TEST_F(OverlapIndexTest, StopsWhenAskedTo) {
  for (int i = 0; i < 50; ++i) {
    add();
  }
  int calls = 0;
  index_.for_each_overlap(MiniMatch(), [&](OverlapItem&) { return ++calls < 3; });
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace hoist::offload

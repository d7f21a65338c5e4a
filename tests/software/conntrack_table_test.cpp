// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <random>
#include <set>
#include <thread>
#include <unordered_map>

#include "conntrack_fixture.hpp"

namespace hoist::software {
namespace {

using Insertion = ConnectionTable::Insertion;
constexpr std::uint64_t kForever = ~std::uint64_t{0};

void live_for_ever(Connection& c) { c.expires_ms.store(kForever, std::memory_order_relaxed); }

Tuple nth(std::uint32_t n) { return ipv4_tuple(n, 0x0b000000, 1, 2, 17); }

TEST(ConnectionTableTest, FindsBothDirectionsOfEachOfManyAndForgetsThoseRemoved) {
  auto table = *ConnectionTable::create({.capacity = 1u << 16, .seed = 1});
  std::vector<ConnectionRef> refs;
  for (std::uint32_t n = 0; n < 50'000; ++n) {
    const auto in = table->insert(nth(n), reversed(nth(n)), live_for_ever);
    ASSERT_EQ(in.outcome, Insertion::kDone);
    refs.push_back(in.ref);
  }
  Tuple forward;
  for (std::uint32_t n = 0; n < 50'000; n += 2) ASSERT_TRUE(table->remove(refs[n], forward));
  for (std::uint32_t n = 0; n < 50'000; ++n) {
    const auto there = table->find(nth(n), 0);
    const auto back = table->find(reversed(nth(n)), 0);
    ASSERT_EQ(there.connection != nullptr, n % 2 == 1) << n;
    ASSERT_EQ(back.connection, there.connection);
    if (n % 2 == 0) continue;
    EXPECT_FALSE(there.is_reply);
    EXPECT_TRUE(back.is_reply);
    EXPECT_EQ(there.ref, refs[n]);
  }
}

TEST(ConnectionTableTest, ATupleCanBeTakenOnce) {
  auto table = *ConnectionTable::create({.capacity = 1u << 14});
  ASSERT_EQ(table->insert(nth(1), reversed(nth(1)), live_for_ever).outcome, Insertion::kDone);
  EXPECT_EQ(table->insert(nth(1), reversed(nth(2)), live_for_ever).outcome, Insertion::kExists);
  EXPECT_EQ(table->insert(nth(2), nth(1), live_for_ever).outcome, Insertion::kExists);
}

TEST(ConnectionTableTest, AReferenceToAnEarlierLifeIsDetected) {
  auto table = *ConnectionTable::create({.capacity = 1u << 14});
  const auto first = table->insert(nth(1), reversed(nth(1)), live_for_ever).ref;
  Tuple forward;
  ASSERT_TRUE(table->remove(first, forward));
  EXPECT_EQ(forward, nth(1));
  const auto second = table->insert(nth(1), reversed(nth(1)), live_for_ever).ref;
  EXPECT_EQ(second.index, first.index);
  EXPECT_FALSE(table->remove(first, forward));
  EXPECT_TRUE(table->remove(second, forward));
}

TEST(ConnectionTableTest, WhatDoesNotFitIsRefusedAndTheRestStays) {
  auto table = *ConnectionTable::create({.capacity = 1});  // The least there is.
  std::uint32_t held = 0;
  for (std::uint32_t n = 0; n < 40'000; ++n) {
    held += table->insert(nth(n), reversed(nth(n)), live_for_ever).outcome == Insertion::kDone;
  }
  EXPECT_LE(held, 1u << 14);
  EXPECT_GT(held, 12'000u);
  std::uint32_t found = 0;
  for (std::uint32_t n = 0; n < 40'000; ++n) found += table->find(nth(n), 0).connection != nullptr;
  EXPECT_EQ(found, held);
}

TEST(ConnectionTableTest, AMillionTakesLessThan256BytesEach) {
  auto table = *ConnectionTable::create({.capacity = 1u << 20, .seed = 3});
  constexpr std::uint32_t kCount = 1'000'000;
  for (std::uint32_t n = 0; n < kCount; ++n) {
    ASSERT_EQ(table->insert(nth(n), reversed(nth(n)), live_for_ever).outcome, Insertion::kDone);
  }
  const std::uint64_t bytes =
      std::uint64_t{table->end()} * sizeof(Connection) + table->bucket_count() * 64;
  EXPECT_LE(bytes, 256u * kCount);
}

// Two threads open and close connections of their own, and each other's; two look for some that
// never go. Run under ThreadSanitizer too.
TEST(ConnectionTableTest, WhatIsThereIsFoundWhileOthersComeAndGo) {
  auto table = *ConnectionTable::create({.capacity = 1u << 16, .seed = 5});
  constexpr std::uint32_t kStable = 200;
  for (std::uint32_t n = 0; n < kStable; ++n) {
    (void)table->insert(nth(n), reversed(nth(n)), live_for_ever);
  }
  std::atomic<bool> is_done{false};
  std::atomic<std::uint64_t> missed{0}, wrong{0};
  auto churn = [&](std::uint32_t seed) {
    std::mt19937 random(seed);
    for (int i = 0; i < 30'000; ++i) {
      const auto n = static_cast<std::uint32_t>(kStable + random() % 20'000);
      const auto found = table->find(nth(n), 0);
      Tuple forward;
      if (found.connection != nullptr) {
        if (table->remove(found.ref, forward) && forward != nth(n)) ++wrong;
      } else {
        (void)table->insert(nth(n), reversed(nth(n)), [n](Connection& c) {
          live_for_ever(c);
          c.mark.store(n, std::memory_order_relaxed);
        });
      }
    }
  };
  auto look = [&] {
    std::uint32_t n = 0;
    while (!is_done.load(std::memory_order_relaxed)) {
      n = (n + 1) % kStable;
      const bool is_there = table->find(nth(n), 0).connection != nullptr &&
                            table->find(reversed(nth(n)), 0).connection != nullptr;
      if (!is_there) ++missed;
    }
  };
  std::thread a(churn, 1), b(churn, 2), c(look), d(look);
  a.join();
  b.join();
  is_done = true;
  c.join();
  d.join();
  EXPECT_EQ(missed, 0u);
  EXPECT_EQ(wrong, 0u);
  std::set<std::uint32_t> marks;
  for (std::uint32_t i = 0; i < table->end(); ++i) {
    const Connection& one = table->at(i);
    if (!is_live(one.generation) || one.mark == 0) continue;
    EXPECT_EQ(one.forward.load(), nth(one.mark));
    EXPECT_TRUE(marks.insert(one.mark).second) << "twice in the table";
  }
}

}  // namespace
}  // namespace hoist::software

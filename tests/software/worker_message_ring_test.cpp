// SPDX-License-Identifier: BSD-3-Clause
#include "worker/message_ring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <thread>
#include <vector>

namespace hoist::software {
namespace {

using Record = std::vector<std::uint8_t>;

bool put(MessageRing& ring, const Record& record) {
  const auto room = ring.reserve(record.size());
  if (room.empty()) return false;
  std::ranges::copy(record, room.begin());
  ring.commit();
  return true;
}

TEST(MessageRingTest, GivesRecordsOfAnyLengthBackInOrder) {
  MessageRing ring(1024);
  std::mt19937 random(1);
  std::deque<Record> expected;
  unsigned refused = 0;
  for (int i = 0; i < 5000; ++i) {
    if (random() % 2 == 0) {
      const Record record(1 + random() % 200, static_cast<std::uint8_t>(i));
      if (put(ring, record))
        expected.push_back(record);
      else
        ++refused;
      continue;
    }
    const auto front = ring.front();
    ASSERT_EQ(front.empty(), expected.empty());
    if (expected.empty()) continue;
    ASSERT_TRUE(std::ranges::equal(front, expected.front()));
    expected.pop_front();
    ring.release();
  }
  EXPECT_GT(refused, 0u);
}

TEST(MessageRingTest, RefusesWhatCanNeverFit) {
  MessageRing ring(256);
  EXPECT_TRUE(ring.reserve(200).empty());
  EXPECT_TRUE(ring.is_empty());
}

TEST(MessageRingTest, CarriesRecordsFromThreadToThread) {
  MessageRing ring(1024);
  constexpr std::uint32_t kCount = 20000;
  std::thread producer([&] {
    for (std::uint32_t i = 0; i < kCount;) {
      if (put(ring, Record(4 + i % 60, static_cast<std::uint8_t>(i))))
        ++i;
      else
        std::this_thread::yield();
    }
  });
  for (std::uint32_t i = 0; i < kCount;) {
    const auto front = ring.front();
    if (front.empty()) {
      std::this_thread::yield();
      continue;
    }
    EXPECT_EQ(front.size(), 4 + i % 60);
    EXPECT_EQ(front.back(), static_cast<std::uint8_t>(i));
    ring.release();
    ++i;
  }
  producer.join();
}

}  // namespace
}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
// Connections as control sees and governs them.
#include "conntrack/tracked_connections.hpp"

#include <algorithm>

#include "conntrack_fixture.hpp"

namespace hoist::software {
namespace {

class TrackedConnectionsTest : public ConntrackFixture {
 protected:
  void SetUp() override {
    ConntrackFixture::SetUp();
    control_ = std::make_unique<TrackedConnections>(
        *tracker_, TrackedConnections::Config{1u << 16, [this] { return now_ms_; }});
  }
  /// Source ports of the connections that are meant, in steps of three places.
  std::vector<std::uint16_t> ports(const ConnectionFilter& filter = {}) {
    std::vector<std::uint16_t> out;
    Connections::Cursor cursor;
    const auto visit = [&](const ConnectionReport& c) { out.push_back(c.original.src_port); };
    while (control_->walk(cursor, 3, filter, visit)) {
    }
    std::ranges::sort(out);
    return out;
  }
  std::uint64_t flush(const ConnectionFilter& filter) {
    std::uint64_t flushed = 0;
    Connections::Cursor cursor;
    while (control_->flush(cursor, 3, filter, flushed)) {
    }
    return flushed;
  }
  /// Source ports 1 to `count`.
  void open(std::uint16_t count, std::uint16_t zone = 0) {
    for (std::uint16_t port = 1; port <= count; ++port) {
      run({.zone = zone, .commits = true}, udp(1, 2, port, 53));
    }
  }

  std::unique_ptr<TrackedConnections> control_;
};

TEST_F(TrackedConnectionsTest, WalkMeetsEachConnectionOnce) {
  open(100);
  std::vector<std::uint16_t> all(100);
  for (std::uint16_t i = 0; i < 100; ++i) all[i] = static_cast<std::uint16_t>(i + 1);
  EXPECT_EQ(ports(), all);
}

TEST_F(TrackedConnectionsTest, ReportsWhatTheConnectionIs) {
  run({.mark = 17, .mark_mask = 0xffffffff, .zone = 5, .commits = true},
      udp(0x0a010101, 0x0a010102));
  Connections::Cursor cursor;
  std::vector<ConnectionReport> seen;
  control_->walk(cursor, 1000, {}, [&](const ConnectionReport& c) { seen.push_back(c); });
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].original, (ConnectionTuple{{10, 1, 1, 1}, {10, 1, 1, 2}, 1000, 53, 17, 4}));
  EXPECT_EQ(seen[0].reply, (ConnectionTuple{{10, 1, 1, 2}, {10, 1, 1, 1}, 53, 1000, 17, 4}));
  EXPECT_EQ(seen[0].zone, 5);
  EXPECT_EQ(seen[0].mark, 17u);
  EXPECT_EQ(seen[0].timeout_ms, 60'000u);
}

TEST_F(TrackedConnectionsTest, WhatIsOverIsNotSeen) {
  open(3);
  now_ms_ += 60'000;
  EXPECT_TRUE(ports().empty());
}

TEST_F(TrackedConnectionsTest, FlushForgetsWhatIsMeantAndNothingElse) {
  open(4);
  open(2, 7);
  EXPECT_EQ(flush({.zone = 7}), 2u);
  EXPECT_EQ(flush({.ip_proto = 17, .original = {.src_port = 3}}), 1u);
  EXPECT_EQ(flush({.ip_proto = 6}), 0u);
  EXPECT_EQ(flush({.reply = {.dst_port = 1}}), 1u);
  EXPECT_EQ(ports(), (std::vector<std::uint16_t>{2, 4}));
  EXPECT_EQ(control_->count(), 2u);
  EXPECT_EQ(control_->zone_limit(7).count, 0u);
}

TEST_F(TrackedConnectionsTest, FlushKnowsMarks) {
  run({.mark = 0x12, .mark_mask = 0xff, .commits = true}, udp(1, 2, 1));
  run({.mark = 0x22, .mark_mask = 0xff, .commits = true}, udp(1, 2, 2));
  EXPECT_EQ(flush({.mark = 0x10, .mark_mask = 0xf0}), 1u);
  EXPECT_EQ(ports(), std::vector<std::uint16_t>{2});
}

TEST_F(TrackedConnectionsTest, OneTupleOfEitherDirectionNamesAConnection) {
  open(2);
  const ConnectionTuple back{{0, 0, 0, 2}, {0, 0, 0, 1}, 53, 1, 17, 4};
  EXPECT_FALSE(control_->flush_one(9, back));
  EXPECT_TRUE(control_->flush_one(0, back));
  EXPECT_FALSE(control_->flush_one(0, back));
  EXPECT_EQ(ports(), std::vector<std::uint16_t>{2});
}

TEST_F(TrackedConnectionsTest, LimitsHoldForNewConnections) {
  control_->set_default_limit(3);
  control_->set_zone_limit(5, 1);
  open(9);
  open(9, 5);
  EXPECT_EQ(control_->zone_limit(0).count, 3u);
  EXPECT_EQ(control_->zone_limit(5).count, 1u);
  ASSERT_EQ(control_->zone_limits().size(), 1u);
  control_->set_zone_limit(5, std::nullopt);
  EXPECT_EQ(control_->zone_limit(5).limit, 3u);
}

TEST_F(TrackedConnectionsTest, ZonesHaveTimeoutsOfTheirOwn) {
  ConnectionTimeouts quick = kDefaultConnectionTimeouts;
  quick[6] = 5;  // udp_first
  const ZoneTimeouts zone{5, quick};
  ASSERT_TRUE(control_->set_timeouts(kDefaultConnectionTimeouts, {&zone, 1}));
  open(1, 5);
  open(1);
  now_ms_ += 5'000;
  EXPECT_TRUE(ports({.zone = 5}).empty());
  EXPECT_EQ(ports().size(), 1u);
  EXPECT_EQ(control_->timeouts(5), quick);
  ASSERT_TRUE(control_->set_timeouts(kDefaultConnectionTimeouts, {}));
  EXPECT_EQ(control_->timeouts(5), kDefaultConnectionTimeouts);
}

TEST_F(TrackedConnectionsTest, MoreConnectionsThanTheTableHoldsAreRefused) {
  EXPECT_FALSE(control_->set_max_connections((1u << 16) + 1));
  EXPECT_TRUE(control_->set_max_connections(2));
  open(5);
  EXPECT_EQ(control_->count(), 2u);
}

TEST_F(TrackedConnectionsTest, WhatIsRefusedIsCountedByReason) {
  control_->set_zone_limit(5, 1);
  open(4, 5);
  EXPECT_EQ(control_->refused().zone_limit, 3u);
  ASSERT_TRUE(control_->set_max_connections(3));
  open(6);
  EXPECT_EQ(control_->refused().table_full, 4u);
  EXPECT_EQ(control_->refused().zone_limit, 3u);
  EXPECT_EQ(control_->refused().nat_exhausted, 0u);
}

TEST_F(TrackedConnectionsTest, AShorterSweepIntervalMeansLargerSlices) {
  open(3000);
  EXPECT_EQ(control_->sweep_interval_ms(), 20'000u);
  EXPECT_EQ(tracker_->sweep_slice(), 256u);
  control_->set_sweep_interval_ms(1);
  EXPECT_GE(tracker_->sweep_slice(), 3000u);
}

}  // namespace
}  // namespace hoist::software

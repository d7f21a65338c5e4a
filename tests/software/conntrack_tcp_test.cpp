// SPDX-License-Identifier: BSD-3-Clause
#include "conntrack_fixture.hpp"

namespace hoist::software {
namespace {

constexpr auto kSyn = TcpSegment::kSyn, kAck = TcpSegment::kAck, kFin = TcpSegment::kFin,
               kRst = TcpSegment::kRst;

/// Two ends that speak TCP through the tracker.
class TcpTrackerTest : public ConntrackFixture {
 protected:
  struct Sent {
    std::uint16_t flags;
    std::uint32_t sequence;
    std::uint32_t acknowledged = 0;
    std::uint32_t size = 0;
  };
  std::uint8_t to_server(const Sent& s, bool commits = false) {
    return run({.commits = commits}, tcp(tuple_, segment(s))).state;
  }
  std::uint8_t to_client(const Sent& s) { return run({}, tcp(reversed(tuple_), segment(s))).state; }
  static TcpSegment segment(const Sent& s) {
    return {.flags = s.flags,
            .window = 1000,
            .sequence = s.sequence,
            .acknowledged = s.acknowledged,
            .size = s.size,
            .scale = 0};
  }
  void shake_hands() {
    EXPECT_EQ(to_server({kSyn, 100}, true), kNew);
    EXPECT_EQ(to_client({kSyn | kAck, 500, 101}), kEstReply);
    EXPECT_EQ(to_server({kAck, 101, 501}), kEst);
  }
  std::uint64_t left_s() {
    const auto found = tracker_->table().find(tuple_, now_ms_);
    return found.connection == nullptr ? 0 : (found.connection->expires_ms - now_ms_) / 1000;
  }
  TcpPeers peers() { return tracker_->table().find(tuple_, now_ms_).connection->peers; }

  Tuple tuple_ = ipv4_tuple(0x0a010101, 0x0a010102, 40000, 80, 6);
};

TEST_F(TcpTrackerTest, AHandshakeEstablishesAndEachStepHasItsTime) {
  to_server({kSyn, 100}, true);
  EXPECT_EQ(left_s(), 30u);
  to_client({kSyn | kAck, 500, 101});
  EXPECT_EQ(left_s(), 30u);
  to_server({kAck, 101, 501});
  EXPECT_EQ(left_s(), 86400u);
  EXPECT_EQ(peers()[0].state, TcpState::kEstablished);
  EXPECT_EQ(peers()[1].state, TcpState::kEstablished);
}

TEST_F(TcpTrackerTest, ARepeatedSynIsStillNew) {
  to_server({kSyn, 100}, true);
  EXPECT_EQ(to_server({kSyn, 100}), kNew);
}

TEST_F(TcpTrackerTest, AnAnswerWithoutAQuestionIsInvalid) {
  EXPECT_EQ(to_server({kSyn | kAck, 1, 1}, true), kInv);
}

TEST_F(TcpTrackerTest, FlagsThatNoStackSendsAreInvalid) {
  for (const int flags : {kSyn | kFin, kSyn | kRst, 0, +kFin, TcpSegment::kPsh | kFin}) {
    EXPECT_EQ(to_server({static_cast<std::uint16_t>(flags), 1}, true), kInv) << flags;
  }
}

TEST_F(TcpTrackerTest, AStreamCanBePickedUpMidway) {
  EXPECT_EQ(to_server({kAck, 1'000'000, 2'000'000, 100}, true), kNew);
  EXPECT_EQ(to_client({kAck, 2'000'000, 1'000'100, 100}), kEstReply);
  EXPECT_EQ(to_server({kAck, 1'000'100, 2'000'100}), kEst);
}

TEST_F(TcpTrackerTest, DataOutsideTheWindowIsInvalidUnlessChecksAreOff) {
  shake_hands();
  EXPECT_EQ(to_server({kAck, 101, 501, 500}), kEst);
  EXPECT_EQ(to_server({kAck, 101 + 500'000, 501, 10}), kInv);
  EXPECT_EQ(to_server({kAck, 601, 501 + 200'000}), kInv) << "acknowledges what was never sent";
  tracker_->set_checks_tcp_window(false);
  EXPECT_EQ(to_server({kAck, 101 + 500'000, 501, 10}), kEst);
}

TEST_F(TcpTrackerTest, ABlindResetIsInvalidAndATrueOneEndsIt) {
  shake_hands();
  EXPECT_EQ(to_client({kRst, 501 + 100}), kInv);
  EXPECT_EQ(left_s(), 86400u);
  EXPECT_EQ(to_client({kRst, 501}), kEstReply);
  EXPECT_EQ(left_s(), 30u);
}

TEST_F(TcpTrackerTest, ClosingGoesThroughItsTimes) {
  shake_hands();
  to_server({kFin | kAck, 101, 501});
  EXPECT_EQ(left_s(), 900u);
  to_client({kFin | kAck, 501, 102});
  EXPECT_EQ(left_s(), 45u);
  to_server({kAck, 102, 502});
  EXPECT_EQ(left_s(), 30u);
}

TEST_F(TcpTrackerTest, AClosedConnectionsTupleCanBeOpenedAgain) {
  shake_hands();
  to_client({kRst, 501});
  EXPECT_EQ(to_server({kSyn, 9000}, true), kNew);
  EXPECT_EQ(to_client({kSyn | kAck, 100, 9001}), kEstReply);
  EXPECT_EQ(tracker_->count(), 1u);
}

/// Against a table that holds few.
TEST_F(TcpTrackerTest, ASynFloodFillsTheTableNoFurtherAndLeavesWhatIsEstablishedAlone) {
  constexpr std::uint32_t kMost = 1000, kFlood = 20'000;
  using Refusal = TrackOutcome::Refusal;
  tracker_->set_connections_most(kMost);
  shake_hands();
  std::uint32_t refused = 0;
  for (std::uint32_t n = 0; n < kFlood; ++n) {
    const Tuple from = ipv4_tuple(0x0b000000 + n, 0x0a010102, 1024, 80, 6);
    EXPECT_EQ(run({.commits = true}, tcp(from, segment({kSyn, n}))).state, kNew);
    refused += outcome_.refusal == Refusal::kTableFull;
    ASSERT_EQ(to_server({kAck, 101, 501}), kEst);
  }
  EXPECT_EQ(tracker_->count(), kMost);
  EXPECT_EQ(refused, kFlood - (kMost - 1));
  now_ms_ += 31'000;
  while (tracker_->sweep(now_ms_, 1024) != 0) {
  }
  EXPECT_EQ(tracker_->count(), 1u) << "half open ones are soon forgotten";
  EXPECT_EQ(to_client({kAck, 501, 101}), kEstReply);
}

}  // namespace
}  // namespace hoist::software

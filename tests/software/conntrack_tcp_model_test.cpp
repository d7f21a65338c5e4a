// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cstring>
#include <random>
#include <string>

#include "conntrack_fixture.hpp"
#include "tcp_end.hpp"

namespace hoist::software {
namespace {

/// Each has a time of its own, so that the time left tells which it was.
constexpr ConnectionTimeouts kTimeouts_s = {11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21};

/// What somebody in the middle may conclude from the segments that have passed.
class Onlooker {
 public:
  void see(const TcpSegment& s, unsigned from) {
    const unsigned to = 1 - from;
    if (s.has(TcpSegment::kSyn)) has_opened_[from] = true;
    if (s.has(TcpSegment::kFin)) has_closed_[from] = true;
    if (s.has(TcpSegment::kAck)) {
      is_open_answered_[to] = has_opened_[to];
      is_close_answered_[to] = has_closed_[to];
    }
    if (s.has(TcpSegment::kRst)) is_reset_ = true;
  }
  [[nodiscard]] std::uint8_t state(unsigned from) const {
    if (!has_opened_[1]) return CtState::kNew | CtState::kTracked;
    return static_cast<std::uint8_t>(CtState::kEstablished | CtState::kTracked |
                                     (from == 1 ? CtState::kReply : 0));
  }
  [[nodiscard]] Timeout timer() const {
    const auto all = [](const std::array<bool, 2>& of) { return of[0] && of[1]; };
    if (is_reset_ || all(is_close_answered_)) return Timeout::kTcpClose;
    if (all(has_closed_)) return Timeout::kTcpTimeWait;
    if (!has_opened_[1]) return Timeout::kTcpSynSent;
    if (!all(is_open_answered_)) return Timeout::kTcpSynRecv;
    const bool is_closing = has_closed_[0] || has_closed_[1];
    return is_closing ? Timeout::kTcpFinWait : Timeout::kTcpEstablished;
  }
  [[nodiscard]] bool is_closing() const { return has_closed_[0] || has_closed_[1] || is_reset_; }
  [[nodiscard]] bool is_established() const { return is_open_answered_[0] && is_open_answered_[1]; }

 private:
  std::array<bool, 2> has_opened_{}, has_closed_{}, is_open_answered_{}, is_close_answered_{};
  bool is_reset_ = false;
};

/// Two ends that talk at random past a tracker, over a line that loses segments behind it.
class TcpModelTest : public ConntrackFixture {
 protected:
  void SetUp() override {
    ConntrackFixture::SetUp();
    tracker_->timeouts().set(TimeoutPolicies::kDefault, kTimeouts_s);
  }
  std::uint32_t draw(std::uint32_t below) { return std::uint32_t(random_engine_() % below); }
  TcpEnd::Config draw_end() {
    const bool has_scale = draw(3) != 0;
    return {.first = draw(4) == 0 ? 0u - draw(2000) : std::uint32_t(random_engine_()),
            .window = std::uint16_t(1 + draw(65535)),
            .scale = std::uint8_t(has_scale ? TcpPeer::kHasScale | draw(15) : 0)};
  }

  void converse(std::uint32_t n) {
    tuple_ = ipv4_tuple(0x0a000000 + n, 0x0b000000, 1000, 80, 6);
    ends_ = {TcpEnd(draw_end()), TcpEnd(draw_end())};
    onlooker_ = {};
    history_.clear();
    ends_[1].listen();
    pass(ends_[0].open(), 0);
    for (int i = 0; i < 80 && !HasFailure(); ++i) {
      const unsigned from = draw(2);
      if (const auto s = act(ends_[from])) pass(*s, from);
      if (onlooker_.is_established() && draw(4) == 0) forge(from);
    }
  }
  std::optional<TcpSegment> act(TcpEnd& end) {
    switch (draw(40)) {
      case 0:
      case 1:
        return end.close();
      case 2:
        return draw(4) == 0 ? end.abort() : std::nullopt;
      default:
        return draw(3) == 0 ? end.send_again() : end.send(draw(3000));
    }
  }

  /// A segment goes by, and is answered, and that is answered.
  void pass(TcpSegment s, unsigned from) {
    for (int i = 0; i < 4; ++i) {
      now_ms_ += 10;
      onlooker_.see(s, from);
      history_ += describe(s, from);
      const auto track = run({.commits = true}, packet(s, from));
      ASSERT_EQ(int{track.state}, int{onlooker_.state(from)}) << history_;
      ASSERT_EQ(left_s(), kTimeouts_s[static_cast<std::size_t>(onlooker_.timer())]) << history_;
      if (draw(10) == 0) return;  // Lost.
      from = 1 - from;
      const auto answer = ends_[from].receive(s);
      if (!answer) return;
      s = *answer;
    }
  }

  /// Somebody who does not know the numbers: refused, and nothing comes of it.
  void forge(unsigned from) {
    if (onlooker_.is_closing()) return;
    const auto before = peers();
    const std::uint16_t flags = draw(3) == 0 ? TcpSegment::kRst : TcpSegment::kAck;
    const TcpSegment s{.flags = flags,
                       .window = 1000,
                       .sequence = before[from].sent + 0x60000000 + draw(0x40000000),
                       .acknowledged = before[1 - from].sent,
                       .size = 1 + draw(1000),
                       .scale = 0};
    const auto left = left_s();
    EXPECT_EQ(int{run({}, packet(s, from)).state}, int{kInv}) << describe(s, from);
    const auto after = peers();
    EXPECT_EQ(std::memcmp(&before, &after, sizeof before), 0);
    EXPECT_EQ(left_s(), left);
  }

  [[nodiscard]] TrackedPacket packet(const TcpSegment& s, unsigned from) const {
    return tcp(from == 0 ? tuple_ : reversed(tuple_), s);
  }
  [[nodiscard]] const Connection& connection() {
    return *tracker_->table().find(tuple_, now_ms_).connection;
  }
  TcpPeers peers() { return connection().peers; }
  std::uint64_t left_s() { return (connection().expires_ms - now_ms_ + 999) / 1000; }
  static std::string describe(const TcpSegment& s, unsigned from) {
    return "from " + std::to_string(from) + " flags " + std::to_string(s.flags) + " sequence " +
           std::to_string(s.sequence) + " acknowledged " + std::to_string(s.acknowledged) +
           " size " + std::to_string(s.size) + " window " + std::to_string(s.window) + " scale " +
           std::to_string(s.scale) + '\n';
  }

  std::mt19937_64 random_engine_{20261};
  Tuple tuple_{};
  std::array<TcpEnd, 2> ends_{TcpEnd({}), TcpEnd({})};
  Onlooker onlooker_;
  std::string history_;
};

TEST_F(TcpModelTest, WhatRfc9293AllowsIsValidAndIsUnderstood) {
  constexpr std::uint32_t kConversations = 2000;
  for (std::uint32_t n = 0; n < kConversations && !HasFailure(); ++n) converse(n);
}

}  // namespace
}  // namespace hoist::software

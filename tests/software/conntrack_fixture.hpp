// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include "conntrack/connection_tracker.hpp"

namespace hoist::software {

inline Tuple ipv4_tuple(std::uint32_t src, std::uint32_t dst, std::uint16_t src_port,
                        std::uint16_t dst_port, std::uint8_t ip_proto, std::uint16_t zone = 0) {
  Tuple t{};
  const std::uint32_t s = Be32{src}.wire();
  const std::uint32_t d = Be32{dst}.wire();
  std::memcpy(t.src.data(), &s, 4);
  std::memcpy(t.dst.data(), &d, 4);
  t.src_port = Be16{src_port};
  t.dst_port = Be16{dst_port};
  t.zone = zone;
  t.ip_proto = ip_proto;
  t.family = 4;
  return t;
}

inline TrackedPacket udp(std::uint32_t src, std::uint32_t dst, std::uint16_t src_port = 1000,
                         std::uint16_t dst_port = 53) {
  return {.tuple = ipv4_tuple(src, dst, src_port, dst_port, 17), .is_sound = true};
}
inline TrackedPacket tcp(const Tuple& tuple, const TcpSegment& segment) {
  return {.tuple = tuple, .is_sound = true, .is_related = false, .tcp = segment};
}
inline TrackedPacket back(TrackedPacket packet) {
  packet.tuple = reversed(packet.tuple);
  return packet;
}

/// A tracker whose clock a test holds.
class ConntrackFixture : public ::testing::Test {
 protected:
  static constexpr std::uint8_t kNew = CtState::kNew | CtState::kTracked;
  static constexpr std::uint8_t kEst = CtState::kEstablished | CtState::kTracked;
  static constexpr std::uint8_t kEstReply = kEst | CtState::kReply;
  static constexpr std::uint8_t kInv = CtState::kInvalid | CtState::kTracked;

  void SetUp() override {
    auto made = ConnectionTracker::create({.capacity = 1u << 16, .seed = 42});
    ASSERT_TRUE(made);
    tracker_ = std::move(*made);
  }

  std::uint8_t look(const TrackedPacket& packet) { return run({}, packet).state; }
  std::uint8_t commit(const TrackedPacket& packet) { return run({.commits = true}, packet).state; }
  PacketTrack run(const TrackRequest& request, const TrackedPacket& packet) {
    PacketTrack track;
    TrackedPacket zoned = packet;
    zoned.tuple.zone = request.zone;
    outcome_ = tracker_->track(request, zoned, {now_ms_, ++random_}, track);
    tracker_->describe(track);
    return track;
  }

  std::unique_ptr<ConnectionTracker> tracker_;
  TrackOutcome outcome_;
  std::uint64_t now_ms_ = 1000;
  std::uint32_t random_ = 7;
};

}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
#include <thread>

#include "conntrack_fixture.hpp"

namespace hoist::software {
namespace {

using ConntrackThreadTest = ConntrackFixture;

// Both directions of each connection arrive on different workers, which also sweep. Run under
// ThreadSanitizer too.
TEST_F(ConntrackThreadTest, DirectionsMayArriveOnDifferentWorkers) {
  constexpr std::uint32_t kConnections = 500;
  std::atomic<std::uint32_t> doubles{0};
  auto worker = [&](bool is_reply) {
    for (std::uint64_t round = 0; round < 40; ++round) {
      for (std::uint32_t n = 0; n < kConnections; ++n) {
        const bool is_tcp = n % 2 == 0;
        const Tuple tuple = ipv4_tuple(0x0a000000 + n, 0x0b000000, 1000, 80, is_tcp ? 6 : 17);
        TrackedPacket packet{.tuple = is_reply ? reversed(tuple) : tuple, .is_sound = true};
        packet.tcp = {.flags = TcpSegment::kAck,
                      .window = 1000,
                      .sequence = 1,
                      .acknowledged = 1,
                      .size = 1,
                      .scale = 0};
        PacketTrack track;
        (void)tracker_->track({.mark = n, .mark_mask = 0xffff, .commits = true}, packet,
                              {round * 10'000, n}, track);
        TrackOutcome outcome;
        if (!track.connection.is_none()) {
          (void)tracker_->follow({}, {tuple.ip_proto, packet.tcp}, round * 10'000, track, outcome);
        }
      }
      tracker_->sweep(round * 10'000, 256);
    }
  };
  std::thread a(worker, false), b(worker, true);
  a.join();
  b.join();
  EXPECT_LE(tracker_->count(), kConnections);
  std::uint32_t live = 0;
  for (std::uint32_t i = 0; i < tracker_->table().end(); ++i) {
    if (is_live(tracker_->table().at(i).generation)) ++live;
  }
  EXPECT_EQ(live, tracker_->count());
  EXPECT_EQ(tracker_->zones().count(0), live);
}

}  // namespace
}  // namespace hoist::software

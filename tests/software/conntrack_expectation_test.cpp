// SPDX-License-Identifier: BSD-3-Clause
#include "conntrack/helped_connection.hpp"
#include "conntrack/tracked_expectations.hpp"
#include "conntrack_fixture.hpp"

namespace hoist::software {
namespace {

constexpr std::uint32_t kA = 0x0a010101, kB = 0x0a010102, kC = 0x0a010103;
constexpr std::uint8_t kNewRelated = CtState::kNew | CtState::kRelated | CtState::kTracked;
constexpr TcpSegment kSyn{.flags = TcpSegment::kSyn, .window = 1000, .sequence = 1};

TrackedPacket syn(std::uint32_t src, std::uint32_t dst, std::uint16_t dst_port,
                  std::uint16_t src_port = 1000) {
  return tcp(ipv4_tuple(src, dst, src_port, dst_port, 6), kSyn);
}

class ExpectationTest : public ConntrackFixture {
 protected:
  /// A session from A to B.
  PacketTrack open_session(const TrackRequest& request = {.commits = true,
                                                          .helper = Helper::kFtp}) {
    return run(request, syn(kA, kB, 21));
  }
  void expect(const PacketTrack& session, bool is_reply, std::uint16_t port) {
    HelpedConnection connection(*tracker_, session.connection);
    ASSERT_TRUE(connection.is_there());
    connection.expect(is_reply, Be16{port}, Be16{port});
  }
  std::size_t count(std::optional<std::uint16_t> zone = {}) {
    std::size_t n = 0;
    TrackedExpectations(*tracker_).walk(zone, [&](const ExpectationReport&) { ++n; });
    return n;
  }
  static TrackRequest source_nat(std::uint32_t address) {
    TrackRequest request{.commits = true, .translates = true, .helper = Helper::kFtp};
    request.nat.kind = NatKind::kSource;
    request.nat.family = 4;
    request.nat.first = request.nat.last = ipv4_tuple(address, 0, 0, 0, 6).src;
    return request;
  }
};

TEST_F(ExpectationTest, AConnectionThatWasAnnouncedIsRelatedFromAnySourcePort) {
  const auto session = open_session();
  EXPECT_TRUE(outcome_.is_helped);
  expect(session, true, 5000);
  EXPECT_EQ(look(syn(kA, kB, 5000, 2000)), kNewRelated);
  EXPECT_EQ(look(syn(kA, kB, 5001)), kNew);
  EXPECT_EQ(look(syn(kC, kB, 5000)), kNew);
  EXPECT_EQ(commit(syn(kA, kB, 5000, 2000)), kNewRelated);
  EXPECT_EQ(look(back(udp(kA, kB, 2000, 5000))), kNew) << "another protocol";
  EXPECT_EQ(tracker_->count(), 2u);
}

TEST_F(ExpectationTest, TheServerComesInWhereTheClientAwaitsIt) {
  expect(open_session(), false, 5000);
  EXPECT_EQ(look(syn(kB, kA, 5000, 20)), kNewRelated);
}

TEST_F(ExpectationTest, ARelatedConnectionHasItsParentsMarkLabelAndTuple) {
  const auto session = open_session({.label = {1, 2},
                                     .label_mask = {~0ull, ~0ull},
                                     .mark = 7,
                                     .mark_mask = ~0u,
                                     .commits = true,
                                     .helper = Helper::kFtp});
  expect(session, true, 5000);
  for (const TrackRequest& request : {TrackRequest{}, TrackRequest{.commits = true}}) {
    const auto track = run(request, syn(kA, kB, 5000));
    EXPECT_EQ(track.mark, 7u);
    EXPECT_EQ(track.label, (std::array<std::uint64_t, 2>{1, 2}));
    EXPECT_EQ(track.original.dst_port, Be16{21});
  }
}

TEST_F(ExpectationTest, EndsWithItsParent) {
  const auto session = open_session();
  expect(session, true, 5000);
  EXPECT_EQ(count(), 1u);
  EXPECT_EQ(count(9), 0u);
  now_ms_ += 30'000;
  EXPECT_EQ(look(syn(kA, kB, 5000)), kNew) << "the parent's time is over";
  EXPECT_EQ(tracker_->sweep(now_ms_, 1u << 16), 1u);
  EXPECT_EQ(count(), 0u);
}

TEST_F(ExpectationTest, OfManyAParentHasTheNewest) {
  const auto session = open_session();
  for (std::uint16_t i = 0; i < 100; ++i)
    expect(session, true, static_cast<std::uint16_t>(5000 + i));
  EXPECT_EQ(count(), ExpectationTable::kOwnMost);
  EXPECT_EQ(look(syn(kA, kB, 5000)), kNew);
  EXPECT_EQ(look(syn(kA, kB, 5099)), kNewRelated);
  tracker_->remove(session.connection);
  EXPECT_EQ(count(), 0u);
}

TEST_F(ExpectationTest, AHelperIsOnlyWhereItsProtocolIs) {
  run({.commits = true, .helper = Helper::kFtp}, udp(kA, kB));
  EXPECT_FALSE(outcome_.is_helped);
  run({.commits = true, .helper = Helper::kTftp}, udp(kA, kC));
  EXPECT_TRUE(outcome_.is_helped);
  run({.commits = true}, syn(kA, kB, 21));
  EXPECT_FALSE(outcome_.is_helped);
}

TEST_F(ExpectationTest, ADataConnectionIsTranslatedAsItsParentIs) {
  const auto session = run(source_nat(kC), syn(kA, kB, 21));
  expect(session, true, 5000);
  expect(session, false, 6000);
  run({.commits = true, .translates = true}, syn(kA, kB, 5000));
  EXPECT_EQ(outcome_.translated, ipv4_tuple(kC, kB, 1000, 5000, 6)) << "passive";
  run({.commits = true, .translates = true}, syn(kB, kC, 6000, 20));
  EXPECT_EQ(outcome_.translated, ipv4_tuple(kB, kA, 20, 6000, 6)) << "active";
  run({.translates = true}, back(syn(kC, kB, 5000)));
  EXPECT_EQ(outcome_.translated, ipv4_tuple(kB, kA, 5000, 1000, 6));
}

TEST_F(ExpectationTest, RecordsOfHelpersAreUsedAgain) {
  for (std::uint32_t i = 0; i < 2 * ConnectionHelpers::kCapacity; ++i) {
    const auto session = open_session();
    ASSERT_TRUE(outcome_.is_helped);
    tracker_->remove(session.connection);
  }
}

}  // namespace
}  // namespace hoist::software

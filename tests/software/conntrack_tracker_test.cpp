// SPDX-License-Identifier: BSD-3-Clause
#include "conntrack_fixture.hpp"

namespace hoist::software {
namespace {

using ConnectionTrackerTest = ConntrackFixture;
constexpr std::uint32_t kA = 0x0a010101, kB = 0x0a010102;

TEST_F(ConnectionTrackerTest, NothingIsRememberedWithoutCommit) {
  EXPECT_EQ(look(udp(kA, kB)), kNew);
  EXPECT_EQ(look(udp(kA, kB)), kNew);
  EXPECT_EQ(tracker_->count(), 0u);
}

TEST_F(ConnectionTrackerTest, AConnectionIsEstablishedOnceItIsAnswered) {
  EXPECT_EQ(commit(udp(kA, kB)), kNew);
  EXPECT_EQ(look(udp(kA, kB)), kNew);
  EXPECT_EQ(look(back(udp(kA, kB))), kEstReply);
  EXPECT_EQ(look(udp(kA, kB)), kEst);
  EXPECT_EQ(tracker_->count(), 1u);
}

TEST_F(ConnectionTrackerTest, ZonesKnowNothingOfEachOther) {
  run({.zone = 5, .commits = true}, udp(kA, kB));
  EXPECT_EQ(run({.zone = 6}, back(udp(kA, kB))).state, kNew);
  EXPECT_EQ(run({.zone = 5}, back(udp(kA, kB))).state, kEstReply);
  EXPECT_EQ(tracker_->zones().count(5), 1u);
}

TEST_F(ConnectionTrackerTest, AConnectionIsForgottenWhenItsTimeIsOver) {
  commit(udp(kA, kB));
  now_ms_ += 59'999;
  EXPECT_EQ(look(back(udp(kA, kB))), kEstReply);
  now_ms_ += 30'000;
  EXPECT_EQ(look(udp(kA, kB)), kNew);
  EXPECT_EQ(tracker_->count(), 1u);
  EXPECT_EQ(tracker_->sweep(now_ms_, 1u << 16), 1u);
  EXPECT_EQ(tracker_->count(), 0u);
  EXPECT_EQ(tracker_->zones().count(0), 0u);
}

TEST_F(ConnectionTrackerTest, ATupleIsFreeForOthersWhenItsTimeIsOverThoughUnswept) {
  commit(udp(kA, kB));
  now_ms_ += 60'000;
  EXPECT_EQ(commit(back(udp(kA, kB))), kNew);
  EXPECT_EQ(look(udp(kA, kB)), kEstReply);
  EXPECT_EQ(tracker_->count(), 1u);
}

TEST_F(ConnectionTrackerTest, MarkAndLabelAreWrittenUnderTheirMasks) {
  run({.mark = 0x5, .mark_mask = 0x5, .commits = true}, udp(kA, kB));
  const auto track =
      run({.label = {0, 2}, .label_mask = {0, 2}, .mark = 0x2, .mark_mask = 0x6, .commits = true},
          back(udp(kA, kB)));
  EXPECT_EQ(track.mark, 3u);
  EXPECT_EQ(track.label, (std::array<std::uint64_t, 2>{0, 2}));
  EXPECT_EQ(run({}, udp(kA, kB)).mark, 3u);
}

TEST_F(ConnectionTrackerTest, ForceTurnsAConnectionAround) {
  commit(udp(kA, kB));
  EXPECT_EQ(run({.commits = true, .forces = true}, back(udp(kA, kB))).state, kNew);
  EXPECT_EQ(look(udp(kA, kB)), kEstReply);
  EXPECT_EQ(tracker_->count(), 1u);
}

TEST_F(ConnectionTrackerTest, DamagedPacketsAreInvalid) {
  TrackedPacket packet = udp(kA, kB);
  packet.is_sound = false;
  const auto track = run({.commits = true}, packet);
  EXPECT_EQ(track.state, kInv);
  EXPECT_EQ(track.original.family, 0);
  EXPECT_EQ(tracker_->count(), 0u);
}

TEST_F(ConnectionTrackerTest, AnErrorIsRelatedToItsConnectionAndNeverOpensOne) {
  TrackedPacket error = back(udp(kA, kB));
  error.is_related = true;
  EXPECT_EQ(run({.commits = true}, error).state, kInv);
  run({.mark = 1, .mark_mask = 1, .commits = true}, udp(kA, kB));
  const auto track = run({}, error);
  EXPECT_EQ(track.state, CtState::kRelated | CtState::kReply | CtState::kTracked);
  EXPECT_EQ(track.mark, 1u);
  EXPECT_EQ(look(udp(kA, kB)), kNew) << "an error is no answer";
}

TEST_F(ConnectionTrackerTest, AnEchoReplyOpensNothing) {
  TrackedPacket request{.tuple = ipv4_tuple(kA, kB, 77, 8 << 8, 1), .is_sound = true};
  EXPECT_EQ(commit(back(request)), kInv);
  EXPECT_EQ(commit(request), kNew);
  EXPECT_EQ(look(back(request)), kEstReply);
}

TEST_F(ConnectionTrackerTest, TheSecondLookInAZoneChangesNoState) {
  PacketTrack track;
  const auto packet = udp(kA, kB);
  (void)tracker_->track({.commits = true}, packet, {now_ms_, 1}, track);
  (void)tracker_->track({.mark = 9, .mark_mask = 0xff, .commits = true}, packet, {now_ms_, 1},
                        track);
  tracker_->describe(track);
  EXPECT_EQ(track.state, kNew);
  EXPECT_EQ(track.mark, 9u);
  EXPECT_EQ(tracker_->table().at(track.connection.index).exchange.load(), ExchangeState::kFirst);
}

TEST_F(ConnectionTrackerTest, LimitsRefuseNewConnectionsAndKeepOldOnes) {
  tracker_->zones().set_own_limit(3, 2);
  for (std::uint16_t i = 0; i < 5; ++i) {
    const auto track = run({.zone = 3, .commits = true}, udp(kA, kB, 1000 + i));
    EXPECT_EQ(track.state, kNew);
    EXPECT_EQ(outcome_.refusal == TrackOutcome::Refusal::kZoneLimit, i >= 2);
  }
  EXPECT_EQ(tracker_->zones().count(3), 2u);
  tracker_->set_connections_most(2);
  run({.zone = 4, .commits = true}, udp(kA, kB));
  EXPECT_EQ(outcome_.refusal, TrackOutcome::Refusal::kTableFull);
  EXPECT_EQ(tracker_->zones().count(4), 0u);
  EXPECT_EQ(run({.zone = 3}, back(udp(kA, kB))).state, kEstReply);
}

TEST_F(ConnectionTrackerTest, FollowingAKnownConnectionIsTheSameAsFindingIt) {
  commit(udp(kA, kB));
  auto known = run({}, back(udp(kA, kB)));
  now_ms_ += 10;
  TrackOutcome outcome;
  ASSERT_TRUE(tracker_->follow({}, {.ip_proto = 17}, now_ms_, known, outcome));
  EXPECT_EQ(known.state, kEstReply);
  EXPECT_EQ(tracker_->table().at(known.connection.index).expires_ms.load(), now_ms_ + 30'000);
  tracker_->remove(known.connection);
  EXPECT_FALSE(tracker_->follow({}, {.ip_proto = 17}, now_ms_, known, outcome));
}

TEST_F(ConnectionTrackerTest, SourceNatTurnsRepliesBack) {
  TrackRequest nat{.commits = true, .translates = true};
  const Tuple range = ipv4_tuple(0x1e000001, 0x1e000010, 0, 0, 0);
  nat.nat = {.first = range.src, .last = range.dst, .kind = NatKind::kSource, .family = 4};
  const auto sent = run(nat, udp(kA, kB));
  EXPECT_EQ(sent.state, kNew | CtState::kSourceNat);
  const Tuple out = outcome_.translated;
  EXPECT_EQ(out.dst, udp(kA, kB).tuple.dst);
  EXPECT_EQ(out.src_port, udp(kA, kB).tuple.src_port) << "kept while it is free";
  EXPECT_GE(out.src, range.src);
  EXPECT_LE(out.src, range.dst);
  TrackedPacket answer{.tuple = reversed(out), .is_sound = true};
  EXPECT_EQ(run({.translates = true}, answer).state, kEstReply | CtState::kDestinationNat);
  EXPECT_EQ(outcome_.translated, reversed(udp(kA, kB).tuple));
}

TEST_F(ConnectionTrackerTest, ExhaustedNatSaysSo) {
  TrackRequest nat{.commits = true, .translates = true};
  const Tuple range = ipv4_tuple(0x1e000001, 0x1e000001, 0, 0, 0);
  nat.nat = {.first = range.src,
             .last = range.dst,
             .first_port = 5000,
             .last_port = 5002,
             .kind = NatKind::kSource,
             .family = 4};
  std::set<std::uint16_t> ports;
  for (std::uint16_t i = 0; i < 3; ++i) {
    run(nat, udp(kA + i, kB));
    ASSERT_EQ(outcome_.refusal, TrackOutcome::Refusal::kNone);
    ports.insert(outcome_.translated.src_port.host());
  }
  EXPECT_EQ(ports, (std::set<std::uint16_t>{5000, 5001, 5002}));
  run(nat, udp(kA + 9, kB));
  EXPECT_EQ(outcome_.refusal, TrackOutcome::Refusal::kNatExhausted);
  EXPECT_EQ(tracker_->refused_count(TrackOutcome::Refusal::kNatExhausted), 1u);
  EXPECT_EQ(tracker_->count(), 3u);
}

TEST_F(ConnectionTrackerTest, EchoIdentifiersAreTranslatedWhereTheyClash) {
  TrackRequest nat{.commits = true, .translates = true};
  const Tuple range = ipv4_tuple(0x1e000001, 0x1e000001, 0, 0, 0);
  nat.nat = {.first = range.src, .last = range.dst, .kind = NatKind::kSource, .family = 4};
  for (std::uint16_t i = 0; i < 3; ++i) {
    run(nat, {.tuple = ipv4_tuple(kA + i, kB, 500, 8 << 8, 1), .is_sound = true});
    const auto id = outcome_.translated.src_port.host();
    EXPECT_EQ(id, i == 0 ? 500 : 500 + i);
  }
}

}  // namespace
}  // namespace hoist::software

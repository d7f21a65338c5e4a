// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "datapath_fixture.hpp"
#include "hoist/fragments.hpp"
#include "support/fragment_frame.hpp"

namespace hoist::test {
namespace {

constexpr std::uint32_t kNew = 0x01, kEst = 0x02, kInv = 0x10, kTrk = 0x20;
using Frames = std::vector<Bytes>;

struct Ends {
  Be32 src = ip4("10.0.0.1"), dst = ip4("10.0.0.2");
  std::uint16_t src_port = 1000, dst_port = 53;
  [[nodiscard]] Ends back() const { return {dst, src, dst_port, src_port}; }
};
Bytes udp(const Ends& e = {}, std::size_t size = 4000) {
  return Packet()
      .eth()
      .ipv4({.src = e.src, .dst = e.dst})
      .udp({.src = e.src_port, .dst = e.dst_port})
      .payload(size)
      .bytes();
}
Frames reversed(Frames frames) {
  std::ranges::reverse(frames);
  return frames;
}

MatchBuilder state(std::uint32_t bits) {
  return MatchBuilder().with(FieldId::kCtState, bits, bits);
}
CtAction to_table(std::uint8_t table_id, std::uint16_t zone = 0) {
  return {.zone = zone, .table_id = table_id};
}
CtAction commit() { return {.commit = true}; }

struct HeldClock {
  std::atomic<std::uint64_t> now_ns{1'000'000'000};
};

class DatapathFragmentTest : public HeldClock, public DatapathFixture {
 protected:
  DatapathFragmentTest() : DatapathFixture(1024, &now_ns) {}

  RuleId from(std::uint32_t port, MatchBuilder match, ActionList actions) {
    return add(match.with(FieldId::kInPort, port), apply(std::move(actions)), {.table_id = 1});
  }
  /// 1 inside, 2 outside; what is not valid leaves by 3.
  void add_firewall() {
    add(MatchBuilder(), apply({to_table(1)}));
    from(1, state(kNew | kTrk), {commit(), output(2)});
    from(1, state(kEst | kTrk), {output(2)});
    from(2, state(kEst | kTrk), {output(1)});
    add(state(kInv | kTrk), apply({output(3)}), {.table_id = 1});
  }
  Sent send_all(std::uint32_t port, const Frames& frames) {
    for (const Bytes& frame : frames) inject(port, frame);
    return drain();
  }
  void pass_ms(std::uint64_t ms) {
    now_ns += ms * 1'000'000;
    turn();
  }
  /// Buffers that came in and have not gone out.
  [[nodiscard]] unsigned held() const { return pool_->in_use(); }
};

TEST_F(DatapathFragmentTest, APacketPassesInItsOwnFragmentsWhenAllAreThere) {
  add_firewall();
  const Frames out = fragmented(udp()), back = fragmented(udp(Ends{}.back()));
  EXPECT_EQ(send_all(2, back), Sent{}) << "from outside, unasked";
  ASSERT_EQ(out.size(), 3u);
  EXPECT_EQ(send(1, out[0]), Sent{});
  EXPECT_EQ(send(1, out[1]), Sent{});
  EXPECT_EQ(held(), 2u);
  EXPECT_EQ(send(1, out[2]), (Sent{{2, out}}));
  EXPECT_EQ(send_all(2, back), (Sent{{1, back}}));
  EXPECT_EQ(held(), 0u);
}

TEST_F(DatapathFragmentTest, FragmentsInAnyOrderGoOnInTheirOwn) {
  add_firewall();
  const Frames out = fragmented(udp());
  EXPECT_EQ(send_all(1, reversed(out)), (Sent{{2, out}}));
  EXPECT_EQ(send_all(1, {out[1], out[2], out[0]}), (Sent{{2, out}}));
}

TEST_F(DatapathFragmentTest, EachPacketWaitsForItsOwnFragments) {
  add_firewall();
  const Frames one = fragmented(udp()), two = fragmented(udp(), {.id = 8}),
               three = fragmented(udp({.src = ip4("10.0.0.3")}));
  EXPECT_EQ(send_all(1, {one[0], two[0], three[0], one[1], two[1], three[1]}), Sent{});
  EXPECT_EQ(send(1, two[2]), (Sent{{2, two}}));
  EXPECT_EQ(send(1, one[2]), (Sent{{2, one}}));
  EXPECT_EQ(send(2, three[2]), Sent{}) << "not the port that the others came in by";
  EXPECT_EQ(send(1, three[2]), (Sent{{2, three}}));
}

TEST_F(DatapathFragmentTest, ThePacketIsJudgedWhole) {
  add_firewall();
  Bytes damaged = udp();
  damaged.back() ^= 1;
  const Frames out = fragmented(damaged);
  EXPECT_EQ(send_all(1, out), (Sent{{3, out}})) << "its checksum covers the last byte";
}

TEST_F(DatapathFragmentTest, FragmentsThatCannotBeAreInvalidAndDoNotWait) {
  add_firewall();
  const Frames small = fragmented(udp({}, 1300), {.payload_size = 1176});
  Bytes damaged = fragmented(udp())[0];
  damaged[24] ^= 1;
  Bytes empty = fragmented(udp({}, 8), {.payload_size = 8})[1];
  empty.resize(34);
  empty[17] = 20;
  for (const Bytes& frame : {small[0], damaged, empty}) {
    EXPECT_EQ(send(1, frame), (Sent{{3, {frame}}}));
  }
  EXPECT_EQ(send(1, small[1]), Sent{}) << "the last one may be short";
}

TEST_F(DatapathFragmentTest, WhatIsThereAlreadyIsInvalidAndWhatWasThereStays) {
  add_firewall();
  const Frames out = fragmented(udp()), other = fragmented(udp(), {.payload_size = 1392});
  EXPECT_EQ(send_all(1, {out[0], out[2]}), Sent{});
  for (const Bytes& frame : {out[0], out[2], other[0], other[1], other[2]}) {
    EXPECT_EQ(send(1, frame), (Sent{{3, {frame}}}));
  }
  EXPECT_EQ(send(1, out[1]), (Sent{{2, out}}));
}

TEST_F(DatapathFragmentTest, FragmentsThatReachBeyondTheEndAreInvalid) {
  add_firewall();
  const Frames longer = fragmented(udp({}, 5000)), out = fragmented(udp());
  EXPECT_EQ(send(1, out[2]), Sent{});
  EXPECT_EQ(send(1, longer[2]), (Sent{{3, {longer[2]}}}));
  EXPECT_EQ(send(1, longer[3]), (Sent{{3, {longer[3]}}}));
  EXPECT_EQ(send_all(1, {out[0], out[1]}), (Sent{{2, out}}));
}

TEST_F(DatapathFragmentTest, APacketBeyond65535BytesIsInvalid) {
  add_firewall();
  const Frames out = fragmented(udp({}, 65'500));
  ASSERT_EQ(out.size(), 47u);
  EXPECT_EQ(send_all(1, {out.begin(), out.begin() + 30}), Sent{});
  EXPECT_EQ(send_all(1, {out.begin() + 30, out.end()}), (Sent{{2, out}}));
  const Bytes last =
      Packet().eth().ipv4({.proto = 17, .id = 7, .fragment_offset = 8100}).payload(1400).bytes();
  EXPECT_EQ(send(1, last), (Sent{{3, {last}}}));
}

TEST_F(DatapathFragmentTest, WhatDoesNotBecomeWholeInTimeIsDroppedAndCounted) {
  add_firewall();
  const Frames out = fragmented(udp());
  send_all(1, {out[0], out[2]});
  pass_ms(14'999);
  EXPECT_EQ(held(), 2u);
  pass_ms(501);
  EXPECT_EQ(held(), 0u);
  EXPECT_EQ(drops(DropReason::kFragmentLost), 2u);
  EXPECT_EQ(send(1, out[1]), Sent{}) << "the first of another packet";
}

TEST_F(DatapathFragmentTest, WithAThousandHeldOthersAreInvalid) {
  add_firewall();
  const auto first = [](std::uint32_t id) { return fragmented(udp({}, 1500), {.id = id})[0]; };
  for (std::uint32_t id = 0; id < 1000; ++id) EXPECT_EQ(send(1, first(id)), Sent{});
  EXPECT_EQ(send(1, first(1000)), (Sent{{3, {first(1000)}}}));
  pass_ms(15'500);
  EXPECT_EQ(held(), 0u);
  EXPECT_EQ(send(1, first(1000)), Sent{});
}

TEST_F(DatapathFragmentTest, ControlSetsWhatIsHeldAndSeesWhatBecameOfIt) {
  add_firewall();
  Fragments& fragments = *fragments_of(*datapath_);
  const Frames out = fragmented(udp());
  const Sent invalid{{3, out}};
  fragments.set_enabled(false, false);
  EXPECT_EQ(send_all(1, out), invalid);
  fragments.set_enabled(false, true);
  EXPECT_TRUE(fragments.set_max_held(0));
  EXPECT_EQ(send_all(1, out), invalid);
  EXPECT_TRUE(fragments.set_max_held(5000));
  EXPECT_EQ(send_all(1, {out[0], out[0], out[1], out[2]}), (Sent{{2, out}, {3, {out[0]}}}));
  EXPECT_EQ(send(1, out[0]), Sent{});
  EXPECT_TRUE(fragments.set_min_size(false, 1421));
  EXPECT_EQ(send(1, out[1]), (Sent{{3, {out[1]}}}));
  pass_ms(15'500);
  // Twice held: at the first ct, and at the one that commits.
  const FragmentReport report = fragments.report();
  const FragmentFamilyReport expected{.min_size = 1421,
                                      .accepted = 7,
                                      .completed = 6,
                                      .expired = 1,
                                      .too_small = 1,
                                      .overlapping = 1};
  EXPECT_EQ(report.families[0], expected);
  EXPECT_EQ(report.held, 0u);
  EXPECT_FALSE(fragments.set_max_held(5001));
  EXPECT_FALSE(fragments.set_min_size(true, 399));
}

TEST_F(DatapathFragmentTest, ZonesJudgeOneAfterTheOther) {
  add(MatchBuilder(), apply({to_table(1, 1)}));
  from(1, state(kNew | kTrk).with(FieldId::kCtZone, 1), {to_table(2, 2)});
  add(state(kNew | kTrk).with(FieldId::kCtZone, 2), apply({output(2)}), {.table_id = 2});
  const Frames out = fragmented(udp());
  EXPECT_EQ(send_all(1, out), (Sent{{2, out}}));
}

TEST_F(DatapathFragmentTest, BehindCtWithoutATableFragmentsGoOnTogetherToo) {
  add(MatchBuilder(), apply({output(3), commit(), output(2)}));
  const Frames out = fragmented(udp());
  EXPECT_EQ(send(1, out[0]), (Sent{{3, {out[0]}}}));
  EXPECT_EQ(send_all(1, {out[1], out[2]}), (Sent{{2, out}, {3, {out[1], out[2]}}}));
}

TEST_F(DatapathFragmentTest, TheCopyThatIsNotTrackedDoesNotWait) {
  add(MatchBuilder().with(FieldId::kInPort, 1), apply({to_table(1), output(3)}));
  from(1, state(kTrk), {output(2)});
  const Frames out = fragmented(udp());
  for (const Bytes& frame : {out[0], out[1]}) EXPECT_EQ(send(1, frame), (Sent{{3, {frame}}}));
  EXPECT_EQ(send(1, out[2]), (Sent{{2, out}, {3, {out[2]}}}));
}

TEST_F(DatapathFragmentTest, TwoWaysThroughCtAreTwoPackets) {
  add(MatchBuilder(), apply({to_table(1), to_table(2)}));
  from(1, state(kTrk), {output(2)});
  add(state(kTrk), apply({output(3)}), {.table_id = 2});
  const Frames out = fragmented(udp());
  EXPECT_EQ(send_all(1, out), (Sent{{2, out}, {3, out}}));
}

TEST_F(DatapathFragmentTest, LaterFragmentsMatchMarkAndOriginalTuple) {
  CtAction ct = commit();
  ct.table_id = 1;
  ct.exec.emplace_back(std::get<SetFieldAction>(set(FieldId::kCtMark, 5)));
  add(MatchBuilder(), apply({ct}));
  from(1, state(kTrk).with(FieldId::kCtMark, 5).with(FieldId::kCtTpDst, 53).ipv4(), {output(2)});
  const Frames out = fragmented(udp());
  EXPECT_EQ(send_all(1, out), (Sent{{2, out}}));
}

TEST_F(DatapathFragmentTest, APacketOfAFullRangeIsLostWithAllItsFragments) {
  CtAction nat = commit();
  nat.nat = NatAction{.kind = NatAction::Kind::kSource, .family = 4};
  nat.nat->first_port = nat.nat->last_port = 4000;
  add(MatchBuilder(), apply({nat, output(2)}));
  send_all(1, fragmented(udp()));
  EXPECT_EQ(send_all(1, fragmented(udp({.src_port = 1001}))), Sent{});
  EXPECT_EQ(drops(DropReason::kNatExhausted), 3u);
}

}  // namespace
}  // namespace hoist::test

// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "datapath_fixture.hpp"

namespace hoist::test {
namespace {

Bytes udp(std::uint16_t dst_port, std::uint8_t ttl = 64) {
  return Packet().eth().ipv4({.ttl = ttl}).udp({.dst = dst_port}).payload(20).bytes();
}

FieldId reg(int n) { return static_cast<FieldId>(to_integer(FieldId::kReg0) + n); }

/// Without a flow cache: packets are carried by trails as soon as there are some.
class TrailTest : public DatapathFixture {
 protected:
  TrailTest() : DatapathFixture(0) {}

  /// What the third packet of a kind meets; the first two make the trail.
  Sent send_often(const Bytes& frame) {
    send(1, frame);
    send(1, frame);
    return send(1, frame);
  }
};

TEST_F(TrailTest, LaterPacketsMeetTheStateThatRulesSet) {
  Instructions first = apply({set(reg(0), 5)});
  first.write_metadata = Instructions::Metadata{.value = 0xab, .mask = 0xff};
  first.goto_table = 1;
  add(MatchBuilder().udp(), std::move(first));
  add(MatchBuilder(), apply({output(3)}), {.table_id = 1, .priority = 1});
  add(MatchBuilder().with(reg(0), 5).with(FieldId::kMetadata, 0xab), apply({output(2)}),
      {.table_id = 1, .priority = 2});
  EXPECT_EQ(send_often(udp(7)), (Sent{{2, {udp(7)}}}));
}

TEST_F(TrailTest, MoreStateThanATrailHoldsIsMetToo) {
  Instructions first = apply({});
  MatchBuilder all;
  for (int i = 0; i < 16; i += 2) {
    first.apply_actions.push_back(set(reg(i), 7));
    all.with(reg(i), 7);
  }
  first.goto_table = 1;
  add(MatchBuilder().udp(), std::move(first));
  add(all, apply({output(2)}), {.table_id = 1});
  EXPECT_EQ(send_often(udp(7)), (Sent{{2, {udp(7)}}}));
}

TEST_F(TrailTest, WaysPartWhereRulesOfALaterTableDo) {
  add(MatchBuilder().ipv4(), go(1));
  add(MatchBuilder().udp().with(FieldId::kUdpDst, 7), apply({output(2)}), {.table_id = 1});
  add(MatchBuilder().udp().with(FieldId::kUdpDst, 8), apply({output(3)}), {.table_id = 1});
  for (int i = 0; i < 3; ++i) {
    for (const std::uint16_t port : std::array<std::uint16_t, 3>{7, 8, 9}) inject(1, udp(port));
    EXPECT_EQ(drain(), (Sent{{2, {udp(7)}}, {3, {udp(8)}}}));
  }
  EXPECT_EQ(drops(DropReason::kTableMiss), 3u);
}

TEST_F(TrailTest, RewrittenPacketsAreLookedUpAsTheyAre) {
  const Action half = SetFieldAction{
      .field = FieldId::kUdpDst, .value = field_value(0x0100), .mask = field_value(0xff00)};
  add(MatchBuilder().udp(), {.apply_actions = {half}, .goto_table = 1});
  add(MatchBuilder().udp().with(FieldId::kUdpDst, 0x0107), apply({output(2)}), {.table_id = 1});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(send(1, udp(7)), (Sent{{2, {udp(0x0107)}}}));
    EXPECT_EQ(send(1, udp(8)), Sent{});
  }
}

TEST_F(TrailTest, WhatDependsOnThePacketIsDecidedForEach) {
  add(MatchBuilder().ipv4(), apply({DecNwTtlAction{}, output(2)}));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(send(1, udp(7, 9)), (Sent{{2, {udp(7, 8)}}}));
    EXPECT_EQ(send(1, udp(7, 1)), Sent{});
  }
  EXPECT_EQ(packet_ins_.size(), 3u);
}

TEST_F(TrailTest, RuleThatComesBackIsCountedAndDoesWhatItSays) {
  RuleId rule = add(MatchBuilder().ipv4(), apply({output(2)}));
  add(MatchBuilder().udp().with(FieldId::kUdpDst, 9), apply({output(2)}), {.priority = 11});
  EXPECT_EQ(send_often(udp(7)), (Sent{{2, {udp(7)}}}));
  for (const std::uint32_t port : {2u, 3u}) {
    remove(rule);
    turn();
    collect();
    last_rule_ = 0;
    ASSERT_EQ(add(MatchBuilder().ipv4(), apply({output(port)})), rule);
    EXPECT_EQ(send_often(udp(7)), (Sent{{port, {udp(7)}}}));
    EXPECT_EQ(collect()[rule].packets, 3u);
  }
}

TEST_F(TrailTest, PortsComeAndGo) {
  add(MatchBuilder().udp(), apply({output(3)}));
  EXPECT_EQ(send_often(udp(7)).count(3), 1u);
  ASSERT_TRUE(datapath_->remove_port(bridge_, PortNo{3}));
  EXPECT_EQ(send_often(udp(7)), Sent{});
  EXPECT_EQ(drops(DropReason::kPortGone), 3u);
}

}  // namespace
}  // namespace hoist::test

// SPDX-License-Identifier: BSD-3-Clause
#include "datapath_fixture.hpp"

namespace hoist::test {
namespace {

Bytes udp(std::uint16_t dst_port, std::uint8_t last = 2) {
  return Packet()
      .eth()
      .ipv4({.dst = Be32{0x0a000000u + last}})
      .udp({.dst = dst_port})
      .payload(20)
      .bytes();
}

class DatapathTest : public DatapathFixture {};

TEST_F(DatapathTest, RuleOnInPortAloneForwardsEverything) {
  add(MatchBuilder().with(FieldId::kInPort, 1), apply({output(2)}));
  EXPECT_EQ(send(1, udp(1)), (Sent{{2, {udp(1)}}}));
  const Bytes arp = Packet().eth().arp().bytes();
  EXPECT_EQ(send(1, arp), (Sent{{2, {arp}}}));
  EXPECT_EQ(send(3, arp), Sent{});
  EXPECT_EQ(drops(DropReason::kTableMiss), 1u);
}

TEST_F(DatapathTest, HigherPriorityWins) {
  add(MatchBuilder(), apply({output(2)}), {.priority = 1});
  add(MatchBuilder().udp().with(FieldId::kUdpDst, 53), apply({output(3)}), {.priority = 2});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(send(1, udp(53)), (Sent{{3, {udp(53)}}}));
    EXPECT_EQ(send(1, udp(54)), (Sent{{2, {udp(54)}}}));
  }
}

TEST_F(DatapathTest, RuleAndTableCountsAreExact) {
  const RuleId first = add(MatchBuilder().ipv4(), go(1));
  const RuleId second = add(MatchBuilder().udp(), apply({output(2)}), {.table_id = 1});
  for (int i = 0; i < 5; ++i) send(1, udp(1));
  const std::uint64_t bytes = 5 * udp(1).size();
  const std::map<RuleId, TrafficCount> expected{{first, {5, bytes}}, {second, {5, bytes}}};
  EXPECT_EQ(collect(), expected);
  EXPECT_TRUE(collect().empty());
  EXPECT_EQ(datapath_->table_count(bridge_, 0).lookups, 5u);
  EXPECT_EQ(datapath_->table_count(bridge_, 1).matches, 5u);
}

TEST_F(DatapathTest, RemovedRulesHitsAreStillCounted) {
  const RuleId rule = add(MatchBuilder().ipv4(), apply({output(2)}));
  send(1, udp(1));
  remove(rule);
  send(1, udp(1));
  EXPECT_EQ(collect(), (std::map<RuleId, TrafficCount>{{rule, {1, udp(1).size()}}}));
}

TEST_F(DatapathTest, RuleIdIsReusableAfterSettlingAndCollecting) {
  const RuleId rule = add(MatchBuilder().ipv4(), apply({output(2)}));
  send(1, udp(1));
  remove(rule);
  turn();
  collect();
  last_rule_ = 0;
  ASSERT_EQ(add(MatchBuilder().ipv4(), apply({output(3)})), rule);
  EXPECT_EQ(send(1, udp(1)), (Sent{{3, {udp(1)}}}));
}

TEST_F(DatapathTest, ChangeReachesCachedFlowsAtOnce) {
  add(MatchBuilder().ipv4(), apply({output(2)}), {.priority = 1});
  add(MatchBuilder().udp().with(FieldId::kUdpDst, 9), apply({}), {.priority = 2});
  EXPECT_EQ(send(1, udp(7)).count(2), 1u);
  const RuleId rule = add(MatchBuilder().udp().with(FieldId::kUdpDst, 7), apply({output(3)}));
  EXPECT_EQ(send(1, udp(7)).count(3), 1u);
  EXPECT_EQ(send(1, udp(8)).count(2), 1u);
  remove(rule);
  EXPECT_EQ(send(1, udp(7)).count(2), 1u);
}

TEST_F(DatapathTest, ChangeInLaterTableIsSeenBehindARewrite) {
  add(MatchBuilder().udp(), {.apply_actions = {set(FieldId::kUdpDst, 99)}, .goto_table = 1});
  add(MatchBuilder(), apply({output(2)}), {.table_id = 1, .priority = 1});
  EXPECT_EQ(send(1, udp(7)).count(2), 1u);
  add(MatchBuilder().udp().with(FieldId::kUdpDst, 99), apply({output(3)}), {.table_id = 1});
  EXPECT_EQ(send(1, udp(7)), (Sent{{3, {udp(99)}}}));
}

TEST_F(DatapathTest, EarlierCopiesKeepWhatThePacketWas) {
  add(MatchBuilder().udp(),
      apply({output(2), set(FieldId::kUdpDst, 99), output(3), output(PortNo::kInPort)}));
  EXPECT_EQ(send(1, udp(7)), (Sent{{1, {udp(99)}}, {2, {udp(7)}}, {3, {udp(99)}}}));
}

TEST_F(DatapathTest, OutputToIngressPortIsDroppedUnlessAskedFor) {
  add(MatchBuilder(), apply({output(1)}));
  EXPECT_EQ(send(1, udp(7)), Sent{});
  EXPECT_EQ(drops(DropReason::kIngressPort), 1u);
}

TEST_F(DatapathTest, FloodLeavesOutIngressAndPortsMarkedSo) {
  add(MatchBuilder(), apply({output(PortNo::kFlood)}));
  EXPECT_EQ(send(1, udp(7)), (Sent{{2, {udp(7)}}, {3, {udp(7)}}}));
  ASSERT_TRUE(datapath_->set_port_flags(bridge_, PortNo{3}, PortFlags::kNoFlood));
  EXPECT_EQ(send(1, udp(7)), (Sent{{2, {udp(7)}}}));
}

TEST_F(DatapathTest, NormalLearnsWhereAddressesAre) {
  add(MatchBuilder(), apply({output(PortNo::kNormal)}));
  const MacAddress a = mac("02:00:00:00:00:0a"), b = mac("02:00:00:00:00:0b");
  const Bytes there = Packet().eth({.dst = b, .src = a}).ipv4().udp().bytes();
  const Bytes back = Packet().eth({.dst = a, .src = b}).ipv4().udp().bytes();
  EXPECT_EQ(send(1, there), (Sent{{2, {there}}, {3, {there}}}));
  EXPECT_EQ(send(2, back), (Sent{{1, {back}}}));
  EXPECT_EQ(send(1, there), (Sent{{2, {there}}}));
  EXPECT_EQ(datapath_->mac_table(bridge_).size(), 2u);
  datapath_->flush_mac_table(bridge_);
  EXPECT_EQ(send(2, back), (Sent{{1, {back}}, {3, {back}}}));
}

TEST_F(DatapathTest, ControllerGetsThePacketAndItsState) {
  Instructions instructions = apply({set(FieldId::kReg0, 5), output(PortNo::kController)});
  const RuleId rule = add(MatchBuilder().udp(), std::move(instructions));
  send(1, udp(7));
  ASSERT_EQ(packet_ins_.size(), 1u);
  EXPECT_EQ(packet_ins_[0].frame, udp(7));
  EXPECT_EQ(packet_ins_[0].rule, rule);
  EXPECT_EQ(packet_ins_[0].reason, 1);
  EXPECT_EQ(packet_ins_[0].key.regs[0], Be32{5});
  EXPECT_EQ(packet_ins_[0].key.tp_dst, Be16{7});
}

TEST_F(DatapathTest, PacketOutRunsActionsOrTheTables) {
  add(MatchBuilder().udp(), apply({output(3)}));
  ASSERT_TRUE(datapath_->packet_out(bridge_, PortNo::kController, udp(7), {output(2)}));
  EXPECT_EQ(drain(), (Sent{{2, {udp(7)}}}));
  ASSERT_TRUE(datapath_->packet_out(bridge_, PortNo{1}, udp(7), {output(PortNo::kTable)}));
  EXPECT_EQ(drain(), (Sent{{3, {udp(7)}}}));
}

TEST_F(DatapathTest, ExpiredTtlGoesToTheController) {
  add(MatchBuilder().ipv4(), apply({DecNwTtlAction{}, output(2)}));
  const auto with_ttl = [](std::uint8_t ttl) {
    return Packet().eth().ipv4({.ttl = ttl}).udp().payload(20).bytes();
  };
  EXPECT_EQ(send(1, with_ttl(9)), (Sent{{2, {with_ttl(8)}}}));
  EXPECT_EQ(send(1, with_ttl(1)), Sent{});
  ASSERT_EQ(packet_ins_.size(), 1u);
  EXPECT_EQ(packet_ins_[0].reason, 2);
  EXPECT_EQ(drops(DropReason::kTtlExpired), 1u);
}

TEST_F(DatapathTest, WriteActionsRunInTheStandardsOrderAtTheEnd) {
  Instructions first;
  first.write_actions = {output(2), set(FieldId::kUdpDst, 5)};
  first.goto_table = 3;
  add(MatchBuilder().udp(), std::move(first));
  Instructions second;
  second.write_actions = {set(FieldId::kUdpDst, 6)};
  add(MatchBuilder(), std::move(second), {.table_id = 3});
  EXPECT_EQ(send(1, udp(7)), (Sent{{2, {udp(6)}}}));
}

TEST_F(DatapathTest, ResubmitsNestInOrder) {
  add(MatchBuilder().with(FieldId::kInPort, 1), apply({ResubmitAction{.table_id = 4}, output(3)}));
  add(MatchBuilder().udp(), apply({output(2), set(FieldId::kUdpDst, 1)}), {.table_id = 4});
  EXPECT_EQ(send(1, udp(7)), (Sent{{2, {udp(7)}}, {3, {udp(1)}}}));
}

TEST_F(DatapathTest, EndlessResubmitIsCutOff) {
  add(MatchBuilder(), apply({ResubmitAction{.table_id = 0}}));
  EXPECT_EQ(send(1, udp(7)), Sent{});
  EXPECT_EQ(drops(DropReason::kTooDeep), 1u);
}

TEST_F(DatapathTest, PortsComeAndGoUnderCachedFlows) {
  add(MatchBuilder().udp(), apply({output(3)}));
  EXPECT_EQ(send(1, udp(7)).count(3), 1u);
  ASSERT_TRUE(datapath_->remove_port(bridge_, PortNo{3}));
  EXPECT_EQ(send(1, udp(7)), Sent{});
  EXPECT_EQ(drops(DropReason::kPortGone), 1u);
  ports_[2] = std::make_unique<RingPort>(name_ + "_again", pool_->pool());
  ASSERT_TRUE(datapath_->add_port(
      bridge_, {.name = "p3", .number = PortNo{3}, .devargs = ports_[2]->devargs()}));
  EXPECT_EQ(send(1, udp(7)).count(3), 1u);
}

TEST_F(DatapathTest, BundleOfManyRulesIsOneStep) {
  std::vector<RuleChange> changes;
  for (std::uint32_t i = 0; i < 200; ++i) {
    auto spec = std::make_shared<RuleSpec>();
    spec->id = RuleId{++last_rule_};
    spec->table_id = 0;
    spec->priority = 1;
    spec->match = MiniMatch(MatchBuilder().udp().with(FieldId::kUdpDst, i).match());
    spec->instructions = std::make_shared<const Instructions>(apply({output(2)}));
    changes.push_back({RuleChange::Kind::kAdd, spec});
  }
  send(1, udp(7));
  datapath_->apply(bridge_, changes);
  EXPECT_EQ(send(1, udp(7)).count(2), 1u);
}

TEST_F(DatapathTest, TaggedAndOtherPacketsUseTheWideCache) {
  add(MatchBuilder().with(FieldId::kVlanVid, kVlanPresent | 5),
      apply({PopVlanAction{}, output(2)}));
  add(MatchBuilder().with(FieldId::kEthType, 0x86dd), apply({output(3)}));
  const Bytes tagged = Packet().eth().vlan({.vid = 5}).ipv4().udp().payload(20).bytes();
  const Bytes other_tag = Packet().eth().vlan({.vid = 6}).ipv4().udp().payload(20).bytes();
  const Bytes plain = Packet().eth().ipv4().udp().payload(20).bytes();
  const Bytes six = Packet().eth().ipv6().udp().payload(20).bytes();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(send(1, tagged), (Sent{{2, {plain}}}));
    EXPECT_EQ(send(1, other_tag), Sent{});
    EXPECT_EQ(send(1, six), (Sent{{3, {six}}}));
  }
}

TEST_F(DatapathTest, InnerHeadersAreLookedUpAfterPopMpls) {
  add(MatchBuilder().with(FieldId::kEthType, 0x8847),
      {.apply_actions = {PopMplsAction{0x0800}}, .goto_table = 1});
  add(MatchBuilder().udp().with(FieldId::kUdpDst, 7), apply({output(2)}), {.table_id = 1});
  add(MatchBuilder(), apply({output(3)}), {.table_id = 1, .priority = 1});
  const auto labelled = [](std::uint16_t port) {
    return Packet().eth().mpls().ipv4().udp({.dst = port}).payload(20).bytes();
  };
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(send(1, labelled(7)).count(2), 1u);
    EXPECT_EQ(send(1, labelled(8)).count(3), 1u);
  }
}

TEST_F(DatapathTest, MetersAndGroupsAreRefused) {
  RuleSpec rule{};
  rule.instructions = std::make_shared<const Instructions>(apply({GroupAction{1}}));
  EXPECT_EQ(datapath_->check(rule).error().code, Errc::kUnsupported);
}

TEST_F(DatapathTest, RuntIsDroppedByName) {
  add(MatchBuilder(), apply({output(2)}));
  EXPECT_EQ(send(1, Bytes(13, 0)), Sent{});
  EXPECT_EQ(drops(DropReason::kMalformed), 1u);
}

}  // namespace
}  // namespace hoist::test

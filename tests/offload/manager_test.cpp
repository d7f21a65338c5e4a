// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "emulated_nic/control.h"
#include "manager_bench.hpp"

namespace hoist::offload {
namespace {

using hoist::test::Bytes;
using hoist::test::Packet;
using ::testing::HasSubstr;

class ManagerTest : public ManagerBench {};

Bytes udp_to(std::uint32_t dst, std::uint8_t ttl = 64) {
  return Packet().eth().ipv4({.dst = Be32{dst}, .ttl = ttl}).udp().payload(10).bytes();
}
const Bytes kUdp = udp_to(0x0a000002);

Rule to_two(std::uint32_t id) { return Rule(id).match("in_port", 1).output(2); }

TEST_F(ManagerTest, RuleRunsInTheNicAndIsCounted) {
  add(to_two(1));
  EXPECT_TRUE(in(1, kUdp).empty());
  EXPECT_EQ(out(2), (std::vector<Bytes>{kUdp}));
  EXPECT_EQ(placement(1).tier, Tier::kFull) << placement(1).reason;
  EXPECT_EQ(carried(1), (TrafficCount{1, kUdp.size()}));
}

TEST_F(ManagerTest, CountsAreReadBeforeARuleGoes) {
  add(to_two(1));
  in(1, kUdp);
  out(2);
  remove(1);
  EXPECT_EQ(carried(1).packets, 1u);
}

TEST_F(ManagerTest, PacketWithoutARuleReachesSoftwareUnmarked) {
  add(Rule(1).ip().match("nw_dst", 0x01010101).output(2));
  const auto packets = in(1, kUdp);
  ASSERT_EQ(packets.size(), 1u);
  EXPECT_FALSE(packets[0].mark.has_value());
}

TEST_F(ManagerTest, MissInALaterTableSaysWhichTable) {
  add(Rule(1).match("in_port", 1).set("eth_src", 0x020000000099).go_to(3));
  const auto packets = in(1, kUdp);
  ASSERT_EQ(packets.size(), 1u);
  ASSERT_TRUE(packets[0].mark.has_value());
  const auto point = marks_->find(*packets[0].mark);
  ASSERT_TRUE(point.has_value());
  EXPECT_EQ(*point, (ResumePoint{.table_id = 3}));
  EXPECT_EQ(packets[0].bytes[11], 0x99);
  EXPECT_EQ(carried(1).packets, 1u);
}

TEST_F(ManagerTest, RuleOfALaterTableRunsInItsGroup) {
  add({Rule(1).match("in_port", 1).go_to(3).spec(), Rule(2).table(3).ip().output(2).spec()});
  EXPECT_EQ(fate(1, kUdp), 2);
  EXPECT_EQ(carried(2).packets, 1u);
}

TEST_F(ManagerTest, RuleThatSoftwareMustExecuteIsPartial) {
  add(Rule(7).match("in_port", 1).output(PortNo::kController));
  const auto packets = in(1, kUdp);
  ASSERT_EQ(packets.size(), 1u);
  ASSERT_TRUE(packets[0].mark.has_value());
  EXPECT_EQ(*marks_->find(*packets[0].mark),
            (ResumePoint{.kind = ResumePoint::Kind::kRule, .rule = RuleId{7}}));
  EXPECT_EQ(carried(7).packets, 1u);
  EXPECT_EQ(placement(7).tier, Tier::kPartial);
  EXPECT_EQ(placement(7).reason, "action: controller runs in software");
}

TEST_F(ManagerTest, MarkOfARemovedRuleMeansItsTable) {
  add({Rule(6).match("in_port", 1).go_to(2).spec(),
       Rule(7).table(2).output(PortNo::kController).spec()});
  const auto packets = in(1, kUdp);
  remove(7);
  EXPECT_EQ(marks_->find(packets.at(0).mark.value_or(0)), (ResumePoint{.table_id = 2}));
}

TEST_F(ManagerTest, RuleWithoutAHardwareMatchIsGuarded) {
  add(Rule(1).priority(1).output(2));
  add(Rule(2)
          .priority(9)
          .match("in_port", 1)
          .ip()
          .match("nw_proto", 17)
          .match("udp_dst", 53)
          .match("nw_ecn", 1)
          .output(PortNo::kController));
  add(Rule(3)
          .priority(9)
          .match("in_port", 2)
          .match("eth_type", 0x0806)
          .match("arp_op", 1)
          .output(PortNo::kNormal));
  EXPECT_EQ(placement(3).tier, Tier::kSoftware);
  EXPECT_EQ(placement(3).guard_count, 1u);
  EXPECT_EQ(placement(3).reason, "match: arp_op has no hardware form on p1,p2");
  EXPECT_EQ(fate(2, Packet().eth().arp().bytes()), 0);
}

TEST_F(ManagerTest, NeverSendsAPacketBackByItself) {
  add(Rule(1).output(2));
  EXPECT_EQ(fate(1, kUdp), 2);
  EXPECT_EQ(fate(2, kUdp), -1);
  EXPECT_EQ(carried(1).packets, 2u);
}

TEST_F(ManagerTest, ExpiringTtlIsSoftwaresWork) {
  add(Rule(1).match("in_port", 1).ip().act(DecNwTtlAction{}).output(2));
  EXPECT_EQ(fate(1, udp_to(1, 1)), 0);
  EXPECT_EQ(fate(1, udp_to(1, 0)), 0);
  in(1, udp_to(1, 9));
  EXPECT_EQ(out(2), (std::vector<Bytes>{udp_to(1, 8)}));
}

TEST_F(ManagerTest, FragmentsGoToSoftwareWherePortsAreMatched) {
  add(Rule(1).match("in_port", 1).ip().match("nw_proto", 17).match("udp_dst", 53).output(2));
  EXPECT_EQ(fate(1, kUdp), 2);
  EXPECT_EQ(fate(1, Packet().eth().ipv4({.more_fragments = true}).udp().payload(10).bytes()), 0);
  EXPECT_EQ(fate(1, Packet().eth().ipv4({.fragment_offset = 9}).udp().payload(10).bytes()), 0);
}

TEST_F(ManagerTest, RuleForFragmentsKeepsThemFromTheRulesBelow) {
  const Bytes fragment = Packet().eth().ipv4({.more_fragments = true}).udp().payload(10).bytes();
  add(Rule(1).priority(1).match("in_port", 1).ip().output(2));
  EXPECT_EQ(fate(1, fragment), 2);
  add(Rule(2).priority(9).ip().match("ip_frag", 1, 1));
  EXPECT_EQ(fate(1, fragment), 0);
  EXPECT_EQ(fate(1, kUdp), 2);
}

TEST_F(ManagerTest, TaggedPacketsGoToSoftwareUntilARuleNamesTheTag) {
  const Bytes tagged = Packet().eth().vlan({.vid = 10}).ipv4().udp().payload(10).bytes();
  add(Rule(1).priority(1).match("in_port", 1).ip().output(2));
  EXPECT_EQ(fate(1, tagged), 0);
  EXPECT_EQ(fate(1, kUdp), 2);
  add(Rule(2).priority(9).match("in_port", 1).tag(20).act(PopVlanAction{}).output(2));
  EXPECT_EQ(fate(1, tagged), 2) << "rule 1 has a form for tags now";
  in(1, Packet().eth().vlan({.vid = 20}).ipv4().udp().payload(10).bytes());
  EXPECT_EQ(out(2), (std::vector<Bytes>{kUdp}));
  EXPECT_EQ(carried(1).packets, 2u);
}

TEST_F(ManagerTest, ModificationKeepsCarrying) {
  add(to_two(1));
  for (std::uint32_t id = 2; id < 40; ++id) {
    replace(id - 1, to_two(id).set("eth_src", id));
    EXPECT_EQ(fate(1, kUdp), 2);
    EXPECT_EQ(carried(id).packets, 1u);
  }
}

TEST_F(ManagerTest, DisablingDrainsAndEnablingFills) {
  add(to_two(1));
  settle(manager_->set_enabled(false));
  EXPECT_EQ(rule_count(), 0u);
  EXPECT_EQ(fate(1, kUdp), 0);
  EXPECT_EQ(placement(1).refusal, Refusal::kDisabled);
  settle(manager_->set_enabled(true));
  EXPECT_EQ(fate(1, kUdp), 2);
}

TEST_F(ManagerTest, DetachedPortsRulesLeaveBeforeItStops) {
  add({to_two(1).spec(), Rule(2).match("in_port", 2).output(1).spec()});
  settle(manager_->detach_port(kBridge, PortNo{2}));
  stop(1);
  EXPECT_EQ(fate(1, kUdp), 0);
  EXPECT_EQ(placement(1).reason, "action: output to port 2, which is not there, runs in software");
  start(1);
  settle(attach(2));
  EXPECT_EQ(fate(1, kUdp), 2);
}

TEST_F(ManagerTest, PortThatMayNotReceiveStaysInSoftware) {
  add(to_two(1));
  settle(attach(1, PortFlags::kNoRecv));
  EXPECT_EQ(fate(1, kUdp), 0);
  settle(attach(1));
  EXPECT_EQ(fate(1, kUdp), 2);
}

TEST_F(ManagerTest, TwoBridgesOfOneNicDoNotMeet) {
  settle(manager_->detach_port(kBridge, PortNo{2}));
  const BridgeId other{1};
  settle(attach(2, 0, other));
  settle(attach(3, 0, other));
  const auto rule = Rule(9).output(3).spec();
  const RuleChange change{RuleChange::Kind::kAdd, rule};
  settle(manager_->submit(other, std::span(&change, 1)));
  EXPECT_EQ(fate(1, kUdp), 0);
  EXPECT_EQ(fate(2, kUdp), 3);
}

TEST_F(ManagerTest, FullNicIsNoError) {
  begin("tiny");
  std::vector<std::shared_ptr<const RuleSpec>> rules;
  for (std::uint32_t i = 1; i <= 200; ++i) {
    rules.push_back(Rule(i).match("in_port", 1).ip().match("nw_dst", i).output(2).spec());
  }
  add(rules);
  EXPECT_EQ(rule_count(), 64u);
  unsigned in_hardware = 0;
  for (std::uint32_t i = 1; i <= 200; ++i) {
    const int to = fate(1, udp_to(i));
    EXPECT_TRUE(to == 0 || to == 2);
    in_hardware += to == 2 ? 1u : 0u;
  }
  EXPECT_GT(in_hardware, 50u);
  EXPECT_EQ(placement(200).refusal, Refusal::kTableFull);
  EXPECT_THAT(placement(200).reason, HasSubstr("no more room"));
  for (std::uint32_t i = 1; i <= 100; ++i) remove(i);
  EXPECT_EQ(rule_count(), 64u) << "others have come in";
}

TEST_F(ManagerTest, FullNicLeavesRoomForItsEntrance) {
  begin("tiny");
  settle(manager_->set_enabled(false));
  std::vector<std::shared_ptr<const RuleSpec>> rules;
  for (std::uint32_t i = 1; i <= 200; ++i) {
    rules.push_back(Rule(i).match("in_port", 1).ip().match("nw_dst", i).output(2).spec());
  }
  add(rules);
  settle(manager_->set_enabled(true));
  unsigned in_hardware = 0;
  for (std::uint32_t i = 1; i <= 200; ++i) in_hardware += fate(1, udp_to(i)) == 2 ? 1u : 0u;
  EXPECT_GT(in_hardware, 45u);
}

TEST_F(ManagerTest, GuardTakesTheRoomOfALowerRule) {
  begin("tiny");
  std::vector<std::shared_ptr<const RuleSpec>> rules;
  for (std::uint32_t i = 1; i <= 200; ++i) {
    rules.push_back(
        Rule(i).priority(5).match("in_port", 1).ip().match("nw_dst", i).output(2).spec());
  }
  add(rules);
  add(Rule(999)
          .priority(50)
          .match("in_port", 1)
          .ip()
          .match("nw_src", 0x0a000001)
          .output(PortNo::kFlood));
  for (std::uint32_t i = 1; i <= 200; ++i) EXPECT_EQ(fate(1, udp_to(i)), 0);
}

TEST_F(ManagerTest, FailureAtAnyPointLeadsNoPacketAstray) {
  for (std::uint64_t nth = 1; nth <= 12; ++nth) {
    for (const int code : {ENOSPC, EIO, EINVAL}) {
      begin("connectx");
      add(Rule(1).priority(1).ip().output(2));
      emulated_nic_fail_creates(nth, 1, code);
      add({Rule(2)
               .priority(9)
               .match("in_port", 1)
               .ip()
               .match("nw_dst", 2)
               .output(PortNo::kFlood)
               .spec(),
           Rule(3).priority(5).match("in_port", 1).ip().match("nw_dst", 2, 2).go_to(1).spec(),
           Rule(4).table(1).priority(5).ip().output(3).spec()});
      settle(attach(3));
      EXPECT_EQ(fate(1, udp_to(2)), 0) << nth << ' ' << code;
      const int three = fate(1, udp_to(3));
      EXPECT_TRUE(three == 0 || three == 3) << nth << ' ' << code << ' ' << three;
      const int one = fate(1, udp_to(1));
      EXPECT_TRUE(one == 0 || one == 2) << nth << ' ' << code << ' ' << one;
    }
  }
}

TEST_F(ManagerTest, PassingFailureIsTriedAgainLater) {
  emulated_nic_fail_creates(2, 3, EIO);
  add(to_two(1));
  for (int i = 0; i < 3; ++i) {
    now_ms_ += 100'000;
    manager_->run_once();
  }
  EXPECT_EQ(fate(1, kUdp), 2) << placement(1).reason;
}

TEST_F(ManagerTest, WhateverFailedForAWhileStandsInTheEnd) {
  for (std::uint64_t nth = 1; nth <= 10; ++nth) {
    begin("connectx");
    emulated_nic_fail_creates(nth, 2, EIO);
    add({Rule(1)
             .match("in_port", 1)
             .ip()
             .match("nw_proto", 17)
             .match("udp_dst", 53)
             .go_to(1)
             .spec(),
         Rule(2).table(1).output(2).spec()});
    settle(attach(1, PortFlags::kNoRecv));
    settle(attach(1));
    for (int i = 0; i < 6; ++i) {
      now_ms_ += 100'000;
      manager_->run_once();
    }
    EXPECT_EQ(fate(1, kUdp), 2) << nth << ": " << placement(1).reason << ", "
                                << placement(2).reason;
  }
}

TEST_F(ManagerTest, NicWithoutGroupsDropsInTableZero) {
  begin("basic");
  add(Rule(1).priority(5).match("eth_dst", 0x020000000002));
  EXPECT_EQ(placement(1).tier, Tier::kFull) << placement(1).reason;
  EXPECT_EQ(fate(1, kUdp), -1);
  add(Rule(2).priority(9).match("eth_src", 0x020000000001).output(PortNo::kFlood));
  EXPECT_EQ(fate(1, kUdp), 0);
  settle(manager_->set_enabled(false));
  EXPECT_EQ(rule_count(), 0u);
}

TEST_F(ManagerTest, PortThatMayNotReceiveStaysInSoftwareWithoutGroupsToo) {
  begin("basic", 1);
  add(Rule(1));
  EXPECT_EQ(fate(1, kUdp), -1);
  settle(attach(1, PortFlags::kNoRecv));
  EXPECT_EQ(fate(1, kUdp), 0);
}

TEST_F(ManagerTest, RulesThatNoNicIsConcernedWithSettleAtOnceAndAreThereWhenOneIs) {
  settle(manager_->set_enabled(false));
  const RuleChange gone{RuleChange::Kind::kAdd, to_two(1).spec()};
  const RuleChange back{RuleChange::Kind::kRemove, gone.rule};
  const RuleChange stays{RuleChange::Kind::kAdd, Rule(2).match("in_port", 2).output(1).spec()};
  for (const RuleChange& change : {gone, back, stays}) {
    EXPECT_TRUE(manager_->is_settled(manager_->submit(kBridge, std::span(&change, 1))));
  }
  EXPECT_TRUE(manager_->is_settled(manager_->refresh_counters()));
  const auto enabled = manager_->set_enabled(true);
  EXPECT_FALSE(manager_->is_settled(enabled));
  settle(enabled);
  EXPECT_EQ(fate(1, kUdp), 0);
  EXPECT_EQ(fate(2, kUdp), 1);
}

TEST_F(ManagerTest, ThreadOfItsOwnSettlesAndStops) {
  manager_ = FlowManager::create({}, *marks_, [] { return std::uint64_t{1}; });
  attach(1);
  attach(2);
  const auto rule = to_two(1).spec();
  const RuleChange change{RuleChange::Kind::kAdd, rule};
  const auto sequence = manager_->submit(kBridge, std::span(&change, 1));
  while (!manager_->is_settled(sequence)) sched_yield();
  EXPECT_EQ(fate(1, kUdp), 2);
}

}  // namespace
}  // namespace hoist::offload

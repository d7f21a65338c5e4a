// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "support/packet_builder.hpp"
#include "support/reference/frame_editor.hpp"
#include "support/reference/interpreter.hpp"

namespace hoist::reference {
namespace {

using test::ip4;
using test::Packet;

constexpr PortNo kPort1{1};
constexpr PortNo kPort2{2};
constexpr PortNo kPort3{3};

/// A bridge with ports 1 to 3, whose rules are numbered from 1.
class ReferenceTest : public testing::Test {
 protected:
  void rule(std::uint8_t table_id, std::uint16_t priority, const Match& match, Instructions what) {
    const RuleChange change{
        .kind = RuleChange::Kind::kAdd,
        .rule = std::make_shared<RuleSpec>(
            RuleSpec{.id = RuleId{++last_id_},
                     .table_id = table_id,
                     .priority = priority,
                     .cookie = 0,
                     .match = MiniMatch(match),
                     .instructions = std::make_shared<const Instructions>(std::move(what))})};
    bridge_.apply({&change, 1});
  }
  static Instructions apply(ActionList actions) {
    Instructions i;
    i.apply_actions = std::move(actions);
    return i;
  }
  static Action output(PortNo port) { return OutputAction{.port = port, .max_len = 0}; }
  static Action set(FieldId id, std::uint64_t value) {
    return SetFieldAction{.field = id, .value = field_value(value), .mask = full_mask(field(id))};
  }

  Interpreter bridge_{{{.number = kPort1}, {.number = kPort2}, {.number = kPort3}}};
  std::uint32_t last_id_ = 0;
  Bytes udp_ = Packet().eth().ipv4().udp().payload(10).bytes();
};

TEST_F(ReferenceTest, PacketWithoutRuleIsATableMiss) {
  const Fate fate = bridge_.receive(kPort1, udp_);
  EXPECT_TRUE(fate.sent.empty());
  EXPECT_EQ(fate.drops[static_cast<std::size_t>(DropReason::kTableMiss)], 1u);
  EXPECT_EQ(bridge_.table(0).count().lookups, 1u);
  EXPECT_EQ(bridge_.table(0).count().matches, 0u);
}

TEST_F(ReferenceTest, HigherPriorityWins) {
  Match ip;
  set_field(ip.value, field(FieldId::kEthType), field_value(0x0800), field_value(0xffff));
  set_field(ip.mask, field(FieldId::kEthType), field_value(0xffff), field_value(0xffff));
  rule(0, 1, {}, apply({output(kPort2)}));
  rule(0, 2, ip, apply({output(kPort3)}));
  EXPECT_EQ(bridge_.receive(kPort1, udp_).sent, (std::vector<Sent>{{kPort3, udp_}}));
}

TEST_F(ReferenceTest, SetFieldsGiveWhatTheBuilderWouldHaveBuilt) {
  const Bytes wanted = Packet()
                           .eth()
                           .ipv4({.src = ip4("1.2.3.4"), .tos = 0x28, .ttl = 63})
                           .udp({.dst = 54})
                           .payload(10)
                           .bytes();
  rule(0, 1, {},
       apply({set(FieldId::kNwSrc, 0x01020304), set(FieldId::kIpDscp, 10), DecNwTtlAction{},
              set(FieldId::kUdpDst, 54), output(kPort2)}));
  EXPECT_EQ(bridge_.receive(kPort1, udp_).sent, (std::vector<Sent>{{kPort2, wanted}}));
}

TEST_F(ReferenceTest, TagsAndLabelsGoOnAndComeOffAgain) {
  Bytes frame = udp_;
  push_mpls(frame, 0x8847);
  push_vlan(frame, 0x8100);
  set_or_push_vlan(frame, 5, 0x0fff);
  EXPECT_EQ(frame, Packet()
                       .eth()
                       .vlan({.vid = 5})
                       .mpls({.label = 0, .ttl = 64})
                       .ipv4()
                       .udp()
                       .payload(10)
                       .bytes());
  pop_vlan(frame);
  pop_mpls(frame, 0x0800);
  EXPECT_EQ(frame, udp_);
}

TEST_F(ReferenceTest, ActionSetRunsInItsOwnOrderAtTheEnd) {
  Instructions first;
  first.write_actions = {output(kPort3), set(FieldId::kVlanVid, 0x1007), PushVlanAction{0x8100}};
  first.goto_table = 1;
  rule(0, 1, {}, first);
  Instructions second;
  second.write_actions = {output(kPort2)};
  rule(1, 1, {}, second);
  const Bytes wanted = Packet().eth().vlan({.vid = 7}).ipv4().udp().payload(10).bytes();
  EXPECT_EQ(bridge_.receive(kPort1, udp_).sent, (std::vector<Sent>{{kPort2, wanted}}));
}

TEST_F(ReferenceTest, ResubmitComesBackAndGoesOn) {
  rule(0, 1, {},
       apply({ResubmitAction{.table_id = 1}, ResubmitAction{.table_id = 2}, output(kPort3)}));
  rule(1, 1, {}, apply({output(kPort2)}));
  EXPECT_EQ(bridge_.receive(kPort1, udp_).sent,
            (std::vector<Sent>{{kPort2, udp_}, {kPort3, udp_}}));
  EXPECT_EQ(bridge_.table(2).count().lookups, 1u);
}

TEST_F(ReferenceTest, NormalLearnsAndFloods) {
  rule(0, 1, {}, apply({output(PortNo::kNormal)}));
  EXPECT_EQ(bridge_.receive(kPort1, udp_).sent.size(), 2u);
  const Bytes reply =
      Packet()
          .eth({.dst = test::mac("02:00:00:00:00:01"), .src = test::mac("02:00:00:00:00:02")})
          .ipv4()
          .udp()
          .bytes();
  EXPECT_EQ(bridge_.receive(kPort2, reply).sent, (std::vector<Sent>{{kPort1, reply}}));
}

TEST_F(ReferenceTest, ExpiredTtlGoesToTheControllerAndNoFurther) {
  rule(0, 1, {}, apply({DecNwTtlAction{}, output(kPort2)}));
  const Fate fate = bridge_.receive(kPort1, Packet().eth().ipv4({.ttl = 1}).udp().bytes());
  EXPECT_TRUE(fate.sent.empty());
  ASSERT_EQ(fate.packet_ins.size(), 1u);
  EXPECT_EQ(fate.packet_ins[0].reason, 2);
  EXPECT_EQ(fate.drops[static_cast<std::size_t>(DropReason::kTtlExpired)], 1u);
}

TEST_F(ReferenceTest, WrongChecksumStaysWrong) {
  Bytes frame = Packet().eth().ipv4().udp({.checksum = 0x1234}).payload(4).bytes();
  const Bytes before = frame;
  write_field(frame, FieldId::kUdpDst, field_value(54), field_value(0xffff));
  EXPECT_NE(frame, before);
  write_field(frame, FieldId::kUdpDst, field_value(53), field_value(0xffff));
  EXPECT_EQ(frame, before);
}

}  // namespace
}  // namespace hoist::reference

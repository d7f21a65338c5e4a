// SPDX-License-Identifier: BSD-3-Clause
#include "datapath_fixture.hpp"

namespace hoist::test {
namespace {

constexpr std::uint32_t kNew = 0x01, kEst = 0x02, kRel = 0x04, kRpl = 0x08, kInv = 0x10,
                        kTrk = 0x20;
const Be32 kA = ip4("10.0.0.1"), kB = ip4("10.0.0.2");

struct Ends {
  Be32 src = kA, dst = kB;
  std::uint16_t src_port = 1000, dst_port = 53;
  [[nodiscard]] Ends back() const { return {dst, src, dst_port, src_port}; }
};
Bytes udp(const Ends& e = {}) {
  return Packet()
      .eth()
      .ipv4({.src = e.src, .dst = e.dst})
      .udp({.src = e.src_port, .dst = e.dst_port})
      .payload(20)
      .bytes();
}
Bytes tcp(std::uint16_t flags, const Ends& e, std::uint32_t seq, std::uint32_t ack) {
  return Packet()
      .eth()
      .ipv4({.src = e.src, .dst = e.dst})
      .tcp({.src = e.src_port, .dst = e.dst_port, .flags = flags, .seq = seq, .ack = ack})
      .bytes();
}

MatchBuilder ip(std::uint32_t state, std::uint32_t mask) {
  return MatchBuilder().ipv4().with(FieldId::kCtState, state, mask);
}
CtAction to_table(std::uint8_t table_id) { return {.table_id = table_id}; }
CtAction commit() { return {.commit = true}; }
NatAction source_nat(Be32 first, Be32 last) {
  NatAction nat{.kind = NatAction::Kind::kSource, .family = 4};
  std::memcpy(nat.first.data(), &first, 4);
  std::memcpy(nat.last.data(), &last, 4);
  return nat;
}

/// With and without the flow cache.
class DatapathConntrackTest : public DatapathFixture,
                              public ::testing::WithParamInterface<std::uint32_t> {
 protected:
  DatapathConntrackTest() : DatapathFixture(GetParam()) {}

  /// The seed case's firewall: 1 inside, 2 outside.
  void add_firewall() {
    add(MatchBuilder(), apply({}), {.priority = 1});
    add(ip(0, kTrk), apply({to_table(1)}), {.priority = 100});
    const std::uint32_t mask = kNew | kTrk;
    from(1, ip(kNew | kTrk, mask), {commit(), output(2)});
    from(1, ip(kEst | kTrk, kEst | kTrk), {output(2)});
    from(2, ip(kNew | kTrk, mask), {});
    from(2, ip(kEst | kTrk, kEst | kTrk), {output(1)});
  }
  RuleId from(std::uint32_t port, MatchBuilder match, ActionList actions) {
    return add(match.with(FieldId::kInPort, port), apply(std::move(actions)), {.table_id = 1});
  }
  Sent passes(std::uint32_t port, const Bytes& frame) { return {{port, {frame}}}; }
};
INSTANTIATE_TEST_SUITE_P(FlowCache, DatapathConntrackTest, ::testing::Values(0u, 1024u));

TEST_P(DatapathConntrackTest, TheFirewallLetsOutWhatItIsAskedForAndBackWhatAnswers) {
  add_firewall();
  EXPECT_EQ(send(2, udp(Ends{}.back())), Sent{}) << "from outside, unasked";
  for (int i = 0; i < 3; ++i) EXPECT_EQ(send(1, udp()), passes(2, udp()));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(send(2, udp(Ends{}.back())), passes(1, udp(Ends{}.back())));
    EXPECT_EQ(send(1, udp()), passes(2, udp()));
  }
  EXPECT_EQ(send(2, udp({.src = kB, .dst = kA, .src_port = 54, .dst_port = 1000})), Sent{});
}

TEST_P(DatapathConntrackTest, TcpPassesFromHandshakeToResetWithinItsWindow) {
  add_firewall();
  const Ends out{.dst_port = 80};
  EXPECT_EQ(send(2, tcp(2, out.back(), 5, 0)), Sent{});
  for (const auto& [port, flags, ends, seq, ack] : {std::tuple{1u, 0x02, out, 100u, 0u},
                                                    {2u, 0x12, out.back(), 500u, 101u},
                                                    {1u, 0x10, out, 101u, 501u},
                                                    {2u, 0x10, out.back(), 501u, 101u},
                                                    {1u, 0x10, out, 101u, 501u}}) {
    const Bytes frame = tcp(static_cast<std::uint16_t>(flags), ends, seq, ack);
    EXPECT_EQ(send(port, frame), passes(3 - port, frame)) << flags;
  }
  EXPECT_EQ(send(2, tcp(0x10, out.back(), 501, 1'000'000)), Sent{}) << "far outside the window";
  const Bytes reset = tcp(0x14, out, 101, 501);
  EXPECT_EQ(send(1, reset), passes(2, reset));
}

TEST_P(DatapathConntrackTest, RulesOfEachTableCountWhatComesThrough) {
  const RuleId first = add(MatchBuilder().ipv4(), apply({to_table(1)}));
  const RuleId fresh = from(1, ip(kNew | kTrk, kNew | kTrk), {commit(), output(2)});
  const RuleId known = from(1, ip(kEst | kTrk, kEst | kTrk), {output(2)});
  from(2, ip(kTrk, kTrk), {output(1)});
  send(1, udp());
  send(2, udp(Ends{}.back()));
  for (int i = 0; i < 4; ++i) send(1, udp());
  const auto counts = collect();
  EXPECT_EQ(counts.at(first).packets, 6u);
  EXPECT_EQ(counts.at(fresh).packets, 1u);
  EXPECT_EQ(counts.at(known).packets, 4u);
}

TEST_P(DatapathConntrackTest, RulesChangedMeanwhileHoldForKnownConnectionsToo) {
  add_firewall();
  send(1, udp());
  send(2, udp(Ends{}.back()));
  EXPECT_EQ(send(1, udp()), passes(2, udp()));
  const RuleId stop =
      add(ip(kEst | kTrk, kEst | kTrk), apply({output(3)}), {.table_id = 1, .priority = 200});
  EXPECT_EQ(send(1, udp()), passes(3, udp()));
  remove(stop);
  EXPECT_EQ(send(1, udp()), passes(2, udp()));
}

TEST_P(DatapathConntrackTest, MarkZoneAndTupleAreMatchedAndRegistersSurvive) {
  CtAction ct = commit();
  ct.zone = 7;
  ct.table_id = 2;
  ct.exec.emplace_back(std::get<SetFieldAction>(set(FieldId::kCtMark, 5)));
  add(MatchBuilder().udp(), apply({set(FieldId::kReg0, 9), ct}));
  add(MatchBuilder()
          .with(FieldId::kCtMark, 5)
          .with(FieldId::kCtZone, 7)
          .with(FieldId::kReg0, 9)
          .with(FieldId::kCtNwSrc, kA.host())
          .with(FieldId::kCtTpDst, 53),
      apply({output(3)}), {.table_id = 2});
  for (int i = 0; i < 2; ++i) EXPECT_EQ(send(1, udp()), passes(3, udp()));
}

TEST_P(DatapathConntrackTest, AMarkThatChangesChangesThePath) {
  add(MatchBuilder().udp(), apply({to_table(1)}));
  CtAction marking = commit();
  marking.exec.emplace_back(std::get<SetFieldAction>(set(FieldId::kCtMark, 1)));
  from(1, MatchBuilder().with(FieldId::kCtMark, 0), {marking, output(2)});
  from(1, MatchBuilder().with(FieldId::kCtMark, 1), {output(3)});
  from(2, MatchBuilder(), {output(1)});
  EXPECT_EQ(send(1, udp()), passes(2, udp()));
  EXPECT_EQ(send(2, udp(Ends{}.back())), passes(1, udp(Ends{}.back())));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(send(1, udp()), passes(3, udp()));
}

TEST_P(DatapathConntrackTest, BehindCtThePacketIsUntrackedButInItsTable) {
  add(MatchBuilder().udp().with(FieldId::kCtState, 0, kTrk), apply({to_table(1), output(2)}));
  add(ip(kTrk, kTrk), apply({CtClearAction{}, ResubmitAction{.table_id = 2}}), {.table_id = 1});
  add(ip(0, kTrk), apply({output(3)}), {.table_id = 2});
  const Bytes frame = udp();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(send(1, frame), (Sent{{2, {frame}}, {3, {frame}}}));
}

TEST_P(DatapathConntrackTest, SourceNatTranslatesBothWays) {
  CtAction known = to_table(1);
  known.nat = NatAction{};
  add(MatchBuilder().ipv4(), apply({known}));
  CtAction nat = commit();
  nat.nat = source_nat(ip4("30.0.0.1"), ip4("30.0.0.1"));
  from(1, ip(kNew | kTrk, kNew | kTrk), {nat, output(2)});
  from(1, ip(kEst | kTrk, kEst | kTrk), {output(2)});
  from(2, ip(kEst | kTrk, kEst | kTrk), {output(1)});
  const Ends outside{.src = ip4("30.0.0.1")};
  EXPECT_EQ(send(1, udp()), passes(2, udp(outside)));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(send(2, udp(outside.back())), passes(1, udp(Ends{}.back())));
    EXPECT_EQ(send(1, udp()), passes(2, udp(outside)));
  }
  EXPECT_EQ(send(2, udp(Ends{}.back())), Sent{});
}

TEST_P(DatapathConntrackTest, AnErrorAboutATranslatedPacketIsTranslatedInsideToo) {
  CtAction known = to_table(1);
  known.nat = NatAction{};
  add(MatchBuilder().ipv4(), apply({known}));
  CtAction nat = commit();
  nat.nat = source_nat(ip4("30.0.0.1"), ip4("30.0.0.1"));
  from(1, ip(kNew | kTrk, kNew | kTrk), {nat, output(2)});
  from(2, ip(kRel | kTrk, kRel | kTrk), {output(1)});
  const auto error = [](Be32 to, const Ends& about) {
    const Bytes quoted = udp(about);
    return Packet()
        .eth()
        .ipv4({.src = ip4("10.9.9.9"), .dst = to})
        .icmp({.type = 3, .code = 3})
        .payload(Bytes(quoted.begin() + 14, quoted.end()))
        .bytes();
  };
  send(1, udp());
  const Bytes in = error(ip4("30.0.0.1"), {.src = ip4("30.0.0.1")});
  EXPECT_EQ(send(2, in), passes(1, error(kA, {})));
}

TEST_P(DatapathConntrackTest, WhatFindsNoFreePortIsDroppedUnderThatName) {
  CtAction nat = commit();
  nat.nat = source_nat(ip4("30.0.0.1"), ip4("30.0.0.1"));
  nat.nat->first_port = nat.nat->last_port = 4000;
  add(MatchBuilder().udp(), apply({nat, output(2)}));
  const Ends outside{.src = ip4("30.0.0.1"), .src_port = 4000};
  EXPECT_EQ(send(1, udp()), passes(2, udp(outside)));
  EXPECT_EQ(send(1, udp({.src = ip4("10.0.0.3")})), Sent{});
  EXPECT_EQ(drops(DropReason::kNatExhausted), 1u);
}

TEST_P(DatapathConntrackTest, WrongChecksumsAndTinyFragmentsAreInvalid) {
  add(MatchBuilder().ipv4(), apply({to_table(1)}));
  from(1, ip(kInv | kTrk, kInv | kTrk), {output(3)});
  from(1, ip(kNew | kTrk, kNew | kTrk), {output(2)});
  const Bytes wrong = Packet().eth().ipv4().udp({.checksum = std::uint16_t{1}}).payload(20).bytes();
  const Bytes fragment = Packet().eth().ipv4({.more_fragments = true}).udp().payload(20).bytes();
  EXPECT_EQ(send(1, wrong), passes(3, wrong));
  EXPECT_EQ(send(1, fragment), passes(3, fragment));
  EXPECT_EQ(send(1, udp()), passes(2, udp()));
}

TEST_P(DatapathConntrackTest, Ipv6AndEchoAreTrackedToo) {
  add(MatchBuilder(), apply({to_table(1)}));
  add(MatchBuilder().with(FieldId::kCtState, kNew | kTrk, kNew | kTrk),
      apply({commit(), output(2)}), {.table_id = 1});
  add(MatchBuilder().with(FieldId::kCtState, kEst | kRpl | kTrk, kEst | kRpl | kTrk),
      apply({output(3)}), {.table_id = 1});
  const Ipv6 there{};
  const Ipv6 back{.src = there.dst, .dst = there.src};
  const Bytes request = Packet().eth().ipv6(there).icmpv6({.type = 128, .rest = 0x10001}).bytes();
  const Bytes reply = Packet().eth().ipv6(back).icmpv6({.type = 129, .rest = 0x10001}).bytes();
  const Bytes other = Packet().eth().ipv6(back).icmpv6({.type = 129, .rest = 0x20001}).bytes();
  EXPECT_EQ(send(1, request), passes(2, request));
  EXPECT_EQ(send(1, reply), passes(3, reply));
  EXPECT_EQ(send(1, other), Sent{});
}

/// Two connections, with marks of 5 and 6, that table 1 sees many times.
class MarkedConnectionsTest : public DatapathConntrackTest {
 protected:
  void SetUp() override {
    add(MatchBuilder().ipv4(), apply({to_table(1)}));
    for (const auto port : std::array<std::uint16_t, 2>{5, 6}) {
      CtAction marked = commit();
      marked.exec.push_back(SetFieldAction{
          .field = FieldId::kCtMark, .value = field_value(port), .mask = full_mask(mark_)});
      from(3, MatchBuilder().udp().with(FieldId::kUdpDst, port), {marked});
      send(3, to(port));
    }
  }
  static Bytes to(std::uint16_t port) { return udp({.dst_port = port}); }
  /// Where each goes when both are sent again and again.
  void expect_out(std::uint32_t port_of_5, std::uint32_t port_of_6) {
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(send(1, to(5)), passes(port_of_5, to(5)));
      EXPECT_EQ(send(1, to(6)), passes(port_of_6, to(6)));
    }
  }
  const Field& mark_ = field(FieldId::kCtMark);
  const FieldBits whole_mark_{.field = FieldId::kCtMark, .start = 0, .count = 32};
  const FieldBits reg0_{.field = FieldId::kReg0, .start = 0, .count = 32};
};
INSTANTIATE_TEST_SUITE_P(FlowCache, MarkedConnectionsTest, ::testing::Values(0u, 1024u));

TEST_P(MarkedConnectionsTest, ARegisterHoldsTheMarkOfItsOwnPacket) {
  from(1, MatchBuilder(), {MoveAction{whole_mark_, reg0_}, ResubmitAction{.table_id = 2}});
  add(MatchBuilder().with(FieldId::kReg0, 5), apply({output(2)}), {.table_id = 2});
  add(MatchBuilder().with(FieldId::kReg0, 6), apply({output(3)}), {.table_id = 2});
  expect_out(2, 3);
}

TEST_P(MarkedConnectionsTest, ARegisterSetBehindCtIsMetWithTheMarkOfItsOwnPacket) {
  from(1, MatchBuilder(), {set(FieldId::kReg0, 1), ResubmitAction{.table_id = 2}});
  const auto marked = [](std::uint64_t mark) {
    return MatchBuilder().with(FieldId::kReg0, 1).with(FieldId::kCtMark, mark);
  };
  add(marked(5), apply({output(2)}), {.table_id = 2});
  add(marked(6), apply({output(3)}), {.table_id = 2});
  expect_out(2, 3);
}

TEST_P(MarkedConnectionsTest, WhatIsClearedIsClearedForEachPacket) {
  from(1, MatchBuilder(), {CtClearAction{}, ResubmitAction{.table_id = 2}});
  add(MatchBuilder(), apply({output(2)}), {.table_id = 2, .priority = 1});
  add(MatchBuilder().with(FieldId::kCtMark, 5), apply({output(3)}), {.table_id = 2});
  expect_out(2, 2);
}

TEST_P(DatapathConntrackTest, APacketThatNeverComesOutOfCtIsDroppedInTheEnd) {
  add(MatchBuilder().udp(), apply({to_table(0)}));
  EXPECT_EQ(send(1, udp()), Sent{});
  EXPECT_EQ(drops(DropReason::kTooDeep), 1u);
}

TEST_P(DatapathConntrackTest, WhatCtCannotDoYetIsRefused) {
  RuleSpec rule;
  CtAction sip = commit();
  sip.alg = 5060;
  rule.instructions = std::make_shared<const Instructions>(apply({sip}));
  EXPECT_FALSE(datapath_->check(rule));
  Instructions set{.apply_actions = {to_table(1)}, .write_actions = {output(1)}};
  rule.instructions = std::make_shared<const Instructions>(set);
  EXPECT_FALSE(datapath_->check(rule));
}

}  // namespace
}  // namespace hoist::test

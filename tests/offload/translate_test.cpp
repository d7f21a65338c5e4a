// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nics.hpp"
#include "rules.hpp"
#include "translate/assess.hpp"
#include "translate/lower.hpp"
#include "translate/rule_text.hpp"

namespace hoist::offload {
namespace {

using ::testing::HasSubstr;

class TranslateTest : public ::testing::Test {
 protected:
  Capabilities nic_ = able_nic();
  PortMap ports_ = three_ports();
  TagMode mode_ = TagMode::kUntagged;

  [[nodiscard]] Context context() const { return {nic_, ports_, mode_}; }
  [[nodiscard]] Layout layout() const { return make_layout(nic_, 0); }
  [[nodiscard]] HwForm accept(const Rule& rule) const {
    auto result = translate(*rule.spec(), context(), layout());
    if (const auto* refused = std::get_if<Refused>(&result)) {
      ADD_FAILURE() << refused->reason;
      return {};
    }
    return std::get<HwForm>(result);
  }
  [[nodiscard]] Refused refuse(const Rule& rule) const {
    auto result = translate(*rule.spec(), context(), layout());
    if (const auto* refused = std::get_if<Refused>(&result)) return *refused;
    return {Refusal::kNone, "accepted"};
  }
  [[nodiscard]] std::vector<HwRule> lower(const Rule& rule) const {
    const HwForm form = accept(rule);
    const Layout l = layout();
    return lower_full(form.matches, form.program, context(), {l, rule.spec()->table_id, 5, 77});
  }
};

template <class T>
T spec_of(const HwItem& item) {
  T out;
  std::memcpy(&out, item.spec.data(), sizeof out);
  return out;
}
template <class T>
T mask_of(const HwItem& item) {
  T out;
  std::memcpy(&out, item.mask.data(), sizeof out);
  return out;
}

std::vector<rte_flow_action_type> types(const HwRule& rule) {
  std::vector<rte_flow_action_type> out;
  for (std::size_t i = 0; i < rule.actions.count; ++i) out.push_back(rule.actions.list[i].type);
  return out;
}

TEST_F(TranslateTest, OneRuleWithOneOutputIsOneHardwareRule) {
  const auto rules = lower(Rule(1).match("in_port", 1).output(2));
  ASSERT_EQ(rules.size(), 1u);
  EXPECT_EQ(rules[0].group, 2u);
  EXPECT_EQ(spec_of<rte_flow_item_ethdev>(rules[0].match.at(Layer::kPort)).port_id, 10);
  EXPECT_EQ(types(rules[0]),
            (std::vector{RTE_FLOW_ACTION_TYPE_COUNT, RTE_FLOW_ACTION_TYPE_REPRESENTED_PORT}));
}

TEST_F(TranslateTest, MasksOfAddressesAreKept) {
  const HwForm form = accept(Rule(1).ip().match("nw_dst", 0x0a010203, 0xffff0000).output(2));
  const auto spec = spec_of<rte_flow_item_ipv4>(form.matches.forms[0].at(Layer::kL3));
  const auto mask = mask_of<rte_flow_item_ipv4>(form.matches.forms[0].at(Layer::kL3));
  EXPECT_EQ(Be32::from_wire(spec.hdr.dst_addr).host(), 0x0a010000u);
  EXPECT_EQ(Be32::from_wire(mask.hdr.dst_addr).host(), 0xffff0000u);
  EXPECT_EQ(mask.hdr.src_addr, 0u);
}

TEST_F(TranslateTest, MaskThatTheNicCannotIsARefusalThatNamesTheField) {
  nic_.match_masked.reset();
  const Refused r = refuse(Rule(1).ip().match("nw_dst", 0x0a010000, 0xffff0000).output(2));
  EXPECT_EQ(r.refusal, Refusal::kFieldUnsupported);
  EXPECT_EQ(r.reason, "match: nw_dst has no hardware form on p1,p2");
}

TEST_F(TranslateTest, FieldWithoutARowIsRefused) {
  EXPECT_EQ(refuse(Rule(1).ipv6().match("ipv6_exthdr", 1, 1).output(2)).reason,
            "match: ipv6_exthdr has no hardware form on p1,p2");
}

TEST_F(TranslateTest, ProtocolNumberNeedsNoL4Item) {
  const HwForm form = accept(Rule(1).tcp().output(2));
  EXPECT_FALSE(form.matches.forms[0].has(Layer::kL4));
  EXPECT_FALSE(contains(form.matches.hazards, Hazard::kIpv4Fragment));
}

TEST_F(TranslateTest, PortsKeepFragmentsOutOfHardware) {
  const HwForm form = accept(Rule(1).tcp().match("tcp_dst", 80).output(2));
  EXPECT_TRUE(form.matches.forms[0].has(Layer::kL4));
  EXPECT_TRUE(contains(form.matches.hazards, Hazard::kIpv4Fragment));
  EXPECT_FALSE(contains(form.matches.hazards, Hazard::kShortTcp4));
}

TEST_F(TranslateTest, MatchOnZeroPortsKeepsCutOffHeadersOut) {
  const HwForm form = accept(Rule(1).tcp().match("tcp_dst", 0, 0x8000).output(2));
  EXPECT_TRUE(contains(form.matches.hazards, Hazard::kShortTcp4));
}

TEST_F(TranslateTest, HazardThatSteeringCannotKeepOutIsARefusal) {
  nic_.admissible.reset();
  EXPECT_THAT(refuse(Rule(1).tcp().match("tcp_dst", 80).output(2)).reason.text(),
              HasSubstr("802.3 frames"));
}

TEST_F(TranslateTest, RuleThatDoesNotNameTheTagKeepsTagsInSoftware) {
  const HwForm form = accept(Rule(1).ip().output(2));
  EXPECT_EQ(form.matches.count, 1);
  EXPECT_TRUE(contains(form.matches.hazards, Hazard::kTagged));
}

TEST_F(TranslateTest, RuleThatDoesNotNameTheTagHasTwoFormsWhereTagsAreInHardware) {
  mode_ = TagMode::kSingle;
  const HwForm form = accept(Rule(1).ip().output(2));
  ASSERT_EQ(form.matches.count, 2);
  EXPECT_FALSE(form.matches.forms[0].has(Layer::kVlan));
  EXPECT_EQ(Be16::from_wire(
                spec_of<rte_flow_item_vlan>(form.matches.forms[1].at(Layer::kVlan)).hdr.eth_proto)
                .host(),
            0x0800);
  EXPECT_TRUE(contains(form.matches.hazards, Hazard::kDoubleTagged));
}

TEST_F(TranslateTest, LinkLayerRuleMatchesTaggedPacketsToo) {
  const HwForm form = accept(Rule(1).match("eth_dst", 0x020000000001).output(2));
  EXPECT_EQ(form.matches.count, 1);
  EXPECT_TRUE(form.matches.hazards.none());
}

TEST_F(TranslateTest, VlanRuleNeedsTagsInHardware) {
  const HwForm form = accept(Rule(1).tag(10).act(PopVlanAction{}).output(2));
  EXPECT_TRUE(form.matches.needs_tags);
  EXPECT_EQ(mask_of<rte_flow_item_vlan>(form.matches.forms[0].at(Layer::kVlan)).hdr.vlan_tci,
            Be16{0x0fff}.wire());
}

TEST_F(TranslateTest, RegistersAreZeroInHardware) {
  EXPECT_FALSE(
      accept(Rule(1).match("reg0", 0, 0xff).match("in_port", 1).output(2)).matches.is_never);
  EXPECT_TRUE(accept(Rule(1).match("reg0", 5).output(2)).matches.is_never);
  EXPECT_TRUE(accept(Rule(1).match("metadata", 5).output(2)).matches.is_never);
}

TEST_F(TranslateTest, RuleOfAnotherPortNeverMatchesHere) {
  EXPECT_TRUE(accept(Rule(1).match("in_port", 3).output(2)).matches.is_never);
}

TEST_F(TranslateTest, RuleForFragmentsIsGuardedBySteeringAlone) {
  const auto rule = Rule(1).ip().match("ip_frag", 1, 1).output(2).spec();
  const Assessment a = assess(*rule, context(), layout());
  EXPECT_FALSE(a.full || a.partial);
  ASSERT_TRUE(a.guard.has_value());
  EXPECT_EQ(a.guard->rule_count, 0);
  EXPECT_TRUE(contains(a.guard->hazards, Hazard::kIpv4Fragment));
  EXPECT_EQ(a.refused.reason, "match: fragments go to software");
}

TEST_F(TranslateTest, NotAFragmentHoldsWhereFragmentsAreKeptOut) {
  const HwForm form = accept(Rule(1).ip().match("ip_frag", 0, 3).output(2));
  EXPECT_TRUE(contains(form.matches.hazards, Hazard::kIpv4Fragment));
}

TEST_F(TranslateTest, OutputToTheIngressPortDrops) {
  const auto rules = lower(Rule(1).match("in_port", 1).output(1));
  ASSERT_EQ(rules.size(), 1u);
  EXPECT_EQ(types(rules[0]).back(), RTE_FLOW_ACTION_TYPE_DROP);
}

TEST_F(TranslateTest, OutputWithoutInPortDropsWhatCameFromThere) {
  const auto rules = lower(Rule(1).output(2));
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_LT(rules[0].priority, rules[1].priority);
  EXPECT_EQ(spec_of<rte_flow_item_ethdev>(rules[0].match.at(Layer::kPort)).port_id, 11);
  EXPECT_EQ(types(rules[0]), (std::vector{RTE_FLOW_ACTION_TYPE_COUNT, RTE_FLOW_ACTION_TYPE_DROP}));
}

TEST_F(TranslateTest, InPortOutputGoesBack) {
  const auto rules = lower(Rule(1).match("in_port", 1).output(PortNo::kInPort));
  EXPECT_EQ(types(rules[0]).back(), RTE_FLOW_ACTION_TYPE_REPRESENTED_PORT);
}

TEST_F(TranslateTest, DecTtlLeavesExpiringPacketsToSoftware) {
  const auto rules = lower(Rule(1).match("in_port", 1).ip().act(DecNwTtlAction{}).output(2));
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(mask_of<rte_flow_item_ipv4>(rules[0].match.at(Layer::kL3)).hdr.time_to_live, 0xfe);
  EXPECT_EQ(types(rules[0]), (std::vector{RTE_FLOW_ACTION_TYPE_MARK, RTE_FLOW_ACTION_TYPE_JUMP}));
  EXPECT_EQ(types(rules[1]), (std::vector{RTE_FLOW_ACTION_TYPE_COUNT, RTE_FLOW_ACTION_TYPE_DEC_TTL,
                                          RTE_FLOW_ACTION_TYPE_REPRESENTED_PORT}));
}

TEST_F(TranslateTest, GotoIsAJumpToTheNextGroup) {
  const auto rules = lower(Rule(1).match("in_port", 1).go_to(3));
  rte_flow_action_jump jump{};
  std::memcpy(&jump, rules[0].actions.list[1].conf.data(), sizeof jump);
  EXPECT_EQ(jump.group, 5u);
}

TEST_F(TranslateTest, ResubmitAtTheEndIsAJumpToo) {
  const auto rules = lower(
      Rule(1).match("in_port", 1).act(ResubmitAction{.in_port = PortNo::kInPort, .table_id = 2}));
  EXPECT_EQ(types(rules[0]).back(), RTE_FLOW_ACTION_TYPE_JUMP);
}

TEST_F(TranslateTest, WriteActionsOfALastTableAreResolved) {
  const auto rules = lower(Rule(1)
                               .match("in_port", 1)
                               .ip()
                               .write(OutputAction{PortNo{2}, 0})
                               .write(SetFieldAction{.field = FieldId::kEthDst,
                                                     .value = field_value(5),
                                                     .mask = full_mask(field(FieldId::kEthDst))}));
  EXPECT_EQ(types(rules[0]),
            (std::vector{RTE_FLOW_ACTION_TYPE_COUNT, RTE_FLOW_ACTION_TYPE_SET_MAC_DST,
                         RTE_FLOW_ACTION_TYPE_REPRESENTED_PORT}));
}

TEST_F(TranslateTest, PushVlanSetsWhatOpenFlowSaysOfANewTag) {
  const auto rules = lower(Rule(1)
                               .match("in_port", 1)
                               .untagged()
                               .act(PushVlanAction{0x8100})
                               .set("vlan_vid", 0x1005)
                               .output(2));
  EXPECT_EQ(types(rules[0]),
            (std::vector{RTE_FLOW_ACTION_TYPE_COUNT, RTE_FLOW_ACTION_TYPE_OF_PUSH_VLAN,
                         RTE_FLOW_ACTION_TYPE_OF_SET_VLAN_VID, RTE_FLOW_ACTION_TYPE_OF_SET_VLAN_PCP,
                         RTE_FLOW_ACTION_TYPE_REPRESENTED_PORT}));
}

TEST_F(TranslateTest, ActionsForSoftwareAreRefusedByName) {
  EXPECT_EQ(refuse(Rule(1).output(PortNo::kController)).reason,
            "action: controller runs in software");
  EXPECT_EQ(refuse(Rule(1).output(PortNo::kNormal)).reason, "action: normal runs in software");
  EXPECT_EQ(refuse(Rule(1).set("reg0", 1).output(2)).reason,
            "action: set_field of reg0 runs in software");
  EXPECT_EQ(refuse(Rule(1).metadata(1).go_to(1)).reason,
            "instruction: write_metadata runs in software");
  EXPECT_EQ(refuse(Rule(1).output(2).output(1)).reason,
            "action: more than one output has no hardware form on p1,p2");
}

TEST_F(TranslateTest, OutputOutsideTheDomainSaysSo) {
  const Refused r = refuse(Rule(1).match("in_port", 1).output(3));
  EXPECT_EQ(r.refusal, Refusal::kOtherDomain);
  EXPECT_EQ(r.reason, "action: p3 lies outside the switch domain of p1,p2");
}

TEST_F(TranslateTest, OneGroupNicHasTableZeroOnly) {
  nic_.set(Feature::kGroups, false);
  EXPECT_EQ(refuse(Rule(1).table(1).match("in_port", 1).output(2)).refusal,
            Refusal::kGroupUnsupported);
  EXPECT_EQ(lower(Rule(1).match("in_port", 1).output(2))[0].group, 0u);
}

TEST_F(TranslateTest, GuardLeavesOutWhatHasNoForm) {
  const auto rule = Rule(1).match("in_port", 1).ipv6().match("ipv6_exthdr", 1, 1).output(2).spec();
  const HwMatches wide = guard_match(*rule, context());
  EXPECT_TRUE(covers(MiniMatch(wide.matched), rule->match));
  EXPECT_TRUE(wide.forms[0].has(Layer::kPort));
  EXPECT_FALSE(assess(*rule, context(), layout()).partial.has_value());
}

TEST_F(TranslateTest, RuleTextReadsLikeTheRule) {
  EXPECT_EQ(rule_text(*Rule(1)
                           .priority(7)
                           .match("in_port", 1)
                           .tcp()
                           .match("nw_dst", 0x0a000000, 0xff000000)
                           .match("tcp_dst", 80)
                           .spec()),
            "table=0,priority=7,in_port=1,eth_type=0x800,nw_dst=10.0.0.0/"
            "255.0.0.0,nw_proto=6,tcp_dst=80");
}

}  // namespace
}  // namespace hoist::offload

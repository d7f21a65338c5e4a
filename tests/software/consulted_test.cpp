// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "classifier_support.hpp"

namespace hoist::software {
namespace {

using testing::ip;
using testing::Rule;

class ConsultedTest : public ::testing::Test {
 protected:
  Entry* add(const Rule& rule, std::uint16_t priority, Classifier::Version from = 1) {
    return classifier_->insert(rule.match(), priority, RuleId{1}, nullptr, from);
  }
  [[nodiscard]] FlowKey consulted(PacketClass c, std::uint32_t port = 1) const {
    return classifier_->consulted(PortNo{port}, c);
  }
  static FlowKey mask_of(const Rule& rule) { return rule.match().expand().mask; }

  Reclaimer reclaimer_{1};
  std::unique_ptr<Classifier> classifier_ = Classifier::create(reclaimer_);
};

TEST_F(ConsultedTest, IsTheUnionOfTheMasksThatTheClassCanMatch) {
  EXPECT_EQ(consulted(PacketClass::kIpv4Tcp), FlowKey{});
  add(ip().nw_dst(7), 1);
  add(ip().proto(6).tp_dst(80), 1);
  add(Rule().eth_type(0x86dd), 1);
  EXPECT_EQ(consulted(PacketClass::kIpv4Tcp), mask_of(ip().proto(6).tp_dst(1).nw_dst(1)));
  EXPECT_EQ(consulted(PacketClass::kIpv4Udp), mask_of(ip().nw_dst(1)));
  EXPECT_EQ(consulted(PacketClass::kIpv6Udp), mask_of(Rule().eth_type(1)));
  EXPECT_EQ(consulted(PacketClass::kArp), FlowKey{});
}

TEST_F(ConsultedTest, RulesOfOtherPortsDoNotCount) {
  add(ip().in_port(2).nw_dst(7), 1);
  EXPECT_EQ(consulted(PacketClass::kIpv4Tcp, 1), FlowKey{});
  EXPECT_EQ(consulted(PacketClass::kIpv4Tcp, 2), mask_of(ip().in_port(1).nw_dst(1)));
}

TEST_F(ConsultedTest, SettledMatchAllHidesLowerPriorities) {
  add(ip().nw_dst(7), 10);
  Entry* all = add(Rule().in_port(1), 20, 2);
  EXPECT_EQ(consulted(PacketClass::kIpv4Tcp), mask_of(ip().in_port(1).nw_dst(1)));
  classifier_->settle(2);
  EXPECT_EQ(consulted(PacketClass::kIpv4Tcp), mask_of(Rule().in_port(1)));
  EXPECT_EQ(consulted(PacketClass::kIpv4Tcp, 2), mask_of(ip().nw_dst(1)));
  classifier_->remove(all, 3);
  EXPECT_EQ(consulted(PacketClass::kIpv4Tcp), mask_of(ip().in_port(1).nw_dst(1)));
}

TEST_F(ConsultedTest, MatchAllOfAClassHidesForThatClassOnly) {
  add(ip().nw_dst(7), 10);
  add(ip().proto(6), 20);
  classifier_->settle(1);
  EXPECT_EQ(consulted(PacketClass::kIpv4Tcp), mask_of(ip().proto(6)));
  EXPECT_EQ(consulted(PacketClass::kIpv4Udp), mask_of(ip().nw_dst(1)));
}

TEST_F(ConsultedTest, EqualOrHigherPriorityIsNotHidden) {
  add(Rule(), 20);
  classifier_->settle(1);
  add(ip().nw_dst(7), 20);
  EXPECT_EQ(consulted(PacketClass::kIpv4Tcp), mask_of(ip().nw_dst(1)));
}

TEST_F(ConsultedTest, RemovedRuleCountsUntilItIsSettled) {
  Entry* e = add(ip().nw_dst(7), 1);
  classifier_->remove(e, 2);
  EXPECT_EQ(consulted(PacketClass::kIpv4Tcp), mask_of(ip().nw_dst(1)));
  classifier_->settle(2);
  EXPECT_EQ(consulted(PacketClass::kIpv4Tcp), FlowKey{});
}

TEST_F(ConsultedTest, ShrinksWhenTheRuleAboveAMatchAllGoes) {
  add(Rule(), 20);
  add(ip().nw_dst(7), 10);
  Entry* high = add(ip().nw_dst(8), 30);
  classifier_->settle(1);
  EXPECT_EQ(consulted(PacketClass::kIpv4Tcp), mask_of(ip().nw_dst(1)));
  classifier_->remove(high, 2);
  classifier_->settle(2);
  EXPECT_EQ(consulted(PacketClass::kIpv4Tcp), FlowKey{});
}

TEST_F(ConsultedTest, GenerationStaysWhileAnswersStay) {
  add(ip().nw_dst(1), 10);
  const std::uint64_t generation = classifier_->consulted_generation();
  Entry* e = add(ip().nw_dst(2), 10);
  add(ip().nw_dst(3), 9);
  classifier_->remove(e, 2);
  classifier_->settle(2);
  EXPECT_EQ(classifier_->consulted_generation(), generation);
  add(ip().nw_src(3), 9);
  EXPECT_NE(classifier_->consulted_generation(), generation);
}

}  // namespace
}  // namespace hoist::software

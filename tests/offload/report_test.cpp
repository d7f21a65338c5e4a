// SPDX-License-Identifier: BSD-3-Clause
// What the flow manager tells of rules and NICs, and switching offload at single ports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "emulated_nic/control.h"
#include "manager_bench.hpp"

namespace hoist::offload {
namespace {

using hoist::test::Bytes;
using hoist::test::Packet;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class ReportTest : public ManagerBench {
 protected:
  /// Of udp().
  static constexpr std::uint64_t kSource = 0x020000000001;
  static Bytes udp() { return Packet().eth().ipv4().udp().payload(10).bytes(); }

  Explanation explain(std::uint32_t id) {
    Explanation out;
    manager_->explain({RuleId{id}}, [&](std::vector<Explanation> all) {
      if (!all.empty()) out = all.front();
    });
    manager_->run_once();
    manager_->poll();
    return out;
  }
  std::vector<NicReport> nics() {
    std::vector<NicReport> out;
    manager_->describe_nics([&](std::vector<NicReport> all) { out = std::move(all); });
    manager_->run_once();
    manager_->poll();
    return out;
  }
  DriftReport verify(bool repairs) {
    std::vector<DriftReport> out;
    manager_->verify(repairs, [&](std::vector<DriftReport> all) { out = std::move(all); });
    manager_->run_once();
    manager_->poll();
    return out.empty() ? DriftReport{} : out.front();
  }
};

TEST_F(ReportTest, ExplanationOfAFullRuleShowsWhatStandsInTheNic) {
  add(Rule(1).match("in_port", 1).ip().match("nw_dst", 0x0a000001).output(2));
  const Explanation e = explain(1);
  EXPECT_EQ(e.placement.tier, Tier::kFull);
  EXPECT_EQ(e.remedy, "");
  ASSERT_EQ(e.parts.size(), 1u);
  ASSERT_EQ(e.parts[0].hardware.size(), 1u);
  EXPECT_THAT(e.parts[0].hardware[0], HasSubstr("IPV4 nw_dst=0a000001"));
  EXPECT_THAT(e.parts[0].hardware[0], HasSubstr("COUNT, REPRESENTED_PORT 1"));
}

TEST_F(ReportTest, ExplanationNamesTheShadowingRuleAndTheWayOut) {
  begin(
      "name = \"plain\"\n[steering]\nroot_priorities = 16\n[items]\neth = \"*\"\n"
      "[actions]\ningress = [\"void\", \"queue\", \"drop\", \"count\"]\n");
  add(Rule(1).priority(9).output(PortNo::kController));
  add(Rule(2).priority(1).match("eth_dst", 7));
  const Explanation e = explain(2);
  EXPECT_EQ(e.placement.refusal, Refusal::kShadowed) << e.placement.reason;
  EXPECT_EQ(e.parts.at(0).shadowed_by, RuleId{1});
  EXPECT_THAT(e.remedy, HasSubstr("bring the rule above it into hardware"));
}

TEST_F(ReportTest, ExplanationOfARuleWithoutRoomHasItsRank) {
  begin("tiny");
  std::vector<std::shared_ptr<const RuleSpec>> rules;
  for (std::uint32_t i = 1; i <= 200; ++i) {
    rules.push_back(Rule(i).match("in_port", 1).ip().match("nw_dst", i).output(2).spec());
  }
  add(rules);
  const Explanation e = explain(200);
  EXPECT_EQ(e.placement.refusal, Refusal::kTableFull);
  EXPECT_GE(e.parts.at(0).rank, 1u);
}

TEST_F(ReportTest, NicSaysWhatItCanDo) {
  add(Rule(1).match("in_port", 1).output(2));
  const auto all = nics();
  ASSERT_EQ(all.size(), 1u) << "both ports are of one domain";
  EXPECT_EQ(all[0].ports.size(), 2u);
  EXPECT_TRUE(all[0].takes_rules && all[0].is_switch);
  EXPECT_THAT(all[0].matches, Contains("nw_dst/mask"));
  EXPECT_THAT(all[0].actions, Contains("goto_table"));
  EXPECT_EQ(all[0].rule_count, rule_count());
  EXPECT_EQ(all[0].levels_used, 1u);
}

TEST_F(ReportTest, PortThatTakesNoRulesSaysWhy) {
  begin("name = \"nothing\"\n");
  const auto all = nics();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_FALSE(all[0].takes_rules);
  EXPECT_EQ(all[0].why_not, "the driver takes no rules");
}

TEST_F(ReportTest, NicThatHasEverythingShowsNoDrift) {
  add({Rule(1).match("in_port", 1).go_to(1).spec(), Rule(2).table(1).ip().output(2).spec()});
  const DriftReport report = verify(false);
  EXPECT_EQ(report.checked_count, rule_count());
  EXPECT_EQ(report.lost_count, 0u);
  EXPECT_THAT(report.lost, IsEmpty());
}

TEST_F(ReportTest, LostRulesAreFoundAndInstalledAnew) {
  add({Rule(1).match("in_port", 1).ip().output(2).spec(),
       Rule(2).match("in_port", 2).ip().output(1).spec()});
  const std::uint64_t before = rule_count();
  emulated_nic_lose_rules(1);
  const DriftReport found = verify(false);
  EXPECT_EQ(found.lost_count, 1u);
  EXPECT_THAT(found.reasons, Contains(HasSubstr("not in the NIC")));
  EXPECT_EQ(rule_count(), before - 1) << "nothing is repaired unasked";
  EXPECT_TRUE(verify(true).is_repaired);
  EXPECT_EQ(rule_count(), before);
  EXPECT_EQ(verify(false).lost_count, 0u);
  EXPECT_EQ(fate(1, udp()), 2);
  EXPECT_EQ(fate(2, udp()), 1);
}

TEST_F(ReportTest, PortSwitchedOffRunsInSoftwareAlone) {
  add({Rule(1).match("in_port", 1).output(2).spec(), Rule(2).match("in_port", 2).output(1).spec()});
  settle(manager_->set_port_enabled(kBridge, PortNo{1}, false));
  EXPECT_EQ(fate(1, udp()), 0);
  EXPECT_EQ(fate(2, udp()), 1);
  EXPECT_EQ(placement(1).refusal, Refusal::kDisabled);
  EXPECT_EQ(placement(1).reason, "offload is switched off at p1");
  EXPECT_EQ(placement(2).tier, Tier::kFull);
  settle(manager_->set_port_enabled(kBridge, PortNo{1}, true));
  EXPECT_EQ(fate(1, udp()), 2);
}

TEST_F(ReportTest, PortWithRulesOfItsOwnIsEmptyWhileSwitchedOff) {
  begin("basic");
  add(Rule(1).match("eth_src", kSource));
  const std::uint64_t before = rule_count();
  EXPECT_EQ(fate(1, udp()), -1);
  settle(manager_->set_port_enabled(kBridge, PortNo{1}, false));
  EXPECT_EQ(fate(1, udp()), 0);
  EXPECT_EQ(fate(2, udp()), -1);
  add(Rule(2).priority(200).match("eth_src", kSource).match("eth_dst", 7));
  settle(manager_->set_port_enabled(kBridge, PortNo{1}, true));
  EXPECT_EQ(fate(1, udp()), -1);
  remove(2);
  EXPECT_EQ(rule_count(), before);
  EXPECT_EQ(carried(1).packets, 3u);
}

TEST_F(ReportTest, StatsCountRulesAndTime) {
  add(Rule(1).match("in_port", 1).output(2));
  const OffloadStats stats = manager_->stats();
  EXPECT_EQ(stats.inserted_count, rule_count());
  EXPECT_EQ(stats.enqueued_count, 0u);
}

}  // namespace
}  // namespace hoist::offload

// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/bulk.hpp"

#include "agent_fixture.hpp"

namespace hoist::ctl {
namespace {

class BulkLoadTest : public openflow::AgentTest {
 protected:
  BulkLoad::Report load(BulkLoad::Kind kind, std::string_view text, bool keeps_going = false) {
    BulkLoad bulk(bridge_, kind, keeps_going);
    auto errors = bulk.add(text);
    BulkLoad::Report report = bulk.commit();
    report.errors.insert(report.errors.begin(), errors.begin(), errors.end());
    return report;
  }
  static constexpr auto kFlows = BulkLoad::Kind::kFlows;
  static constexpr auto kMeters = BulkLoad::Kind::kMeters;
};

TEST_F(BulkLoadTest, AFileIsOneStep) {
  load(kMeters,
       "# meters\nmeter=1,kbps,bands=type=drop,rate=10\n\nmeter=2,pktps,bands=type=drop,rate=1\n");
  EXPECT_EQ(datapath_.meters.size(), 2u);
  const auto report =
      load(kFlows, "in_port=1,actions=meter:1,output:2\nin_port=2,actions=meter:2,output:1\n");
  EXPECT_EQ(report.applied, 2u);
  ASSERT_EQ(datapath_.steps.size(), 1u);
  EXPECT_EQ(datapath_.steps[0].size(), 2u);
}

TEST_F(BulkLoadTest, WithAMistakeNothingIsAppliedAndItsLineIsNamed) {
  const auto syntax = load(kFlows, "in_port=1,actions=drop\nin_port=x,actions=drop\n");
  EXPECT_EQ(syntax.applied, 0u);
  ASSERT_EQ(syntax.errors.size(), 1u);
  EXPECT_EQ(syntax.errors[0].line, 2u);
  const auto unknown =
      load(kFlows, "in_port=1,actions=drop\n\nin_port=2,actions=meter:9,output:1\n");
  ASSERT_EQ(unknown.errors.size(), 1u);
  EXPECT_EQ(unknown.errors[0].line, 3u);
  EXPECT_EQ(unknown.errors[0].message, "no meter 9");
  const auto twice =
      load(kMeters, "meter=1,kbps,bands=type=drop,rate=1\nmeter=1,kbps,bands=type=drop,rate=1");
  EXPECT_EQ(twice.errors.at(0).line, 2u);
  EXPECT_TRUE(datapath_.steps.empty());
  EXPECT_TRUE(datapath_.meters.empty());
}

TEST_F(BulkLoadTest, KeepingOnAppliesTheRest) {
  const auto report =
      load(kFlows,
           "in_port=1,actions=drop\nnonsense\nin_port=2,actions=meter:9\nin_port=3,actions=drop\n",
           true);
  EXPECT_EQ(report.applied, 2u);
  EXPECT_EQ(report.errors.size(), 2u);
  EXPECT_EQ(datapath_.rules.size(), 2u);
}

TEST_F(BulkLoadTest, PartsContinueTheCountOfLines) {
  BulkLoad bulk(bridge_, kFlows, false);
  EXPECT_TRUE(bulk.add("in_port=1,actions=drop\nin_port=2,actions=drop\n").empty());
  const auto errors = bulk.add("oops\n");
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].line, 3u);
}

}  // namespace
}  // namespace hoist::ctl

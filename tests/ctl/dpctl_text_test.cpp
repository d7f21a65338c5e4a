// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/dpctl_text.hpp"

#include <gtest/gtest.h>

#include "text/flow_text.hpp"

namespace hoist::ctl {
namespace {

RuleSpec rule(const char* flow) {
  auto mod = text::parse_flow(flow);
  return {.id = RuleId{1},
          .table_id = mod->table_id,
          .priority = mod->priority,
          .cookie = 0,
          .match = MiniMatch(mod->match),
          .instructions = std::make_shared<Instructions>(mod->instructions)};
}

TEST(DpctlTextTest, FlowSaysWhereItRunsAndHowMuchOfIt) {
  const RuleSpec spec = rule("table=1,priority=5,ip,actions=output:2");
  const Placement placement{
      .tier = Tier::kFull, .refusal = Refusal::kNone, .hardware = {.packets = 8, .bytes = 800}};
  const FlowDumpRow row{spec, placement, {.packets = 10, .bytes = 1000}, 1500};
  EXPECT_EQ(flow_dump_line(row, false),
            "table:1, priority:5, ip, packets:10, bytes:1000, used:1.500s, actions:output:2\n");
  EXPECT_EQ(flow_dump_line(row, true),
            "table:1, priority:5, ip, packets:10, bytes:1000, used:1.500s, offloaded:yes, dp:dpdk, "
            "offloaded_packets:8, offloaded_bytes:800, actions:output:2\n");
}

TEST(DpctlTextTest, FlowInSoftwareSaysWhy) {
  const RuleSpec spec = rule("priority=5,actions=drop");
  const Placement placement{.refusal = Refusal::kTableFull, .reason = "no room"};
  EXPECT_EQ(flow_dump_line({spec, placement, {}, 0}, true),
            "table:0, priority:5, packets:0, bytes:0, used:never, offloaded:no, dp:ovs, "
            "offloaded_packets:0, offloaded_bytes:0, why:table_full(no room), actions:drop\n");
}

TEST(DpctlTextTest, TypesAreOpenVswitchs) {
  EXPECT_TRUE(flow_dump_options({"-m", "type=offloaded"})->wants(Tier::kFull));
  EXPECT_FALSE(flow_dump_options({"type=offloaded"})->wants(Tier::kPartial));
  EXPECT_TRUE(flow_dump_options({"type=partially-offloaded"})->wants(Tier::kPartial));
  EXPECT_TRUE(flow_dump_options({"type=non-offloaded"})->wants(Tier::kSoftware));
  EXPECT_TRUE(flow_dump_options({})->wants(Tier::kSoftware));
  EXPECT_FALSE(flow_dump_options({"type=tc"})->wants(Tier::kFull));
  EXPECT_FALSE(flow_dump_options({"type=some"}).has_value());
}

}  // namespace
}  // namespace hoist::ctl

// SPDX-License-Identifier: BSD-3-Clause
#include "text/flow_text.hpp"

#include <gtest/gtest.h>

namespace hoist::text {
namespace {

using openflow::FlowMod;

std::optional<PortNo> port_named(std::string_view name) {
  if (name == "p0") return PortNo{1};
  if (name == "p1") return PortNo{2};
  return std::nullopt;
}
std::string name_of(PortNo port) { return port == PortNo{1} ? "p0" : std::string{}; }

std::string round_trip(std::string_view line) {
  const auto mod = parse_flow(line, port_named);
  if (!mod) return mod.error().message;
  const RuleSpec rule{.id = RuleId{1},
                      .table_id = mod->table_id,
                      .priority = mod->priority,
                      .cookie = mod->cookie,
                      .match = MiniMatch(mod->match),
                      .instructions = std::make_shared<Instructions>(mod->instructions)};
  return format_rule(rule);
}

TEST(FlowTextTest, ReadsTheFormsOfTheSeedCases) {
  EXPECT_EQ(round_trip("table=0, priority=1 actions=drop"), "priority=1 actions=drop");
  EXPECT_EQ(round_trip("table=0, priority=10,arp actions=NORMAL"),
            "priority=10,arp actions=NORMAL");
  EXPECT_EQ(
      round_trip("dl_type=0x0800,nw_proto=17,nw_src=17.18.19.20,nw_dst=34.35.36.38,udp_dst=4369,"
                 "action=output:2"),
      "udp,nw_src=17.18.19.20,nw_dst=34.35.36.38,tp_dst=4369 actions=output:2");
  EXPECT_EQ(round_trip("in_port=p0,ip,ip_dst=1.1.1.7 action=output:p1"),
            "ip,in_port=1,nw_dst=1.1.1.7 actions=output:2");
  EXPECT_EQ(round_trip("table=0,priority=10,cookie=0x2a,tcp,nw_src=10.0.0.0/8,tp_src=0x0400/0xfc00,"
                       "tp_dst=80,actions=output:2"),
            "cookie=0x2a, priority=10,tcp,nw_src=10.0.0.0/8,tp_src=0x400/0xfc00,tp_dst=80 "
            "actions=output:2");
  EXPECT_EQ(round_trip("ip,nw_proto=47,actions=drop"), "ip,nw_proto=47 actions=drop");
}

TEST(FlowTextTest, ConnectionTrackingIsReadAndPrintedAsOvsOfctlDoes) {
  for (const std::string_view flow : {
           "priority=100,ct_state=-trk,ip actions=ct(table=1)",
           "table=1, ct_state=+new+trk,ip,in_port=1 actions=ct(commit),output:2",
           "ip actions=ct(commit,force,zone=5,exec(set_field:0x5/0x5->ct_mark))",
           "ip actions=ct(commit,exec(load:0x1->NXM_NX_CT_LABEL[3..5],"
           "move:NXM_NX_REG0[]->NXM_NX_CT_MARK[]))",
           "ip actions=ct(table=2,zone=NXM_NX_REG0[0..15],nat)",
           "ip actions=ct(commit,nat(src=30.0.0.1-30.0.0.16:1000-2000,random)),output:2",
           "ipv6 actions=ct(commit,nat(dst=[fc00::1]:80))",
           "ipv6 actions=ct(commit,nat(dst=fc00::1-fc00::9,hash))",
           "ip actions=ct(commit,nat(src=10.0.0.1,persistent)),ct_clear",
           "tcp actions=ct(commit,table=5,alg=ftp)",
       }) {
    EXPECT_EQ(round_trip(flow), flow);
  }
}

TEST(FlowTextTest, ConnectionTrackingThatMakesNoSenseIsAnError) {
  for (const std::string_view action :
       {"ct(force)", "ct(table=255)", "ct(zone=65536)", "ct(nat(src=1.1.1.1))",
        "ct(commit,nat(src=1.1.1.1,dst=1.1.1.1))", "ct(commit,nat(random))",
        "ct(commit,nat(src=1.1.1.2-1.1.1.1))", "ct(commit,nat(src=1.1.1.1:9-8))",
        "ct(commit,exec(output:1))", "ct(commit,alg=sip)", "ct(what)"}) {
    EXPECT_FALSE(parse_flow(std::string("ip,actions=").append(action), port_named)) << action;
  }
}

TEST(FlowTextTest, FieldsMayStandInAnyOrder) {
  EXPECT_EQ(round_trip("tp_dst=80,nw_dst=1.2.3.4,tcp,actions=1"),
            "tcp,nw_dst=1.2.3.4,tp_dst=80 actions=output:1");
}

TEST(FlowTextTest, DumpedLinesCanBeReadBack) {
  EXPECT_EQ(
      round_trip(" cookie=0x1, duration=12.5s, table=3, n_packets=4, n_bytes=240, idle_timeout=9, "
                 "send_flow_rem idle_age=3, hard_age=4, priority=5,ip actions=output:1"),
      "table=3, cookie=0x1, priority=5,ip actions=output:1");
}

TEST(FlowTextTest, ErrorsNameColumnAndWord) {
  const auto message = [](std::string_view line) {
    return parse_flow(line, port_named).error().message;
  };
  EXPECT_EQ(message("ip,nw_dst=10.0.0.300,actions=drop"),
            "column 11, \"10.0.0.300\": not a value of nw_dst");
  EXPECT_EQ(message("ip,bogus=1,actions=drop"), "column 4, \"bogus=1\": not a field or setting");
  EXPECT_EQ(message("nw_dst=10.0.0.1,actions=drop"),
            "column 1, \"nw_dst=10.0.0.1\": needs a protocol in the match that has it");
  EXPECT_EQ(message("ip,actions=output:nowhere"), "column 19, \"nowhere\": no such port");
  EXPECT_EQ(message("ip,actions=frobnicate"), "column 12, \"frobnicate\": no such action or port");
  EXPECT_EQ(message("ip"), "column 3, \"\": actions are missing");
  EXPECT_EQ(message("priority=70000,actions=drop"), "column 10, \"70000\": above 65535");
  EXPECT_EQ(message("actions=goto_table:1,output:2"),
            "column 22, \"output:2\": not in the order in which instructions run");
}

TEST(FlowTextTest, UnsupportedActionsAreNamedAsSuch) {
  const auto learn = parse_flow("ip,actions=learn(table=1)");
  ASSERT_FALSE(learn);
  EXPECT_EQ(learn.error().code, Errc::kUnsupported);
  EXPECT_EQ(learn.error().message, "column 12, \"learn(table=1)\": action learn is not supported");
}

TEST(FlowTextTest, CookiesFilterDeletionsAndModifications) {
  const auto del = parse_flow("cookie=0x10/-1,ip", {}, FlowMod::Command::kDelete);
  ASSERT_TRUE(del);
  EXPECT_EQ(del->cookie, 0x10u);
  EXPECT_EQ(del->cookie_mask, UINT64_MAX);
  EXPECT_EQ(del->table_id, 255);
  const auto mod = parse_flow("cookie=5,ip,actions=drop", {}, FlowMod::Command::kModify);
  ASSERT_TRUE(mod);
  EXPECT_EQ(mod->new_cookie, 5u);
  EXPECT_FALSE(parse_flow("cookie=5/1,actions=drop"));
}

TEST(FlowTextTest, PortsArePrintedByName) {
  const auto mod = parse_flow("in_port=1,actions=output:1,output:2,LOCAL,IN_PORT");
  ASSERT_TRUE(mod);
  EXPECT_EQ(format_match(MiniMatch(mod->match), name_of), "in_port=p0");
  EXPECT_EQ(format_instructions(mod->instructions, name_of), "output:p0,output:2,LOCAL,IN_PORT");
}

TEST(FlowTextTest, StatisticsArePrintedAsByDumpFlows) {
  const auto mod = parse_flow("priority=7,ip,actions=output:1");
  ASSERT_TRUE(mod);
  const MiniMatch match(mod->match);
  openflow::FlowStats stats;
  stats.duration_s = 12;
  stats.duration_ns = 5000000;
  stats.priority = 7;
  stats.count = {3, 180};
  stats.idle_age_s = 2;
  stats.hard_age_s = 12;
  stats.match = &match;
  stats.instructions = &mod->instructions;
  EXPECT_EQ(format_flow_stats(stats),
            "cookie=0x0, duration=12.005s, table=0, n_packets=3, n_bytes=180, idle_age=2, "
            "priority=7,ip actions=output:1");
}

TEST(FlowTextTest, NeverReadsPastTheText) {
  constexpr std::string_view kLine =
      "tcp,nw_dst=1.2.3.4/255.0.0.0,tcp_flags=+syn-ack,actions=push:NXM_NX_REG0[0..3],"
      "set_field:0x5/0xf->reg1,controller(reason=no_match,id=3),resubmit(,4)";
  for (std::size_t size = 0; size <= kLine.size(); ++size) {
    const auto copy = std::make_unique<char[]>(size);
    std::copy_n(kLine.data(), size, copy.get());
    (void)parse_flow({copy.get(), size}, port_named);
    (void)parse_actions({copy.get(), size}, port_named);
  }
}

}  // namespace
}  // namespace hoist::text

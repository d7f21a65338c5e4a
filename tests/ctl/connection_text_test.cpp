// SPDX-License-Identifier: BSD-3-Clause
// The expected lines are those of Open vSwitch 3.1's userspace datapath.
#include "text/connection_text.hpp"

#include <gtest/gtest.h>

#include "daemon/connection_summary.hpp"

namespace hoist::text {
namespace {

ConnectionReport tcp_connection() {
  ConnectionReport c;
  c.original = {{10, 1, 1, 1}, {10, 1, 1, 2}, 1001, 80, 6, 4};
  c.reply = {{10, 1, 1, 2}, {10, 9, 9, 9}, 80, 7000, 6, 4};
  c.zone = 5;
  c.mark = 17;
  c.label[14] = 0x12;
  c.label[15] = 0x34;
  c.timeout_ms = 28'900;
  c.tcp[0] = {.state = 4, .window_scale = 7, .has_window_scale = true};
  c.tcp[1] = {.state = 3, .is_liberal = true};
  return c;
}

std::string line(const ConnectionReport& connection, ConnectionDetail detail = {}) {
  std::string out;
  append_connection(out, connection, detail);
  return out;
}

std::string error_of(std::string_view text) {
  ConnectionFilter filter;
  const Result<void> parsed = parse_tuple_filter(text, false, filter);
  return parsed ? "" : parsed.error().message;
}

TEST(ConnectionTextTest, ShowsAConnectionAsOpenVSwitchDoes) {
  EXPECT_EQ(line(tcp_connection()),
            "tcp,orig=(src=10.1.1.1,dst=10.1.1.2,sport=1001,dport=80),"
            "reply=(src=10.1.1.2,dst=10.9.9.9,sport=80,dport=7000),zone=5,mark=17,labels=0x1234,"
            "protoinfo=(state=ESTABLISHED)");
}

TEST(ConnectionTextTest, ShowsMoreWhereMoreIsAsked) {
  EXPECT_EQ(line(tcp_connection(), {.is_verbose = true, .has_stats = true}),
            "tcp,orig=(src=10.1.1.1,dst=10.1.1.2,sport=1001,dport=80),"
            "reply=(src=10.1.1.2,dst=10.9.9.9,sport=80,dport=7000),id=0,zone=5,status=0,timeout=28,"
            "mark=17,labels=0x1234,protoinfo=(state_orig=ESTABLISHED,state_reply=SYN_RECV,"
            "wscale_orig=7,wscale_reply=0,flags_orig=WINDOW_SCALE,flags_reply=BE_LIBERAL)");
}

TEST(ConnectionTextTest, ShowsAHelper) {
  ConnectionReport c = tcp_connection();
  c.helper = "ftp";
  EXPECT_TRUE(line(c).ends_with("protoinfo=(state=ESTABLISHED),helper=ftp"));
}

TEST(ConnectionTextTest, Icmpv6HasIdTypeAndCode) {
  ConnectionReport c;
  c.original = {{0xfc, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1},
                {0xfc, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2},
                7,
                128 << 8,
                58,
                6};
  c.reply = {c.original.dst, c.original.src, 7, 129 << 8, 58, 6};
  EXPECT_EQ(line(c),
            "icmpv6,orig=(src=fc00::1,dst=fc00::2,id=7,type=128,code=0),"
            "reply=(src=fc00::2,dst=fc00::1,id=7,type=129,code=0)");
}

TEST(ConnectionTextTest, ProtocolsWithoutANameAreNumbers) {
  ConnectionReport c;
  c.original = {{10, 1, 1, 1}, {10, 1, 1, 2}, 0, 0, 47, 4};
  c.reply = {{10, 1, 1, 2}, {10, 1, 1, 1}, 0, 0, 47, 4};
  EXPECT_EQ(line(c),
            "47,orig=(src=10.1.1.1,dst=10.1.1.2,sport=0,dport=0),"
            "reply=(src=10.1.1.2,dst=10.1.1.1,sport=0,dport=0)");
}

TEST(ConnectionTextTest, ReadsTuples) {
  ConnectionFilter filter;
  ASSERT_TRUE(parse_tuple_filter("ct_nw_src=10.1.1.1,ct_nw_proto=17,ct_tp_dst=53", false, filter));
  ASSERT_TRUE(parse_tuple_filter("ct_nw_dst=10.9.9.9", true, filter));
  EXPECT_EQ(filter.original.src, (Ipv6Address{10, 1, 1, 1}));
  EXPECT_EQ(filter.original.dst_port, 53);
  EXPECT_EQ(filter.reply.dst, (Ipv6Address{10, 9, 9, 9}));
  EXPECT_EQ(filter.ip_proto, 17);
  EXPECT_EQ(filter.family, 4);
}

TEST(ConnectionTextTest, RefusesTuplesInOpenVSwitchsWords) {
  EXPECT_EQ(error_of("foo"), "field foo missing value");
  EXPECT_EQ(error_of("foo=1"), "invalid conntrack tuple field: foo");
  EXPECT_EQ(error_of("ct_nw_src=x"), "failed to parse field ct_nw_src");
  EXPECT_EQ(error_of("ct_tp_src=70000"), "failed to parse field ct_tp_src");
  EXPECT_EQ(error_of("ct_nw_proto=300"), "failed to parse field ct_nw_proto");
  EXPECT_EQ(error_of("ct_tp_src=1000"), "port is set without protocol");
  EXPECT_EQ(error_of("ct_nw_proto=17,icmp_id=1"), "invalid L4 fields");
  EXPECT_EQ(error_of("ct_nw_src=10.1.1.1,ct_ipv6_dst=fc00::1"),
            "the L3 protocol does not match fc00::1");
}

TEST(ConnectionTextTest, ReadsMarksAndLabels) {
  ConnectionFilter filter;
  EXPECT_TRUE(parse_label_filter("mark=0x10/0xf0", filter).value());
  EXPECT_TRUE(parse_label_filter("labels=0x1234", filter).value());
  EXPECT_EQ(filter.mark, 0x10u);
  EXPECT_EQ(filter.mark_mask, 0xf0u);
  EXPECT_EQ(filter.label[14], 0x12);
  EXPECT_EQ(filter.label_mask[0], 0xff);
  EXPECT_FALSE(parse_label_filter("mark=x", filter).value());
  EXPECT_FALSE(parse_label_filter("ct_nw_src=1.1.1.1", filter));
}

TEST(ConnectionTextTest, StatsCountProtocolsAndStates) {
  ctl::ConnectionStats stats;
  stats.add(tcp_connection());
  ConnectionReport other = tcp_connection();
  other.original.ip_proto = 47;
  stats.add(other);
  EXPECT_EQ(stats.text(false), "Connections Stats:\n    Total: 2\n  TCP: 1\n  Other: 1\n");
  EXPECT_EQ(stats.text(true),
            "Connections Stats:\n    Total: 2\n  TCP: 1\n    Conn per TCP states:\n"
            "\t  [ESTABLISHED]=1\n  Other: 1\n");
}

TEST(ConnectionTextTest, BucketsAreEightInARow) {
  ctl::ConnectionBuckets buckets(9);
  EXPECT_EQ(buckets.text(0), "Total Buckets: 9\nCurrent Connections: 0\n\n");
  ConnectionReport c = tcp_connection();
  c.bucket = 8;
  buckets.add(c);
  EXPECT_TRUE(
      buckets.text(0).ends_with("\n   0..  7   |     .    .    .    .    .    .    .    ."
                                "\n   8.. 15   |     1\n\n"));
}

}  // namespace
}  // namespace hoist::text

// SPDX-License-Identifier: BSD-3-Clause
// Words and errors are those of ovs-appctl with Open vSwitch 3.1.
#include "daemon/connection_commands.hpp"

#include <gtest/gtest.h>

#include "listed_connections.hpp"

namespace hoist::ctl {
namespace {

/// One expectation, in zone 5.
class OneExpectation final : public Expectations {
 public:
  void walk(std::optional<std::uint16_t> zone,
            const std::function<void(const ExpectationReport&)>& visit) override {
    if (zone.value_or(5) != 5) return;
    visit({.tuple = {{10, 1, 1, 2}, {10, 1, 1, 1}, 0, 4000, 6, 4},
           .parent = {{10, 1, 1, 1}, {10, 1, 1, 2}, 1000, 21, 6, 4},
           .zone = 5,
           .mark = 7});
  }
};

class ConnectionCommandsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ConnectionCommands::add_all(table_, io_, connections_, &expectations_);
    ConnectionReport c;
    c.original = {{10, 1, 1, 1}, {10, 1, 1, 2}, 1000, 53, 17, 4};
    c.reply = {{10, 1, 1, 2}, {10, 1, 1, 1}, 53, 1000, 17, 4};
    connections_.list.push_back(c);
    c.zone = 5;
    connections_.list.push_back(c);
  }
  std::string ask(const std::string& command, const std::vector<std::string>& words = {}) {
    std::string out = "no answer";
    const bool is_json = command.starts_with("hoist/");
    table_.run((is_json ? "" : "dpctl/") + command, words,
               [&](const Result<std::string>& r) { out = r ? *r : "error: " + r.error().message; });
    io_.restart();
    io_.run();
    return out;
  }

  asio::io_context io_;
  CommandTable table_;
  ListedConnections connections_;
  OneExpectation expectations_;
};

TEST_F(ConnectionCommandsTest, DumpsAllConnectionsOrThoseOfAZone) {
  const std::string line =
      "udp,orig=(src=10.1.1.1,dst=10.1.1.2,sport=1000,dport=53),"
      "reply=(src=10.1.1.2,dst=10.1.1.1,sport=53,dport=1000)";
  EXPECT_EQ(ask("dump-conntrack"), line + "\n" + line + ",zone=5\n");
  EXPECT_EQ(ask("dump-conntrack", {"netdev@ovs-netdev", "zone=5"}), line + ",zone=5\n");
  EXPECT_EQ(ask("dump-conntrack", {"zone=x"}),
            "error: hoistd: datapath not found (Invalid argument)");
  EXPECT_EQ(ask("dump-conntrack", {"-x"}), "error: Unrecognized option -x");
}

TEST_F(ConnectionCommandsTest, DumpsThemAsJsonToo) {
  const std::string row =
      R"({"labels":"","mark":0,"orig":{"dport":53,"dst":"10.1.1.2","sport":1000,"src":"10.1.1.1"},)"
      R"("protocol":"udp","reply":{"dport":1000,"dst":"10.1.1.1","sport":53,"src":"10.1.1.2"},)"
      R"("timeout_ms":0,"zone":)";
  EXPECT_EQ(ask("hoist/ct/connections"), "[" + row + "0}," + row + "5}]");
  EXPECT_EQ(ask("hoist/ct/connections", {"zone=6"}), "[]");
}

TEST_F(ConnectionCommandsTest, DumpsWhatHelpersExpect) {
  EXPECT_EQ(ask("dump-conntrack-exp"),
            "tcp,orig=(src=10.1.1.2,dst=10.1.1.1,sport=0,dport=4000),zone=5,mark=7,"
            "parent=(src=10.1.1.1,dst=10.1.1.2,sport=1000,dport=21)\n");
  EXPECT_EQ(ask("dump-conntrack-exp", {"zone=6"}), "");
  EXPECT_EQ(ask("hoist/ct/expectations", {"zone=6"}), "[]");
}

TEST_F(ConnectionCommandsTest, StatusSaysWhatWasRefused) {
  connections_.refused_ones = {.table_full = 1, .zone_limit = 2, .nat_exhausted = 3};
  EXPECT_EQ(ask("hoist/ct"),
            R"({"checks_tcp_sequence":true,"connections":2,"default_limit":0,)"
            R"("max_connections":3000000,"refused":{"nat_exhausted":3,"table_full":1,)"
            R"("zone_limit":2},"sweep_interval_ms":20000})");
}

TEST_F(ConnectionCommandsTest, SetsTheSweepInterval) {
  EXPECT_EQ(ask("ct-set-sweep-interval", {"500"}), "setting sweep interval successful\n");
  EXPECT_EQ(ask("ct-get-sweep-interval"), "500\n");
  EXPECT_EQ(ask("ct-set-sweep-interval", {"x"}),
            "error: hoistd: sweep interval missing or malformed (Invalid argument)");
  EXPECT_EQ(ask("ct-set-sweep-interval", {"0"}),
            "error: hoistd: failed to set sweep interval: must not be 0 (Invalid argument)");
}

TEST_F(ConnectionCommandsTest, FlushesByFilter) {
  EXPECT_EQ(ask("flush-conntrack", {"zone=5", "mark=1", "ct_nw_proto=17", "ct_nw_dst=10.9.9.9"}),
            "");
  EXPECT_EQ(connections_.flushed_with->zone, 5);
  EXPECT_EQ(connections_.flushed_with->mark_mask, 0xffffffff);
  EXPECT_EQ(connections_.flushed_with->reply.dst, (Ipv6Address{10, 9, 9, 9}));
  EXPECT_EQ(ask("flush-conntrack"), "");
  EXPECT_EQ(connections_.flushed_with, ConnectionFilter{});
  EXPECT_EQ(ask("flush-conntrack", {"zone=x"}),
            "error: hoistd: failed to parse zone (Invalid argument)");
}

TEST_F(ConnectionCommandsTest, AWholeTupleMeansOneConnection) {
  const std::string tuple = "ct_nw_src=10.1.1.1,ct_nw_dst=10.1.1.2,ct_nw_proto=17,ct_tp_src=1000";
  EXPECT_EQ(ask("flush-conntrack", {tuple + ",ct_tp_dst=53"}), "");
  EXPECT_EQ(ask("flush-conntrack", {tuple + ",ct_tp_dst=54"}),
            "error: hoistd: failed to flush conntrack (No such file or directory)");
  EXPECT_FALSE(connections_.flushed_with);
}

TEST_F(ConnectionCommandsTest, Counts) {
  EXPECT_EQ(ask("ct-get-nconns"), "2\n");
  EXPECT_EQ(ask("ct-stats-show", {"zone=5"}), "Connections Stats:\n    Total: 1\n  UDP: 1\n");
  EXPECT_TRUE(ask("ct-bkts", {"gt=2"}).ends_with("   0..  7   |     .\n\n"));
  EXPECT_EQ(ask("ct-get-nconns", {"x"}), "error: hoistd: datapath not found (Invalid argument)");
}

TEST_F(ConnectionCommandsTest, GovernsTheMostConnections) {
  EXPECT_EQ(ask("ct-get-maxconns"), "3000000\n");
  EXPECT_EQ(ask("ct-set-maxconns", {"10"}), "setting maxconns successful\n");
  EXPECT_EQ(ask("ct-set-maxconns", {"x"}),
            "error: hoistd: maxconns missing or malformed (Invalid argument)");
  EXPECT_EQ(ask("ct-get-maxconns"), "10\n");
}

TEST_F(ConnectionCommandsTest, SwitchesSequenceChecking) {
  EXPECT_EQ(ask("ct-disable-tcp-seq-chk"), "disabling TCP sequence checking successful\n");
  EXPECT_EQ(ask("ct-get-tcp-seq-chk"), "TCP sequence checking: disabled\n");
  EXPECT_EQ(ask("ct-enable-tcp-seq-chk"), "enabling TCP sequence checking successful\n");
  EXPECT_EQ(ask("ct-get-tcp-seq-chk"), "TCP sequence checking: enabled\n");
}

TEST_F(ConnectionCommandsTest, LimitsZones) {
  EXPECT_EQ(ask("ct-set-limits", {"default=5", "zone=3,limit=7", "zone=5,limit=8"}), "");
  EXPECT_EQ(ask("ct-get-limits"),
            "default limit=5\nzone=3,limit=7,count=0\nzone=5,limit=8,count=0\n");
  EXPECT_EQ(ask("ct-del-limits", {"zone=3,9"}), "");
  EXPECT_EQ(ask("ct-get-limits", {"zone=3,5"}),
            "default limit=5\nzone=3,limit=5,count=0\nzone=5,limit=8,count=0\n");
}

TEST_F(ConnectionCommandsTest, RefusesLimitsInOpenVSwitchsWords) {
  const auto refused = [&](const std::string& word) { return ask("ct-set-limits", {word}); };
  EXPECT_EQ(refused("zone=3"), "error: hoistd: failed to parse zone limit (Invalid argument)");
  EXPECT_EQ(refused("zone=x,limit=2"),
            "error: hoistd: failed to parse field zone (Invalid argument)");
  EXPECT_EQ(refused("zone=3,limit=1,foo=2"),
            "error: hoistd: invalid zone limit field: foo (Invalid argument)");
  EXPECT_EQ(refused("default=x"), "error: hoistd: invalid default limit (Invalid argument)");
  EXPECT_EQ(refused("foo"), "error: hoistd: field foo missing value (Invalid argument)");
  EXPECT_EQ(ask("ct-get-limits", {"foo"}),
            "error: hoistd: invalid argument foo (Invalid argument)");
  EXPECT_EQ(ask("ct-del-limits", {"zone=1,x"}), "error: hoistd: invalid zone (Invalid argument)");
}

}  // namespace
}  // namespace hoist::ctl

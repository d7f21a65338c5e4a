// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/config.hpp"

#include <gtest/gtest.h>

namespace hoist::ctl {
namespace {

std::string error_of(std::string_view toml) {
  const Result<Config> config = Config::parse(toml, "h.toml");
  return config ? "" : config.error().message;
}

TEST(ConfigTest, ReadsEverything) {
  const Result<Config> config = Config::parse(R"(
[dpdk]
args = ["--in-memory"]
[datapath]
workers = [1, 3]
flow_cache_entries = 0
auto_balance = true
auto_balance_load = 80
[offload]
enabled = false
[conntrack]
max_connections = 1000
[[bridge]]
name = "br0"
fail_mode = "secure"
datapath_id = "00000000000000ab"
listen = ["ptcp:6653:127.0.0.1"]
controllers = ["tcp:10.0.0.1"]
[[bridge.port]]
name = "p1"
number = 7
devargs = "net_null0"
queues = 2
rxq_affinity = "0:3,1:1"
[[bridge.port]]
name = "br0"
number = "LOCAL"
devargs = "net_tap0"
[[bridge.port]]
name = "p2"
devargs = "net_null1"
)",
                                              "h.toml");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->workers, (std::vector<unsigned>{1, 3}));
  EXPECT_EQ(config->flow_cache_entries, 0u);
  EXPECT_FALSE(config->is_offload_enabled);
  const Config::Bridge& bridge = config->bridges.at(0);
  EXPECT_EQ(bridge.datapath_id, 0xabu);
  EXPECT_EQ(bridge.listen.at(0).port, 6653);
  EXPECT_EQ(bridge.controllers.at(0).address, "10.0.0.1");
  EXPECT_EQ(bridge.ports.at(0).queues, 2);
  EXPECT_EQ(bridge.affinities.at(0).port, PortNo{7});
  EXPECT_EQ(bridge.affinities.at(0).pins, (std::vector<QueuePin>{{0, 3}, {1, 1}}));
  EXPECT_TRUE(bridge.affinities.at(2).pins.empty());
  EXPECT_TRUE(config->auto_balance.is_enabled);
  EXPECT_EQ(config->auto_balance.load_percent, 80u);
  EXPECT_EQ(bridge.ports.at(1).number, PortNo::kLocal);
  EXPECT_EQ(bridge.ports.at(2).number, PortNo{1});
}

TEST(ConfigTest, AffinityIsQueuesAndCores) {
  for (const std::string text : {"", "0", "0:", "0:1,", "0:1;1:1", "x:1", "-1:1"}) {
    const std::string toml =
        "[[bridge]]\nname=\"b\"\n[[bridge.port]]\nname=\"p\"\n"
        "devargs=\"d\"\nrxq_affinity=\"" +
        text + "\"\n";
    EXPECT_EQ(error_of(toml), "h.toml:6: bridge.port.rxq_affinity: want \"QUEUE:CORE,...\"")
        << text;
  }
}

TEST(ConfigTest, UnknownKeyIsNamedWithItsLine) {
  EXPECT_EQ(error_of("[datapath]\nworker = [1]\n"), "h.toml:2: datapath.worker: unknown key");
  EXPECT_EQ(error_of("[datapaht]\n"), "h.toml:1: datapaht: unknown key");
  EXPECT_EQ(
      error_of("[[bridge]]\nname = \"b\"\n[[bridge.port]]\nname = \"p\"\ndevargs = \"d\"\nq = 1\n"),
      "h.toml:6: bridge.port.q: unknown key");
}

TEST(ConfigTest, WrongTypesAndRangesAreNamed) {
  EXPECT_EQ(error_of("[offload]\nenabled = 1\n"), "h.toml:2: offload.enabled: want true or false");
  EXPECT_EQ(error_of("[datapath]\nmax_rules = 0\n"),
            "h.toml:2: datapath.max_rules: want 1 to 16777215");
  EXPECT_EQ(error_of("[[bridge]]\nname = \"b\"\nlisten = [\"tcp:1.2.3.4\"]\n"),
            "h.toml:3: bridge.listen: want ptcp: or punix:");
}

TEST(ConfigTest, MissingAndDoubledNamesAreNamed) {
  EXPECT_EQ(error_of("[[bridge]]\n"), "h.toml:1: bridge.name: is missing");
  EXPECT_NE(error_of("[[bridge]]\nname = \"b\"\n[[bridge]]\nname = \"b\"\n"), "");
}

TEST(ConfigTest, BrokenTomlIsNamedWithItsLine) {
  EXPECT_EQ(error_of("[datapath]\nworkers = [1\n").substr(0, 7), "h.toml:");
}

TEST(ConfigTest, TargetsAreReadAsOpenVSwitchWritesThem) {
  const auto six = openflow::Target::parse("tcp:[2001:db8::1]:7000");
  ASSERT_TRUE(six);
  EXPECT_EQ(six->address, "2001:db8::1");
  EXPECT_EQ(six->port, 7000);
  const auto any = openflow::Target::parse("ptcp:");
  ASSERT_TRUE(any);
  EXPECT_EQ(any->port, 6653);
  EXPECT_FALSE(openflow::Target::parse("ptcp:x"));
  EXPECT_FALSE(openflow::Target::parse("ssl:1.2.3.4"));
  EXPECT_FALSE(openflow::Target::parse("nonsense"));
}

}  // namespace
}  // namespace hoist::ctl

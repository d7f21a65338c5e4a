// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/connection_config.hpp"

#include <gtest/gtest.h>

#include "daemon/config.hpp"
#include "listed_connections.hpp"

namespace hoist::ctl {
namespace {

constexpr std::size_t kTcpEstablished = 2;
constexpr std::size_t kUdpFirst = 6;

ConnectionConfig config_of(std::string_view toml) {
  const Result<Config> config = Config::parse(toml, "h.toml");
  EXPECT_TRUE(config) << config.error().message;
  return config ? config->conntrack : ConnectionConfig{};
}
std::string error_of(std::string_view toml) {
  const Result<Config> config = Config::parse(toml, "h.toml");
  return config ? "" : config.error().message;
}

constexpr const char* kWhole = R"([conntrack]
max_connections = 1000
tcp_sequence_check = false
zone_limit = 50
[conntrack.timeouts]
tcp_established = 7200
[[conntrack.zone]]
zone = 5
limit = 10
[[conntrack.zone]]
zone = 6
timeouts = { udp_first = 5 }
)";

TEST(ConnectionConfigTest, ZonesHaveTheTimeoutsOfAllButTheirOwn) {
  const ConnectionConfig config = config_of(kWhole);
  EXPECT_EQ(config.max_connections, 1000u);
  EXPECT_FALSE(config.checks_tcp_sequence);
  EXPECT_EQ(config.zone_limit, 50u);
  EXPECT_EQ(config.zone_limits, (std::map<std::uint16_t, std::uint32_t>{{5, 10}}));
  EXPECT_EQ(config.timeouts_s[kTcpEstablished], 7200u);
  ASSERT_EQ(config.zone_timeouts.size(), 1u);
  EXPECT_EQ(config.zone_timeouts[0].zone, 6);
  EXPECT_EQ(config.zone_timeouts[0].timeouts_s[kUdpFirst], 5u);
  EXPECT_EQ(config.zone_timeouts[0].timeouts_s[kTcpEstablished], 7200u);
}

TEST(ConnectionConfigTest, WhatIsWrongIsNamedWithItsLine) {
  EXPECT_EQ(error_of("[conntrack]\nzone_limit = -1\n"),
            "h.toml:2: conntrack.zone_limit: want 0 to 4294967295");
  EXPECT_EQ(error_of("[conntrack.timeouts]\ntcp_syn = 1\n"),
            "h.toml:2: conntrack.timeouts.tcp_syn: unknown key");
  EXPECT_EQ(error_of("[conntrack.timeouts]\nudp_first = 0\n"),
            "h.toml:2: conntrack.timeouts.udp_first: want 1 to 4294967295");
  EXPECT_EQ(error_of("[[conntrack.zone]]\nlimit = 5\n"),
            "h.toml:1: conntrack.zone.zone: is missing");
  EXPECT_EQ(error_of("[[conntrack.zone]]\nzone = 65536\n"),
            "h.toml:2: conntrack.zone.zone: want 0 to 65535");
  EXPECT_NE(error_of("[[conntrack.zone]]\nzone = 5\nlimit = 1\n"
                     "[[conntrack.zone]]\nzone = 5\nlimit = 2\n"),
            "");
  EXPECT_EQ(error_of("[conntrack]\nzone = [5]\n"),
            "h.toml:2: conntrack.zone: want [[conntrack.zone]] tables");
}

TEST(ConnectionConfigTest, ConnectionsFollowIt) {
  ListedConnections connections;
  const ConnectionConfig wanted = config_of(kWhole);
  ASSERT_TRUE(follow({}, wanted, connections));
  EXPECT_EQ(connections.most, 1000u);
  EXPECT_FALSE(connections.checks);
  EXPECT_EQ(connections.limit, 50u);
  EXPECT_EQ(connections.limits, wanted.zone_limits);
  EXPECT_EQ(connections.timeouts_s, wanted.timeouts_s);
  EXPECT_EQ(connections.zone_timeouts, wanted.zone_timeouts);
}

TEST(ConnectionConfigTest, WhatStaysAsItWasIsLeftAlone) {
  ListedConnections connections;
  const ConnectionConfig now = config_of(kWhole);
  ASSERT_TRUE(follow({}, now, connections));
  connections.set_zone_limit(5, 77);
  connections.set_checks_tcp_sequence(true);
  ASSERT_TRUE(follow(now, now, connections));
  EXPECT_EQ(connections.limits.at(5), 77u);
  EXPECT_TRUE(connections.checks);
}

TEST(ConnectionConfigTest, LimitsThatTheFileNoLongerHasEnd) {
  ListedConnections connections;
  const ConnectionConfig now = config_of("[[conntrack.zone]]\nzone = 5\nlimit = 10\n");
  ASSERT_TRUE(follow({}, now, connections));
  ASSERT_TRUE(follow(now, {}, connections));
  EXPECT_TRUE(connections.limits.empty());
}

TEST(ConnectionConfigTest, DefaultRoomHasToWaitForTheNextStart) {
  ListedConnections connections;
  EXPECT_FALSE(follow({.max_connections = 10}, {}, connections));
}

}  // namespace
}  // namespace hoist::ctl

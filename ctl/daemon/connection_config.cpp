// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/connection_config.hpp"

#include <set>

namespace hoist::ctl {
namespace {

constexpr std::size_t kTimeoutPoliciesMax = 255;  // Connections::set_timeouts().

/// Reads table `key` of `parent`, if it is there, with `read`.
template <class Read>
void read_table(TomlReader& parent, std::string_view key, const std::string& file,
                std::string& error, Read read) {
  const toml::node* node = parent.use(key);
  if (node == nullptr) return;
  if (!node->is_table()) return parent.fail(key, *node, "want a table");
  TomlReader reader(*node->as_table(), file, parent.path(key), error);
  read(reader);
  reader.finish();
}

void read_timeouts(TomlReader& reader, ConnectionTimeouts& timeouts_s) {
  for (std::size_t i = 0; i < timeouts_s.size(); ++i) {
    reader.read_integer(kConnectionTimeoutNames[i], timeouts_s[i], 1, 0xffffffff);
  }
}

void read_zone(const toml::node& node, const std::string& file, std::string& error,
               ConnectionConfig& config) {
  TomlReader reader(*node.as_table(), file, "conntrack.zone", error);
  ZoneTimeouts own{.timeouts_s = config.timeouts_s};
  reader.require("zone");
  reader.read_integer("zone", own.zone, 0, 65535);
  if (reader.use("limit") != nullptr) {
    const bool is_first = !config.zone_limits.contains(own.zone);
    if (!is_first) reader.fail("zone", node, "the zone is named twice");
    reader.read_integer("limit", config.zone_limits[own.zone], 0, 0xffffffff);
  }
  read_table(reader, "timeouts", file, error, [&](TomlReader& timeouts) {
    for (const ZoneTimeouts& other : config.zone_timeouts) {
      if (other.zone == own.zone) timeouts.fail("zone", node, "the zone is named twice");
    }
    read_timeouts(timeouts, own.timeouts_s);
    config.zone_timeouts.push_back(own);
  });
  reader.finish();
  std::set<ConnectionTimeouts> policies;
  for (const ZoneTimeouts& zone : config.zone_timeouts) policies.insert(zone.timeouts_s);
  if (policies.size() > kTimeoutPoliciesMax) {
    reader.fail("timeouts", node, "more than 255 zones differ in their timeouts");
  }
}

void follow_limits(const ConnectionConfig& now, const ConnectionConfig& wanted,
                   Connections& connections) {
  if (wanted.zone_limit != now.zone_limit) connections.set_default_limit(wanted.zone_limit);
  for (const auto& [zone, limit] : now.zone_limits) {
    if (!wanted.zone_limits.contains(zone)) connections.set_zone_limit(zone, {});
  }
  for (const auto& [zone, limit] : wanted.zone_limits) {
    const auto before = now.zone_limits.find(zone);
    if (before == now.zone_limits.end() || before->second != limit) {
      connections.set_zone_limit(zone, limit);
    }
  }
}

}  // namespace

ConnectionConfig ConnectionConfig::read(TomlReader& reader, const std::string& file,
                                        std::string& error) {
  constexpr std::int64_t kMost = 1 << 24;
  ConnectionConfig config;
  reader.read_integer("max_connections", config.max_connections, 1, kMost);
  reader.read("tcp_sequence_check", config.checks_tcp_sequence);
  reader.read_integer("zone_limit", config.zone_limit, 0, 0xffffffff);
  read_table(reader, "timeouts", file, error,
             [&](TomlReader& timeouts) { read_timeouts(timeouts, config.timeouts_s); });
  reader.each("zone", [&](const toml::node& node) {
    if (!node.is_table()) return reader.fail("zone", node, "want [[conntrack.zone]] tables");
    read_zone(node, file, error, config);
  });
  return config;
}

Result<void> follow(const ConnectionConfig& now, const ConnectionConfig& wanted,
                    Connections& connections) {
  if (wanted.checks_tcp_sequence != now.checks_tcp_sequence) {
    connections.set_checks_tcp_sequence(wanted.checks_tcp_sequence);
  }
  follow_limits(now, wanted, connections);
  if (wanted.timeouts_s != now.timeouts_s || wanted.zone_timeouts != now.zone_timeouts) {
    const auto set = connections.set_timeouts(wanted.timeouts_s, wanted.zone_timeouts);
    if (!set) return set;
  }
  if (wanted.max_connections == now.max_connections) return {};
  if (wanted.max_connections == 0) {
    return failure(Errc::kInvalidArgument, "the default takes effect at the next start");
  }
  return connections.set_max_connections(wanted.max_connections);
}

}  // namespace hoist::ctl

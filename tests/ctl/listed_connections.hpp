// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "hoist/connections.hpp"

namespace hoist {

/// Connections in a list, as wide as `places` at a time.
class ListedConnections final : public Connections {
 public:
  bool walk(Cursor& cursor, std::uint32_t /*places*/, const ConnectionFilter& filter,
            const Visit& visit) override {
    if (cursor.place < list.size()) {
      const ConnectionReport& c = list[cursor.place++];
      if (!filter.zone || *filter.zone == c.zone) visit(c);
    }
    return cursor.place < list.size();
  }
  bool flush(Cursor& cursor, std::uint32_t /*places*/, const ConnectionFilter& filter,
             std::uint64_t& /*flushed*/) override {
    flushed_with = filter;
    return ++cursor.place < flush_steps;
  }
  bool flush_one(std::uint16_t zone, const ConnectionTuple& tuple) override {
    flushed_one = tuple;
    return zone == 0 && tuple == list[0].original;
  }
  std::uint32_t count() const override { return static_cast<std::uint32_t>(list.size()); }
  std::uint32_t bucket_count() const override { return 1; }
  std::uint32_t max_connections() const override { return most; }
  Result<void> set_max_connections(std::uint32_t wanted) override {
    most = wanted;
    return {};
  }
  RefusedConnections refused() const override { return refused_ones; }
  std::uint32_t sweep_interval_ms() const override { return sweep_ms; }
  void set_sweep_interval_ms(std::uint32_t ms) override { sweep_ms = ms; }
  bool checks_tcp_sequence() const override { return checks; }
  void set_checks_tcp_sequence(bool wanted) override { checks = wanted; }
  std::uint32_t default_limit() const override { return limit; }
  void set_default_limit(std::uint32_t wanted) override { limit = wanted; }
  ZoneLimit zone_limit(std::uint16_t zone) const override {
    const auto found = limits.find(zone);
    return {zone, found == limits.end() ? limit : found->second, 0};
  }
  std::vector<ZoneLimit> zone_limits() const override {
    std::vector<ZoneLimit> out;
    for (const auto& [zone, own] : limits) out.push_back({zone, own, 0});
    return out;
  }
  void set_zone_limit(std::uint16_t zone, std::optional<std::uint32_t> wanted) override {
    limits.erase(zone);
    if (wanted) limits[zone] = *wanted;
  }
  Result<void> set_timeouts(const ConnectionTimeouts& others,
                            std::span<const ZoneTimeouts> zones) override {
    timeouts_s = others;
    zone_timeouts.assign(zones.begin(), zones.end());
    return {};
  }
  ConnectionTimeouts timeouts(std::uint16_t /*zone*/) const override { return timeouts_s; }

  std::vector<ConnectionReport> list;
  std::optional<ConnectionFilter> flushed_with;
  std::optional<ConnectionTuple> flushed_one;
  std::uint32_t flush_steps = 1;
  std::uint32_t most = 3'000'000;
  std::uint32_t sweep_ms = 20'000;
  RefusedConnections refused_ones;
  std::uint32_t limit = 0;
  bool checks = true;
  std::map<std::uint16_t, std::uint32_t> limits;
  ConnectionTimeouts timeouts_s = kDefaultConnectionTimeouts;
  std::vector<ZoneTimeouts> zone_timeouts;
};

}  // namespace hoist

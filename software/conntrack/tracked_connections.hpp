// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "conntrack/connection_tracker.hpp"
#include "hoist/connections.hpp"

namespace hoist::software {

/// Connections: control's view of a tracker. It reads what workers write: under a connection's own
/// lock, one at a time.
class TrackedConnections final : public Connections {
 public:
  struct Config {
    std::uint32_t capacity;                 ///< Of the tracker's table.
    std::function<std::uint64_t()> now_ms;  ///< The clock of the packets.
  };
  /// `tracker` must outlive this.
  TrackedConnections(ConnectionTracker& tracker, Config config)
      : tracker_(tracker), config_(std::move(config)) {}

  bool walk(Cursor& cursor, std::uint32_t places, const ConnectionFilter& filter,
            const Visit& visit) override;
  bool flush(Cursor& cursor, std::uint32_t places, const ConnectionFilter& filter,
             std::uint64_t& flushed) override;
  bool flush_one(std::uint16_t zone, const ConnectionTuple& tuple) override;

  std::uint32_t count() const override { return tracker_.count(); }
  std::uint32_t bucket_count() const override { return kBuckets; }
  std::uint32_t max_connections() const override { return tracker_.connections_most(); }
  Result<void> set_max_connections(std::uint32_t most) override;
  RefusedConnections refused() const override {
    using Refusal = TrackOutcome::Refusal;
    return {.table_full = tracker_.refused_count(Refusal::kTableFull),
            .zone_limit = tracker_.refused_count(Refusal::kZoneLimit),
            .nat_exhausted = tracker_.refused_count(Refusal::kNatExhausted)};
  }
  std::uint32_t sweep_interval_ms() const override { return tracker_.sweep_interval_ms(); }
  void set_sweep_interval_ms(std::uint32_t ms) override { tracker_.set_sweep_interval_ms(ms); }
  bool checks_tcp_sequence() const override { return tracker_.checks_tcp_window(); }
  void set_checks_tcp_sequence(bool checks) override { tracker_.set_checks_tcp_window(checks); }

  std::uint32_t default_limit() const override { return tracker_.zones().default_limit(); }
  void set_default_limit(std::uint32_t limit) override {
    tracker_.zones().set_default_limit(limit);
  }
  ZoneLimit zone_limit(std::uint16_t zone) const override;
  std::vector<ZoneLimit> zone_limits() const override;
  void set_zone_limit(std::uint16_t zone, std::optional<std::uint32_t> limit) override {
    tracker_.zones().set_own_limit(zone, limit);
  }

  Result<void> set_timeouts(const ConnectionTimeouts& others,
                            std::span<const ZoneTimeouts> zones) override;
  ConnectionTimeouts timeouts(std::uint16_t zone) const override;

 private:
  static constexpr std::uint32_t kBuckets = 1024;  ///< Connections share locks in as many groups.

  /// Calls body(ref, report) for each connection that is meant.
  template <class Body>
  bool each(Cursor& cursor, std::uint32_t places, const ConnectionFilter& filter, Body body);
  [[nodiscard]] bool read(std::uint32_t index, std::uint64_t now_ms, const ConnectionFilter& filter,
                          ConnectionRef& ref, ConnectionReport& report) const;

  ConnectionTracker& tracker_;
  Config config_;
};

}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "conntrack/connection_helpers.hpp"
#include "conntrack/connection_table.hpp"
#include "conntrack/fragment_ledger.hpp"
#include "conntrack/timeout_policies.hpp"
#include "conntrack/track_request.hpp"
#include "conntrack/zone_table.hpp"

namespace hoist::software {

/// Open vSwitch's ct action on packets that are given as tuples and segments. Any thread, unless
/// said; no call waits for more than a connection's or a shard's lock.
class ConnectionTracker {
 public:
  struct Config {
    std::uint32_t capacity = 1u << 24;           ///< As ConnectionTable's.
    std::uint32_t connections_most = 3'000'000;  ///< Open vSwitch's default.
    std::uint64_t seed = 0;                      ///< Random.
  };
  /// Fails with kFull.
  static Result<std::unique_ptr<ConnectionTracker>> create(const Config& config);

  /// `random`: new for each packet; only for NAT. `arena`: the worker's own.
  struct Moment {
    std::uint64_t now_ms;
    std::uint32_t random;
    std::uint32_t arena = 0;
  };
  /// Any. Asks for the memory that track() will look at.
  void prefetch(const Tuple& tuple) const noexcept;

  /// Worker. Takes a packet through one ct action. `track`: what earlier ones have found; brought
  /// up to date, but for what describe() reads of a connection.
  TrackOutcome track(const TrackRequest& request, const TrackedPacket& packet, const Moment& moment,
                     PacketTrack& track) noexcept;

  /// Worker. The same for a packet whose connection an earlier ct action has found. False: it has
  /// not, or not in this zone, or the connection is gone; nothing was changed.
  [[nodiscard]] bool track_again(const TrackRequest& request, PacketTrack& track,
                                 TrackOutcome& outcome) noexcept;

  /// Worker. The same for a packet known to belong to `track.connection` in direction
  /// `track.is_reply`, under a request that leaves_known_alone(). False: the connection is gone;
  /// nothing was changed.
  [[nodiscard]] bool follow(const TrackRequest& request, const FollowingPacket& packet,
                            std::uint64_t now_ms, PacketTrack& track,
                            TrackOutcome& outcome) noexcept;

  /// Reads mark, label and original tuple of the packet's connection, if it has one.
  void describe(PacketTrack& track) noexcept;

  /// Forgets a connection; says whether it was still there.
  bool remove(ConnectionRef ref) noexcept;

  /// Forgets connections whose time is over among the next `places` places. Workers call it between
  /// bursts; each place is looked at by one of them a round. Returns how many were forgotten.
  std::uint32_t sweep(std::uint64_t now_ms, std::uint32_t places) noexcept;
  /// Places to sweep a millisecond, so that a round takes no longer than the sweep interval.
  [[nodiscard]] std::uint32_t sweep_slice() const noexcept {
    constexpr std::uint32_t kLeast = 256;
    return std::max(kLeast, table_->end() / sweep_interval_ms() + 1);
  }
  [[nodiscard]] std::uint32_t sweep_interval_ms() const noexcept {
    return sweep_interval_ms_.load(std::memory_order_relaxed);
  }
  void set_sweep_interval_ms(std::uint32_t ms) noexcept {
    sweep_interval_ms_.store(std::max(1u, ms), std::memory_order_relaxed);
  }

  /// Packets that got no connection for this reason.
  [[nodiscard]] std::uint64_t refused_count(TrackOutcome::Refusal why) const noexcept {
    return refused_[static_cast<std::size_t>(why)].load(std::memory_order_relaxed);
  }

  [[nodiscard]] std::uint32_t count() const noexcept {
    return count_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint32_t connections_most() const noexcept {
    return most_.load(std::memory_order_relaxed);
  }
  /// Below count(): no new ones until enough have gone. At most the table's capacity.
  void set_connections_most(std::uint32_t most) noexcept {
    most_.store(most, std::memory_order_relaxed);
  }
  [[nodiscard]] bool checks_tcp_window() const noexcept {
    return checks_tcp_window_.load(std::memory_order_relaxed);
  }
  void set_checks_tcp_window(bool checks) noexcept {
    checks_tcp_window_.store(checks, std::memory_order_relaxed);
  }
  [[nodiscard]] ConnectionTable& table() noexcept { return *table_; }
  [[nodiscard]] ZoneTable& zones() noexcept { return zones_; }
  [[nodiscard]] ConnectionHelpers& helpers() noexcept { return helpers_; }
  [[nodiscard]] TimeoutPolicies& timeouts() noexcept { return timeouts_; }
  [[nodiscard]] FragmentLedger& fragments() noexcept { return fragments_; }

 private:
  ConnectionTracker() = default;
  [[nodiscard]] bool update(ConnectionRef ref, const FollowingPacket& packet, bool is_reply,
                            std::uint64_t now_ms, TrackVerdict& verdict) noexcept;
  [[nodiscard]] bool update_tcp(ConnectionRef ref, const TcpSegment& segment, bool is_reply,
                                std::uint64_t now_ms, TrackVerdict& verdict) noexcept;
  [[nodiscard]] bool update_exchange(ConnectionRef ref, bool is_icmp, bool is_reply,
                                     std::uint64_t now_ms, TrackVerdict& verdict) noexcept;
  [[nodiscard]] bool meet(const ConnectionTable::Found& found, const TrackedPacket& packet,
                          std::uint64_t now_ms, PacketTrack& track) noexcept;
  void meet_stranger(const TrackRequest& request, const TrackedPacket& packet, const Moment& moment,
                     PacketTrack& track, TrackOutcome& outcome) noexcept;
  /// A connection about to be made.
  struct Opening {
    const TrackRequest& request;
    const TrackedPacket& packet;
    const Moment& moment;
    const Expectation* expected;  ///< Null: nobody has spoken of it.
    std::uint32_t helper = 0;     ///< Of helpers_.

    [[nodiscard]] NatKind nat() const noexcept {
      if (!request.translates) return NatKind::kNone;
      return expected == nullptr ? request.nat.kind : expected->nat;
    }
  };
  [[nodiscard]] bool find_expected(const Tuple& tuple, std::uint64_t now_ms,
                                   Expectation& out) noexcept;
  [[nodiscard]] ConnectionTable::Inserted commit(Opening& opening, TrackOutcome& outcome) noexcept;
  [[nodiscard]] ConnectionTable::Inserted insert(const Opening& opening,
                                                 TrackOutcome& outcome) noexcept;
  [[nodiscard]] ConnectionTable::Inserted insert_as(const Opening& opening,
                                                    const Tuple& reply) noexcept;
  void fill(const Opening& opening, Connection& c) const noexcept;
  void translate(PacketTrack& track, TrackOutcome& outcome) noexcept;
  void relabel(const TrackRequest& request, const PacketTrack& track) noexcept;

  std::unique_ptr<ConnectionTable> table_;
  ZoneTable zones_;
  ConnectionHelpers helpers_;
  TimeoutPolicies timeouts_;
  FragmentLedger fragments_;
  std::uint64_t nat_seed_ = 0;
  std::atomic<std::uint32_t> most_{0};
  std::atomic<bool> checks_tcp_window_{true};
  std::atomic<std::uint32_t> sweep_interval_ms_{20'000};  ///< Open vSwitch's default.
  alignas(64) std::array<std::atomic<std::uint64_t>,
                         static_cast<std::size_t>(TrackOutcome::Refusal::kCount)> refused_{};
  alignas(64) std::atomic<std::uint32_t> count_{0};
  alignas(64) std::atomic<std::uint32_t> sweep_at_{0};
};

}  // namespace hoist::software

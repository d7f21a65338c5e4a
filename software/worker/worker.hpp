// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "cache/change_log.hpp"
#include "cache/flow_cache.hpp"
#include "conntrack/connection_tracker.hpp"
#include "conntrack/fragment_table.hpp"
#include "conntrack/whole_packet.hpp"
#include "hoist/drop_reason.hpp"
#include "hoist/resume.hpp"
#include "pipeline/segment_store.hpp"
#include "pipeline/trail_store.hpp"
#include "pipeline/view.hpp"
#include "pipeline/walk.hpp"
#include "rcu/reclaimer.hpp"
#include "worker/clock.hpp"
#include "worker/counter.hpp"
#include "worker/learn_filter.hpp"
#include "worker/message_ring.hpp"
#include "worker/perf.hpp"
#include "worker/transmit.hpp"

namespace hoist::software {

inline constexpr std::uint16_t kBurst = 32;

/// What control publishes and all workers read.
struct Shared {
  explicit Shared(const std::atomic<std::uint64_t>* clock_ns) : clock(clock_ns) {}

  std::atomic<Datapath::Version> version{1};
  std::atomic<const View*> view{nullptr};
  std::atomic<bool> is_stopping{false};
  /// Worker threads that have not come to their end.
  std::atomic<unsigned> running{0};
  ChangeLog* change_log = nullptr;
  ResumeTable* resume_table = nullptr;
  /// By RuleId: the program of a live rule, else null.
  std::atomic<const Program*>* programs = nullptr;
  std::uint32_t max_rules = 0;
  rte_mempool* pool = nullptr;
  rte_rcu_qsbr* qsbr = nullptr;
  ConnectionTracker* tracker = nullptr;
  Clock clock;
};

/// Where a burst, or a packet from the controller, came in.
struct Ingress {
  PortNo number;
  std::uint16_t slot;  ///< kNoSlot for a packet from the controller.
  std::uint8_t bridge;
};

/// Counts of the rules on paths that are not kept as segments.
struct LooseRuleCount {
  Counter packets;
  Counter bytes;
  Counter last_used_ms;
};
/// Likewise of tables.
struct LooseTableCount {
  Counter lookups;
  Counter matches;
};
using LooseTableCounts = std::array<LooseTableCount, 256>;

/// One poll-mode thread's state. Only that thread writes it, but for the rings' other ends.
struct alignas(64) Worker {
  struct Config {
    unsigned index;
    std::uint32_t flow_cache_entries;
    std::uint32_t segment_capacity;
  };
  /// Fails with kFull.
  static Result<std::unique_ptr<Worker>> create(const Config& config, Shared& shared);

  Worker(const Config& config, Shared& shared_state)
      : shared(&shared_state),
        index(config.index),
        transmit(config.index, drops[static_cast<std::size_t>(DropReason::kEgressFull)]) {}

  Shared* shared;
  unsigned index;

  // Set once a turn.
  const View* view = nullptr;
  Datapath::Version version = 0;
  std::uint64_t now_ms = 0;
  MeterTime meter_time = 0;

  FlowCache cache;
  std::unique_ptr<SegmentStore> segments;
  TrailStore trails;
  std::unique_ptr<Walker> walker;
  /// For packets that go on in a table behind ct, by how often they have done so.
  std::array<std::unique_ptr<Walker>, kMaxBranches> branch_walkers;
  std::uint32_t random = 0;    ///< State of a generator, for NAT.
  std::uint64_t swept_ms = 0;  ///< When connections were last swept.

  /// The one segment of a port whose packets need no look, by slot.
  struct PortSegment {
    std::uint64_t tag = 0;  ///< As of a cache entry.
    SegmentRef segment{};
  };
  std::array<PortSegment, kMaxPorts> port_segments{};

  WorkerPerf perf;
  std::array<Counter, kDropReasonCount> drops{};
  Transmitter transmit;
  LearnFilter learn_filter;

  ReservedMemory loose_memory;
  LooseRuleCount* loose_rules = nullptr;       ///< By RuleId.
  std::vector<LooseTableCounts> loose_tables;  ///< By bridge.
  std::atomic<bool> has_loose_counts{false};

  MessageRing to_control{std::size_t{1} << 20};    ///< PacketInRecord, LearnRecord.
  MessageRing from_control{std::size_t{1} << 18};  ///< PacketOutRecord.

  std::unique_ptr<FragmentTable> fragments;
  WholePacket whole;  ///< What came together last.

  void count_drop(DropReason reason, std::uint64_t n = 1) noexcept {
    drops[static_cast<std::size_t>(reason)].add(n);
  }
};

inline constexpr std::size_t kMaxBridges = 64;

/// One loop turn: every queue once, then what control sent, then transmit. Reports quiescent.
void run_turn(Worker& worker) noexcept;

/// A thread's body: turns until Shared::is_stopping.
void run_worker(Worker& worker) noexcept;

}  // namespace hoist::software

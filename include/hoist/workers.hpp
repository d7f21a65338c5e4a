// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hoist/datapath.hpp"
#include "hoist/error.hpp"
#include "hoist/types.hpp"

namespace hoist {

/// What a worker does with a burst.
enum class Stage : std::uint8_t {
  kReceive,   ///< The driver's receive function.
  kLookup,    ///< Admission, parsing and the flow cache.
  kWalk,      ///< The tables, for packets that the cache does not know.
  kRun,       ///< What the rules say.
  kTransmit,  ///< The driver's transmit function, and packets from controllers.
};
inline constexpr std::size_t kStageCount = 5;
inline constexpr std::array<std::string_view, kStageCount> kStageNames = {
    "receive", "parse+cache", "classifier walk", "run segments", "transmit"};

/// Of one worker, cumulative. Cycles are the processor's counter's.
struct WorkerCounts {
  std::uint64_t idle_turns = 0;  ///< Loop turns in which no queue had a packet.
  std::uint64_t busy_turns = 0;
  std::uint64_t idle_cycles = 0;
  std::uint64_t busy_cycles = 0;
  std::uint64_t received = 0;  ///< Packets.
  std::uint64_t marked = 0;    ///< Of these: handed over by hardware with a resume token;
  std::uint64_t unlooked = 0;  ///< carried without a look, in_port alone deciding;
  std::uint64_t walked = 0;    ///< taken through the tables. The rest: found in the cache.
  std::uint64_t sent = 0;      ///< Packets that a device took.
  std::uint64_t sent_batches = 0;
  /// Estimates: measured in one turn of sixteen.
  std::array<std::uint64_t, kStageCount> stage_cycles{};
};

struct QueueReport {
  std::string port;
  std::uint16_t queue;
  bool is_pinned;
  std::uint64_t packets;                       ///< Cumulative.
  std::optional<std::uint32_t> usage_percent;  ///< Of the worker's time; none: not known yet.
};

struct WorkerReport {
  unsigned core;
  unsigned numa;
  bool is_isolated;           ///< Serves the queues that are pinned to it, and no others.
  std::uint64_t measured_ms;  ///< Since clear().
  WorkerCounts counts;        ///< Since clear().
  std::vector<QueueReport> queues;
  /// Share of its time that no queue accounts for, of the busy part.
  std::optional<std::uint32_t> overhead_percent;
};

/// Pins one receive queue of a port to the worker on a core.
struct QueuePin {
  std::uint16_t queue;
  unsigned core;
  bool operator==(const QueuePin&) const = default;
};

/// When queues move by themselves (Open vSwitch: pmd-auto-lb).
struct AutoBalance {
  bool is_enabled = false;
  std::uint32_t load_percent = 95;         ///< A worker busier than this sets it off
  std::uint32_t improvement_percent = 25;  ///< if this much of the loads' variance goes away.
  std::uint32_t interval_s = 60;
};

/// The poll-mode workers of a datapath: which receive queues they serve and where their time goes.
/// Control thread. A queue moves without loss or reordering as far as the device's ring holds what
/// comes meanwhile: its new worker begins once the old one has sent all it received.
class Workers {
 public:
  /// Usage is known for up to this long, in steps of five seconds.
  static constexpr std::uint32_t kUsageMax_s = 60;

  virtual ~Workers() = default;

  /// One a worker, by core. `last_s`: usage over so many seconds, 1 to kUsageMax_s.
  [[nodiscard]] virtual std::vector<WorkerReport> report(std::uint32_t last_s) const = 0;
  /// Counts of the worker on `core`, or of all, start at zero.
  virtual void clear(std::optional<unsigned> core) = 0;
  /// Ticks of the processor's counter a second.
  [[nodiscard]] virtual std::uint64_t cycles_per_s() const = 0;

  /// Replaces the pins of a port. Fails with kNotFound (port), or kInvalidArgument (a queue that it
  /// has not, a core without a worker).
  virtual Result<void> pin_queues(BridgeId bridge, PortNo port, std::vector<QueuePin> pins) = 0;
  /// Spreads the queues that are not pinned over the workers by measured load.
  virtual void rebalance() = 0;
  virtual void set_auto_balance(const AutoBalance& config) = 0;
};

/// Null: the datapath has no workers of its own to tell of (a stand-in in a test).
[[nodiscard]] inline Workers* workers_of(Datapath& datapath) {
  return dynamic_cast<Workers*>(&datapath);
}

}  // namespace hoist

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "datapath/queue_plan.hpp"
#include "hoist/workers.hpp"
#include "pipeline/view.hpp"
#include "worker/perf.hpp"

namespace hoist::software {

/// A count that only grows, and by how much it did in each of the last intervals.
class UsageHistory {
 public:
  static constexpr std::uint32_t kInterval_s = 5;
  static constexpr std::size_t kIntervals = Workers::kUsageMax_s / kInterval_s;

  /// An interval ends at this total.
  void sample(std::uint64_t total) noexcept {
    gained_[next_ % kIntervals] = total - last_;
    last_ = total;
    ++next_;
  }
  /// Over the last `intervals`, as far as they are known.
  [[nodiscard]] std::uint64_t gained(std::size_t intervals) const noexcept;
  [[nodiscard]] bool is_empty() const noexcept { return next_ == 0; }

 private:
  std::array<std::uint64_t, kIntervals> gained_{};
  std::uint64_t last_ = 0;
  std::size_t next_ = 0;
};

/// The receive queues of all ports: which worker serves them, and what they cost. Control thread;
/// it decides, who calls it publishes.
class QueueTable {
 public:
  struct Queue {
    std::uint16_t slot;
    std::uint16_t ethdev;
    std::uint16_t queue;
    unsigned worker;  ///< Who serves it, or will once it has ceased to rest.
    bool is_resting = false;
    std::optional<unsigned> pinned;
    std::shared_ptr<QueueLoad> load = std::make_shared<QueueLoad>();
    UsageHistory usage;
  };
  struct WorkerUsage {
    UsageHistory busy, idle;
  };

  explicit QueueTable(unsigned worker_count) : workers_(worker_count) {}

  /// The queues of a new port go to the workers with the fewest.
  void add_port(std::uint16_t slot, std::uint16_t ethdev, std::uint16_t count);
  void remove_port(std::uint16_t slot);
  /// Replaces the pins of a port's queues; a queue not named is free.
  void pin(std::uint16_t slot, std::span<const std::pair<std::uint16_t, unsigned>> pins);

  /// Lets queues rest that some other worker is to serve. Returns whether there are any.
  bool move_to(std::span<const unsigned> plan);
  /// No worker looks at resting queues any more: their new ones may.
  void end_rest() noexcept;
  [[nodiscard]] bool has_resting() const noexcept;

  /// By pins and load over the last minute.
  [[nodiscard]] std::vector<unsigned> plan() const;
  /// By pins alone: free queues stay where they are, unless that worker is now isolated.
  [[nodiscard]] std::vector<unsigned> plan_of_pins() const;
  /// By how much of a hundred a plan lowers the variance of the workers' loads.
  [[nodiscard]] std::uint32_t improvement_percent(std::span<const unsigned> plan) const;
  /// Of the busiest worker that is not isolated, over so many intervals.
  [[nodiscard]] std::uint32_t top_load_percent(std::size_t intervals) const;

  /// An interval has passed. Busy and idle cycles of each worker, cumulative.
  void sample(std::span<const std::pair<std::uint64_t, std::uint64_t>> busy_and_idle);

  void fill(View& view) const;
  [[nodiscard]] std::span<const Queue> queues() const noexcept { return queues_; }
  [[nodiscard]] const WorkerUsage& worker(unsigned index) const noexcept { return workers_[index]; }
  [[nodiscard]] bool is_isolated(unsigned worker) const noexcept;
  [[nodiscard]] unsigned worker_count() const noexcept {
    return static_cast<unsigned>(workers_.size());
  }

 private:
  [[nodiscard]] std::vector<PlannedQueue> planned() const;
  [[nodiscard]] std::vector<unsigned> current() const;
  [[nodiscard]] unsigned least_used() const;

  std::vector<Queue> queues_;
  std::vector<WorkerUsage> workers_;
};

}  // namespace hoist::software

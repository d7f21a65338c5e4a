// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_cycles.h>

#include <array>
#include <cstdint>

#include "hoist/workers.hpp"
#include "worker/counter.hpp"

namespace hoist::software {

/// What one receive queue costs its worker. One worker at a time writes it; any thread reads.
struct alignas(64) QueueLoad {
  Counter cycles;  ///< Estimate: receiving and processing, without transmit.
  Counter packets;
};

/// Where a worker's time goes. The owning worker writes, any thread reads.
///
/// Cost: one reading of the processor's counter a turn, which the turn's clock needs anyway; five
/// more in one turn of kSamplePeriod, in which stages and queues are measured.
class WorkerPerf {
 public:
  /// Turns, idle and busy, of which one is measured.
  static constexpr std::uint32_t kSamplePeriod = 16;

  /// The turn before ends, the next one begins. Returns the time.
  std::uint64_t begin_turn() noexcept {
    const std::uint64_t now = rte_rdtsc();
    if (turn_ != 0) {
      const bool was_busy = received_ != 0;
      (was_busy ? busy_turns : idle_turns).add(1);
      (was_busy ? busy_cycles : idle_cycles).add(now - began_);
      if (was_busy) received.add(received_);
    }
    received_ = 0;
    began_ = last_ = now;
    is_sampled_ = ++turn_ % kSamplePeriod == 0;
    return now;
  }

  /// `count` packets, at least one, came from a queue.
  void took(QueueLoad& queue, std::uint32_t count) noexcept {
    received_ += count;
    queue.packets.add(count);
    if (is_sampled_) [[unlikely]] {
      queue_began_ = last_;
      end_stage(Stage::kReceive);
    }
  }
  /// They have been dealt with.
  void dealt_with(QueueLoad& queue) noexcept {
    if (!is_sampled_) [[likely]]
      return;
    end_stage(Stage::kRun);
    queue.cycles.add((last_ - queue_began_) * kSamplePeriod);
  }
  /// What has passed since the last stage's end was this one's.
  void end(Stage stage) noexcept {
    if (is_sampled_) [[unlikely]]
      end_stage(stage);
  }
  void end_turn() noexcept {
    if (is_sampled_ && received_ != 0) [[unlikely]]
      end_stage(Stage::kTransmit);
  }

  Counter idle_turns, busy_turns, idle_cycles, busy_cycles, received;
  Counter marked, unlooked, walked;
  std::array<Counter, kStageCount> stage_cycles;

 private:
  void end_stage(Stage stage) noexcept {
    const std::uint64_t now = rte_rdtsc();
    stage_cycles[static_cast<std::size_t>(stage)].add((now - last_) * kSamplePeriod);
    last_ = now;
  }

  std::uint64_t began_ = 0;
  std::uint64_t last_ = 0;         ///< End of the last stage, in a turn that is measured.
  std::uint64_t queue_began_ = 0;  ///< Likewise.
  std::uint32_t received_ = 0;     ///< In this turn.
  std::uint32_t turn_ = 0;
  bool is_sampled_ = false;
};

}  // namespace hoist::software

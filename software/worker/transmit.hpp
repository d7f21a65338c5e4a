// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_spinlock.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "pipeline/view.hpp"
#include "worker/counter.hpp"

struct rte_mbuf;

namespace hoist::software {

/// Of a port with fewer transmit queues than workers: who sends holds its queue's lock.
class TransmitLock {
 public:
  void lock() noexcept { rte_spinlock_lock(&lock_); }
  void unlock() noexcept { rte_spinlock_unlock(&lock_); }

 private:
  alignas(64) rte_spinlock_t lock_ = RTE_SPINLOCK_INITIALIZER;
};

/// One worker's packets on their way out: one batch a port, sent when it is full and at the end of
/// each turn. Owning worker.
class Transmitter {
 public:
  static constexpr std::uint16_t kBatch = 32;

  Transmitter(unsigned worker_index, Counter& egress_full)
      : worker_index_(worker_index), egress_full_(egress_full) {}

  /// Consumes the packet. The port must be present.
  void push(const View& view, std::uint16_t slot, rte_mbuf* packet) noexcept {
    push(view, slot, &packet, 1);
  }
  /// Likewise, in this order.
  void push(const View& view, std::uint16_t slot, rte_mbuf* const* packets,
            std::uint32_t count) noexcept {
    Batch& batch = batches_[slot];
    if (!batch.is_listed) {
      batch.is_listed = true;
      listed_[listed_count_++] = slot;
    }
    while (count != 0) {
      if (batch.count == kBatch) send(view, slot);
      const std::uint32_t some = std::min<std::uint32_t>(count, kBatch - batch.count);
      std::copy_n(packets, some, &batch.packets[batch.count]);
      batch.count = static_cast<std::uint16_t>(batch.count + some);
      packets += some;
      count -= some;
    }
  }
  void flush(const View& view) noexcept {
    for (std::uint16_t i = 0; i < listed_count_; ++i) {
      send(view, listed_[i]);
      batches_[listed_[i]].is_listed = false;
    }
    listed_count_ = 0;
  }
  /// Any thread. Packets and batches that devices took.
  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_.get(); }
  [[nodiscard]] std::uint64_t sent_batches() const noexcept { return sent_batches_.get(); }
  /// Any thread. Packets that the port in this slot did not take.
  [[nodiscard]] std::uint64_t dropped(std::size_t slot) const noexcept {
    return batches_[slot].dropped.get();
  }

 private:
  struct Batch {
    std::uint16_t count = 0;
    bool is_listed = false;
    Counter dropped;
    std::array<rte_mbuf*, kBatch> packets;
  };
  void send(const View& view, std::uint16_t slot) noexcept;

  unsigned worker_index_;
  Counter& egress_full_;
  Counter sent_, sent_batches_;
  std::uint16_t listed_count_ = 0;
  std::array<std::uint16_t, kMaxPorts> listed_;
  std::array<Batch, kMaxPorts> batches_{};
};

}  // namespace hoist::software

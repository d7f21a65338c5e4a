// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_ethdev.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "spinlock.hpp"
#include "table.hpp"

namespace emulated_nic {

/// Packets that the NIC steers to another receive queue than the one they came in on: bounded.
class Mailbox {
 public:
  static constexpr std::uint32_t kCapacity = 4096;

  /// False: full; the caller keeps the packet.
  bool push(rte_mbuf* mbuf);
  /// Up to `max` packets, oldest first.
  std::uint16_t pop(rte_mbuf** mbufs, std::uint16_t max);

 private:
  Spinlock lock_;
  std::vector<rte_mbuf*> ring_ = std::vector<rte_mbuf*>(kCapacity);
  std::uint32_t head_ = 0;
  std::atomic<std::uint32_t> size_{0};  ///< Relaxed hint for pop(); exact under the lock.
};

/// A receive queue. Its lock is held while a burst is worked on; whoever holds the locks of all
/// queues (Nic::Exclusive) may change rules.
struct alignas(64) RxQueue {
  Spinlock lock;
  std::uint16_t port = 0;
  std::uint16_t queue = 0;
  const rte_eth_rxtx_callback* callback = nullptr;
  Mailbox mailbox;
};

/// A transmit queue, shared by the application and the NIC. It stands in for the driver's queue in
/// rte_eth_fp_ops.
struct alignas(64) TxQueue {
  Spinlock lock;
  bool is_open = false;  ///< Guarded by lock.
  void* real = nullptr;  ///< The driver's queue, and its functions.
  eth_tx_burst_t burst = nullptr;
  eth_tx_prep_t prepare = nullptr;
  eth_tx_descriptor_status_t descriptor_status = nullptr;

  /// Sends what the driver takes; frees nothing.
  std::uint16_t send(rte_mbuf** mbufs, std::uint16_t count);
};

using Groups = std::map<std::uint32_t, std::unique_ptr<Group>>;

/// An emulated port. Everything but the locks' own is guarded by Nic::Exclusive.
struct Port {
  bool is_started = false;
  bool is_isolated = false;
  std::atomic<bool> is_link_down{false};
  std::uint64_t restarts = 0;
  Groups ingress;
  Group* ingress_root = nullptr;
  std::vector<std::unique_ptr<RxQueue>> rx;  ///< Never shrinks: callbacks point here.
  std::vector<std::unique_ptr<TxQueue>> tx;
  std::vector<void*> tx_data;  ///< What rte_eth_fp_ops' txq.data points to.
};

/// Puts the port's transmit queues between the application and the driver, or opens them again.
void wrap_transmit(std::uint16_t port_id, std::uint16_t queue_count, Port& port);
/// After this the NIC and late callers transmit nothing.
void close_transmit(Port& port);

}  // namespace emulated_nic

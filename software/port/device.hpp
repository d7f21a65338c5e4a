// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_ethdev.h>

#include <memory>
#include <string>

#include "hoist/datapath.hpp"
#include "hoist/error.hpp"
#include "worker/transmit.hpp"

namespace hoist::software {

/// A started ethdev. Control thread. The destructor stops and closes it; no worker may use it any
/// more.
class Device {
 public:
  struct Config {
    std::string devargs;
    std::uint16_t rx_queues;  ///< Wanted; the device may have fewer.
    std::uint16_t tx_queues;  ///< One a worker, where the device has as many.
    rte_mempool* pool;
  };
  /// Fails with kDevice: which step, and DPDK's reason.
  static Result<std::unique_ptr<Device>> open(const Config& config);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] std::uint16_t id() const noexcept { return id_; }
  [[nodiscard]] std::uint16_t rx_queues() const noexcept { return rx_queues_; }
  [[nodiscard]] std::uint16_t tx_queues() const noexcept { return tx_queues_; }
  /// One a queue, if workers share queues; else null.
  [[nodiscard]] TransmitLock* locks() const noexcept { return locks_.get(); }

  /// What the device says of itself now.
  void describe(PortStatus& status) const;
  [[nodiscard]] PortCounters counters() const;
  /// Bytes of the longest frame: MTU, Ethernet header and two tags.
  [[nodiscard]] std::uint32_t max_frame() const;
  void set_admin_up(bool is_up);

 private:
  explicit Device(std::uint16_t id) : id_(id) {}
  Result<void> configure(const Config& config);
  Result<void> set_up_queues(const rte_eth_dev_info& info, const Config& config);

  std::uint16_t id_;
  std::uint16_t rx_queues_ = 0;
  std::uint16_t tx_queues_ = 0;
  std::unique_ptr<TransmitLock[]> locks_;
};

}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_ethdev.h>

#include <atomic>
#include <cstdint>

#include "hoist/types.hpp"

namespace hoist::offload {

/// Hears of it when a port is reset by its driver or removed. Then its rules are gone, and their
/// handles must not be touched any more. Made and destroyed by the offload thread; DPDK's interrupt
/// thread, or whoever finds out, tells.
class PortWatch {
 public:
  explicit PortWatch(EthdevId ethdev);
  ~PortWatch();
  PortWatch(const PortWatch&) = delete;
  PortWatch& operator=(const PortWatch&) = delete;

  [[nodiscard]] bool has_lost_rules() const noexcept {
    return has_lost_rules_.load(std::memory_order_relaxed);  // a flag, publishes nothing
  }

 private:
  static int note(std::uint16_t port, rte_eth_event_type event, void* self, void* unused);

  EthdevId ethdev_;
  std::atomic<bool> has_lost_rules_{false};
};

}  // namespace hoist::offload

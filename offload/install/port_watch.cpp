// SPDX-License-Identifier: BSD-3-Clause
#include "install/port_watch.hpp"

#include <cerrno>

namespace hoist::offload {
namespace {

constexpr rte_eth_event_type kEvents[] = {RTE_ETH_EVENT_INTR_RESET, RTE_ETH_EVENT_INTR_RMV};

}  // namespace

PortWatch::PortWatch(EthdevId ethdev) : ethdev_(ethdev) {
  for (const rte_eth_event_type event : kEvents) {
    rte_eth_dev_callback_register(to_integer(ethdev_), event, note, this);
  }
}

PortWatch::~PortWatch() {
  for (const rte_eth_event_type event : kEvents) {
    // Busy while the callback runs, which takes an instant.
    while (rte_eth_dev_callback_unregister(to_integer(ethdev_), event, note, this) == -EAGAIN) {
    }
  }
}

int PortWatch::note(std::uint16_t /*port*/, rte_eth_event_type /*event*/, void* self,
                    void* /*unused*/) {
  static_cast<PortWatch*>(self)->has_lost_rules_.store(true, std::memory_order_relaxed);
  return 0;
}

}  // namespace hoist::offload

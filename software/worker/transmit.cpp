// SPDX-License-Identifier: BSD-3-Clause
#include "worker/transmit.hpp"

#include <rte_ethdev.h>

namespace hoist::software {

void Transmitter::send(const View& view, std::uint16_t slot) noexcept {
  Batch& batch = batches_[slot];
  const PortView& port = view.ports[slot];
  const auto queue = static_cast<std::uint16_t>(worker_index_ % port.tx_queues);
  std::uint16_t sent = 0;
  if (port.tx_lock != nullptr) port.tx_lock[queue].lock();
  // As long as the device takes some, it may take more.
  while (sent < batch.count) {
    const auto left = static_cast<std::uint16_t>(batch.count - sent);
    const std::uint16_t n = rte_eth_tx_burst(port.ethdev, queue, &batch.packets[sent], left);
    if (n == 0) break;
    sent = static_cast<std::uint16_t>(sent + n);
  }
  if (port.tx_lock != nullptr) port.tx_lock[queue].unlock();
  if (sent < batch.count) {
    const auto left = static_cast<unsigned>(batch.count - sent);
    rte_pktmbuf_free_bulk(&batch.packets[sent], left);
    egress_full_.add(left);
    batch.dropped.add(left);
  }
  if (sent != 0) {
    sent_.add(sent);
    sent_batches_.add(1);
  }
  batch.count = 0;
}

}  // namespace hoist::software

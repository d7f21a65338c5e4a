// SPDX-License-Identifier: BSD-3-Clause
#include "port.hpp"

#include <mutex>

namespace emulated_nic {
namespace {

std::uint16_t send_wrapped(void* queue, rte_mbuf** mbufs, std::uint16_t count) {
  return static_cast<TxQueue*>(queue)->send(mbufs, count);
}

std::uint16_t prepare_wrapped(void* queue, rte_mbuf** mbufs, std::uint16_t count) {
  auto& tx = *static_cast<TxQueue*>(queue);
  return tx.prepare(tx.real, mbufs, count);
}

int descriptor_status_wrapped(void* queue, std::uint16_t offset) {
  auto& tx = *static_cast<TxQueue*>(queue);
  return tx.descriptor_status(tx.real, offset);
}

}  // namespace

bool Mailbox::push(rte_mbuf* mbuf) {
  const std::lock_guard guard(lock_);
  const std::uint32_t size = size_.load(std::memory_order_relaxed);
  if (size == kCapacity) return false;
  ring_[(head_ + size) % kCapacity] = mbuf;
  size_.store(size + 1, std::memory_order_relaxed);
  return true;
}

std::uint16_t Mailbox::pop(rte_mbuf** mbufs, std::uint16_t max) {
  if (size_.load(std::memory_order_relaxed) == 0 || max == 0) return 0;
  const std::lock_guard guard(lock_);
  std::uint16_t count = 0;
  std::uint32_t size = size_.load(std::memory_order_relaxed);
  for (; count < max && size != 0; --size) {
    mbufs[count++] = ring_[head_];
    head_ = (head_ + 1) % kCapacity;
  }
  size_.store(size, std::memory_order_relaxed);
  return count;
}

std::uint16_t TxQueue::send(rte_mbuf** mbufs, std::uint16_t count) {
  const std::lock_guard guard(lock);
  return is_open ? burst(real, mbufs, count) : std::uint16_t{0};
}

void wrap_transmit(std::uint16_t port_id, std::uint16_t queue_count, Port& port) {
  struct rte_eth_fp_ops& ops = rte_eth_fp_ops[port_id];
  while (port.tx.size() < queue_count) port.tx.push_back(std::make_unique<TxQueue>());
  port.tx_data.resize(port.tx.size());
  for (std::size_t i = 0; i < queue_count; ++i) {
    TxQueue& tx = *port.tx[i];
    const std::lock_guard guard(tx.lock);
    tx.real = ops.txq.data[i];
    tx.burst = ops.tx_pkt_burst;
    tx.prepare = ops.tx_pkt_prepare;
    tx.descriptor_status = ops.tx_descriptor_status;
    tx.is_open = true;
    port.tx_data[i] = &tx;
  }
  if (queue_count == 0) return;
  ops.txq.data = port.tx_data.data();
  ops.tx_pkt_burst = send_wrapped;
  if (ops.tx_pkt_prepare != nullptr) ops.tx_pkt_prepare = prepare_wrapped;
  if (ops.tx_descriptor_status != nullptr) ops.tx_descriptor_status = descriptor_status_wrapped;
}

void close_transmit(Port& port) {
  for (const auto& tx : port.tx) {
    const std::lock_guard guard(tx->lock);
    tx->is_open = false;
  }
}

}  // namespace emulated_nic

// SPDX-License-Identifier: BSD-3-Clause
#include "support/ring_port.hpp"

#include <rte_bus_vdev.h>
#include <rte_eth_ring.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_ring.h>

#include <algorithm>
#include <cassert>
#include <cstring>

namespace hoist::test {
namespace {

rte_ring* make_ring(const std::string& name) {
  rte_ring* ring =
      rte_ring_create(name.c_str(), 1024, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
  assert(ring != nullptr);
  return ring;
}

void free_ring(rte_ring* ring) {
  void* packet = nullptr;
  while (rte_ring_dequeue(ring, &packet) == 0) rte_pktmbuf_free(static_cast<rte_mbuf*>(packet));
  rte_ring_free(ring);
}

/// The frame in one buffer, or in a chain of them as drivers make of long frames.
rte_mbuf* make_packet(const Bytes& frame, rte_mempool& pool) {
  rte_mbuf* packet = nullptr;
  std::size_t done = 0;
  do {
    rte_mbuf* segment = rte_pktmbuf_alloc(&pool);
    if (segment == nullptr) break;
    const std::size_t size =
        std::min<std::size_t>(frame.size() - done, rte_pktmbuf_tailroom(segment));
    char* room = rte_pktmbuf_append(segment, static_cast<std::uint16_t>(size));
    if (size != 0) std::memcpy(room, frame.data() + done, size);
    done += size;
    if (packet == nullptr) {
      packet = segment;
    } else if (rte_pktmbuf_chain(packet, segment) != 0) {
      rte_pktmbuf_free(segment);
      break;
    }
  } while (done < frame.size());
  if (done == frame.size()) return packet;
  rte_pktmbuf_free(packet);
  return nullptr;
}

}  // namespace

RingPort::RingPort(const std::string& name, rte_mempool& pool)
    : pool_(pool),
      device_name_("net_ring_" + name),
      to_switch_(make_ring(name + "_in")),
      from_switch_(make_ring(name + "_out")) {
  [[maybe_unused]] const int port =
      rte_eth_from_rings(name.c_str(), &to_switch_, 1, &from_switch_, 1, 0);
  assert(port >= 0);
}

RingPort::~RingPort() {
  rte_vdev_uninit(device_name_.c_str());
  free_ring(to_switch_);
  free_ring(from_switch_);
}

bool RingPort::inject(const Bytes& frame) {
  rte_mbuf* packet = make_packet(frame, pool_);
  if (packet == nullptr) return false;
  if (rte_ring_enqueue(to_switch_, packet) == 0) return true;
  rte_pktmbuf_free(packet);
  return false;
}

std::vector<Bytes> RingPort::drain() {
  std::vector<Bytes> frames;
  void* item = nullptr;
  while (rte_ring_dequeue(from_switch_, &item) == 0) {
    auto* packet = static_cast<rte_mbuf*>(item);
    Bytes frame(packet->pkt_len);
    const void* bytes = rte_pktmbuf_read(packet, 0, packet->pkt_len, frame.data());
    if (bytes != frame.data() && !frame.empty()) std::memcpy(frame.data(), bytes, frame.size());
    frames.push_back(std::move(frame));
    rte_pktmbuf_free(packet);
  }
  return frames;
}

FramePool::FramePool(const std::string& name, unsigned count)
    : pool_(rte_pktmbuf_pool_create(name.c_str(), count, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE,
                                    SOCKET_ID_ANY)) {
  assert(pool_ != nullptr);
}

FramePool::~FramePool() { rte_mempool_free(pool_); }

unsigned FramePool::in_use() const { return rte_mempool_in_use_count(pool_); }

}  // namespace hoist::test

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_mbuf.h>

#include "worker/worker.hpp"

namespace hoist::software {

/// A packet that may be written to: this one, or, since what we receive may be shared with whoever
/// sent it, a copy in its place. Consumes the packet. Null: no buffer; to be counted.
[[nodiscard]] inline rte_mbuf* own_packet(Worker& worker, rte_mbuf* packet) noexcept {
  if (RTE_MBUF_DIRECT(packet) && rte_mbuf_refcnt_read(packet) == 1) return packet;
  rte_mbuf* own = rte_pktmbuf_copy(packet, worker.shared->pool, 0, UINT32_MAX);
  rte_pktmbuf_free(packet);
  return own;
}

}  // namespace hoist::software

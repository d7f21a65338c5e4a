// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_mbuf.h>

#include <memory>
#include <string>

#include "hoist/error.hpp"

namespace hoist::software {

/// The packet buffers. Control thread makes and frees it; any thread takes from it.
class MbufPool {
 public:
  /// Fails with kDevice.
  static Result<MbufPool> create(const std::string& name, std::uint32_t count);
  [[nodiscard]] rte_mempool* get() const noexcept { return pool_.get(); }
  /// Longest frame that one buffer holds.
  [[nodiscard]] std::size_t max_frame() const noexcept {
    return rte_pktmbuf_data_room_size(pool_.get()) - std::size_t{RTE_PKTMBUF_HEADROOM};
  }

 private:
  struct Free {
    void operator()(rte_mempool* p) const noexcept { rte_mempool_free(p); }
  };
  explicit MbufPool(rte_mempool* pool) : pool_(pool) {}
  std::unique_ptr<rte_mempool, Free> pool_;
};

}  // namespace hoist::software

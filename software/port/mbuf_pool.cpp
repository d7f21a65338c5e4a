// SPDX-License-Identifier: BSD-3-Clause
#include "port/mbuf_pool.hpp"

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_mbuf_pool_ops.h>

namespace hoist::software {

Result<MbufPool> MbufPool::create(const std::string& name, std::uint32_t count) {
  constexpr unsigned kCache = 256;
  // As rte_pktmbuf_pool_create() does it, but for one flag: without huge pages no NIC reads the
  // buffers by physical address, and to keep each within one page of 4 KiB would take that for
  // each.
  const unsigned flags = rte_eal_has_hugepages() != 0 ? 0 : RTE_MEMPOOL_F_NO_IOVA_CONTIG;
  rte_mempool* pool =
      rte_mempool_create_empty(name.c_str(), count, sizeof(rte_mbuf) + RTE_MBUF_DEFAULT_BUF_SIZE,
                               kCache, sizeof(rte_pktmbuf_pool_private), SOCKET_ID_ANY, flags);
  const auto fail = [&](int error) {
    rte_mempool_free(pool);
    return failure(Errc::kDevice, std::string("packet buffers: ") + rte_strerror(error));
  };
  if (pool == nullptr) return fail(rte_errno);
  if (const int e = rte_mempool_set_ops_byname(pool, rte_mbuf_best_mempool_ops(), nullptr);
      e != 0) {
    return fail(-e);
  }
  rte_pktmbuf_pool_init(pool, nullptr);  // takes the size of an element for header and data room
  if (const int e = rte_mempool_populate_default(pool); e < 0) return fail(-e);
  rte_mempool_obj_iter(pool, rte_pktmbuf_init, nullptr);
  return MbufPool(pool);
}

}  // namespace hoist::software

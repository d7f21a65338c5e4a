// SPDX-License-Identifier: BSD-3-Clause
#include "rcu/reclaimer.hpp"

#include <cstdlib>
#include <new>

namespace hoist::software {

void Reclaimer::FreeQsbr::operator()(rte_rcu_qsbr* q) const noexcept { std::free(q); }

Reclaimer::Reclaimer(unsigned max_readers) {
  const std::size_t size = rte_rcu_qsbr_get_memsize(max_readers);
  const std::size_t rounded = (size + RTE_CACHE_LINE_SIZE - 1) & ~std::size_t{RTE_CACHE_LINE_SIZE - 1};
  auto* qsbr = static_cast<rte_rcu_qsbr*>(std::aligned_alloc(RTE_CACHE_LINE_SIZE, rounded));
  if (qsbr == nullptr) throw std::bad_alloc();
  rte_rcu_qsbr_init(qsbr, max_readers);
  qsbr_.reset(qsbr);
}

Reclaimer::~Reclaimer() {
  for (const Retired& r : retired_) r.free(r.object);
}

void Reclaimer::retire(void* object, void (*free)(void*)) {
  retired_.push_back({object, free, token()});
}

void Reclaimer::poll() {
  while (!retired_.empty() && passed(retired_.front().token)) {
    const Retired r = retired_.front();
    retired_.pop_front();
    r.free(r.object);
  }
}

}  // namespace hoist::software

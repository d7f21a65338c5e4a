// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_ring.h>

#include <cstdlib>
#include <deque>
#include <memory>

#include "install/request.hpp"

namespace hoist::offload {

/// A bounded ring of owned objects from one thread to one other. Full is an answer, never a wait.
template <class T>
class OwningRing {
 public:
  /// `size`: a power of two; one less fits.
  explicit OwningRing(unsigned size)
      : memory_(static_cast<rte_ring*>(std::aligned_alloc(
            RTE_CACHE_LINE_SIZE, static_cast<std::size_t>(rte_ring_get_memsize(size))))) {
    rte_ring_init(memory_.get(), "offload", size, RING_F_SP_ENQ | RING_F_SC_DEQ);
  }
  ~OwningRing() {
    while (pop() != nullptr) {
    }
  }
  OwningRing(const OwningRing&) = delete;
  OwningRing& operator=(const OwningRing&) = delete;

  /// Takes the object, or leaves it where it is if the ring is full.
  bool push(std::unique_ptr<T>& object) {
    if (rte_ring_sp_enqueue(memory_.get(), object.get()) != 0) return false;
    static_cast<void>(object.release());
    return true;
  }
  std::unique_ptr<T> pop() {
    void* object = nullptr;
    if (rte_ring_sc_dequeue(memory_.get(), &object) != 0) return nullptr;
    return std::unique_ptr<T>(static_cast<T*>(object));
  }

 private:
  struct Free {
    void operator()(rte_ring* ring) const { std::free(ring); }
  };
  std::unique_ptr<rte_ring, Free> memory_;
};

}  // namespace hoist::offload

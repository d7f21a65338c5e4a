// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_rcu_qsbr.h>

#include <cstdint>
#include <deque>
#include <memory>

namespace hoist::software {

/// Frees what workers may still be reading, once they no longer can. Control thread only; the workers
/// report quiescent on qsbr() once a loop turn, and go offline before they sleep.
class Reclaimer {
 public:
  explicit Reclaimer(unsigned max_readers);
  ~Reclaimer();
  Reclaimer(const Reclaimer&) = delete;
  Reclaimer& operator=(const Reclaimer&) = delete;

  [[nodiscard]] rte_rcu_qsbr* qsbr() const noexcept { return qsbr_.get(); }

  /// Calls free(object) from a later poll(), after every reader has been quiescent once.
  void retire(void* object, void (*free)(void*));

  template <class T>
  void retire(std::unique_ptr<T> object) {
    retire(object.release(), [](void* p) { delete static_cast<T*>(p); });
  }

  /// A token for "now"; passed() says whether all readers have been quiescent since.
  [[nodiscard]] std::uint64_t token() noexcept { return rte_rcu_qsbr_start(qsbr_.get()); }
  [[nodiscard]] bool passed(std::uint64_t token) const noexcept {
    return rte_rcu_qsbr_check(qsbr_.get(), token, false) == 1;
  }

  /// Frees what may be freed. Never waits.
  void poll();

 private:
  struct Retired {
    void* object;
    void (*free)(void*);
    std::uint64_t token;
  };
  struct FreeQsbr {
    void operator()(rte_rcu_qsbr* q) const noexcept;
  };
  std::unique_ptr<rte_rcu_qsbr, FreeQsbr> qsbr_;
  std::deque<Retired> retired_;
};

}  // namespace hoist::software

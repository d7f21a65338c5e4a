// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <absl/container/flat_hash_set.h>

#include <cstdint>

#include "pipeline/program.hpp"
#include "rcu/reclaimer.hpp"

namespace hoist::software {

/// All programs in use: equal ones are one. Control thread.
class ProgramStore {
 public:
  explicit ProgramStore(Reclaimer& reclaimer) : reclaimer_(reclaimer) {}
  ~ProgramStore();
  ProgramStore(const ProgramStore&) = delete;
  ProgramStore& operator=(const ProgramStore&) = delete;

  /// A program equal to this one, used once more.
  const Program* acquire(ProgramPtr program);
  /// Used once less; the last time, it is freed when no worker can read it. To be called after the
  /// version that no longer uses it has been published.
  void release(const Program* program);

 private:
  struct Hash {
    std::size_t operator()(const Program* p) const noexcept;
  };
  struct Equal {
    bool operator()(const Program* a, const Program* b) const noexcept;
  };
  Reclaimer& reclaimer_;
  std::uint64_t last_serial_ = 0;
  absl::flat_hash_set<Program*, Hash, Equal> programs_;
};

}  // namespace hoist::software

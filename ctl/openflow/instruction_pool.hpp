// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <absl/container/flat_hash_set.h>

#include <cstddef>
#include <memory>

#include "hoist/instructions.hpp"

namespace hoist::openflow {

/// Lets rules with equal instructions share one object. Control thread.
class InstructionPool {
 public:
  std::shared_ptr<const Instructions> intern(Instructions&& instructions);
  [[nodiscard]] std::size_t size() const noexcept { return set_.size(); }

 private:
  using Pointer = std::shared_ptr<const Instructions>;
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const Instructions& i) const noexcept;
    std::size_t operator()(const Pointer& p) const noexcept { return (*this)(*p); }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const Pointer& a, const Pointer& b) const noexcept { return *a == *b; }
    bool operator()(const Instructions& a, const Pointer& b) const noexcept { return a == *b; }
    bool operator()(const Pointer& a, const Instructions& b) const noexcept { return *a == b; }
  };
  struct HashOfList {
    std::size_t operator()(const ActionList& actions) const noexcept;
  };
  void share(ActionList& actions);
  void sweep();

  absl::flat_hash_set<Pointer, Hash, Equal> set_;
  absl::flat_hash_set<ActionList, HashOfList> lists_;  ///< Of those in `set_`, each once.
  Pointer last_;  ///< Rules come in runs with the same instructions.
  std::size_t sweep_at_ = 1024;
};

}  // namespace hoist::openflow

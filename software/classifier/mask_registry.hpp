// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "classifier/flow_mask.hpp"
#include "rcu/reclaimer.hpp"

namespace hoist::software {

/// The masks of a table's entries, each kept once. Control thread; readers follow entries to masks.
class MaskRegistry {
 public:
  /// The mask of `match`, for one more entry.
  const FlowMask& acquire(const MiniMatch& match);
  /// One entry less; the last one's mask goes through the reclaimer.
  void release(const FlowMask& mask, Reclaimer& reclaimer);

  [[nodiscard]] std::size_t size() const noexcept { return masks_.size(); }

 private:
  struct Item {
    std::unique_ptr<FlowMask> mask;
    std::size_t uses;
  };
  std::unordered_multimap<std::uint64_t, Item> masks_;  ///< By FlowMask::hash().
};

}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "classifier/branch.hpp"

namespace hoist::software {

/// An inner node of the hash tree: branches of different masks, each a hash table of buckets. Which
/// masks they are is fixed when the fork is made; the last rank is the empty mask, which fits every
/// entry. So the way of a match through the tree is a function of the match and the tree's shape.
///
/// Branches lie more or less in descending order of their highest priority; `Branch::bound` tells a
/// search when it may stop. One block of memory: branches, then their masks. Searches read the
/// branches alone.
class alignas(64) Fork {
 public:
  /// A fork of no entries with a branch for each mask and one for the empty mask.
  /// `hash`: of its bucket in the branch above.
  static Fork* create(std::span<const FlowMask> masks, std::uint64_t hash);
  /// The same entries with branches in order again. The old fork must only be freed, by
  /// free_block().
  static Fork* create_sorted(const Fork& fork);
  /// Frees the block alone.
  static void free_block(void* fork) noexcept;

  /// Worker: the first branch; others follow until is_last.
  [[nodiscard]] const Branch* first() const noexcept {
    return reinterpret_cast<const Branch*>(this + 1);
  }

  // The rest: control thread.
  [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }
  [[nodiscard]] std::span<Branch> branches() noexcept {
    return {reinterpret_cast<Branch*>(this + 1), branch_count_};
  }
  [[nodiscard]] std::span<const Branch> branches() const noexcept {
    return {first(), branch_count_};
  }
  /// The branch that entries of that mask belong to.
  [[nodiscard]] Branch& branch_for(const FlowMask& mask) noexcept;
  /// Notes an entry of that priority in a branch. Cost: its place.
  void raise(Branch& branch, std::uint16_t priority) noexcept;
  /// Says whether sorting would make searches stop earlier.
  [[nodiscard]] bool is_unsorted() const noexcept { return late_raises_ >= kLateRaises; }

  std::size_t chains = 0;        ///< Below it.
  std::size_t chains_built = 0;  ///< When its masks were chosen.

 private:
  /// Raises out of order before it is worth a new block.
  static constexpr std::uint32_t kLateRaises = 8;

  Fork(std::size_t branch_count, std::uint64_t hash) noexcept
      : hash_(hash), branch_count_(static_cast<std::uint32_t>(branch_count)) {}
  [[nodiscard]] static Fork* allocate(std::size_t branch_count, std::uint64_t hash);
  [[nodiscard]] FlowMask* masks() noexcept {
    return reinterpret_cast<FlowMask*>(branches().data() + branch_count_);
  }

  const std::uint64_t hash_;
  const std::uint32_t branch_count_;
  std::uint32_t late_raises_ = 0;
};

}  // namespace hoist::software

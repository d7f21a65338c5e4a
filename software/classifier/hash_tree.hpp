// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "classifier/fork.hpp"
#include "classifier/leaf.hpp"
#include "classifier/ref.hpp"
#include "classifier/stored_entry.hpp"
#include "rcu/reclaimer.hpp"

namespace hoist::software {

/// What a search did, for whoever judges a tree's shape.
struct SearchCost {
  std::size_t probes = 0;       ///< Branches looked into.
  std::size_t comparisons = 0;  ///< Chains compared with the key.
};

/// Finds the chain of highest priority that matches a key: a decision tree whose forks are a few
/// hash tables. A leaf that grows past kLeafSize becomes a fork; a fork that has doubled since its
/// masks were chosen is built anew, if it is small. Does not own entries. One writer, any number of
/// readers.
///
/// 1. Every change is one store to a slot, of something complete; what it replaces stays as it is
///    for readers that hold it, and goes through the reclaimer. So a chain that is in the tree
///    before and after a change is found at all times.
class HashTree {
 public:
  /// Chains that a leaf holds before it is split.
  static constexpr std::size_t kLeafSize = 32;
  /// A fork of more chains is not built anew within one change.
  static constexpr std::size_t kRebuildLimit = 512;
  /// Branches of a fork, without that of the empty mask.
  static constexpr std::size_t kMaxMasks = 24;

  explicit HashTree(Reclaimer& reclaimer) : reclaimer_(reclaimer) {}
  /// A tree of no chains whose first fork has masks that suit `expected` chains like those of the
  /// sample (at most kSplitSample).
  HashTree(Reclaimer& reclaimer, std::span<StoredEntry* const> sample, std::size_t expected);
  ~HashTree();
  HashTree(const HashTree&) = delete;
  HashTree& operator=(const HashTree&) = delete;

  /// Control thread: the chain with the match of `entry`, or null.
  [[nodiscard]] StoredEntry* find(const StoredEntry& entry) noexcept;
  /// Control thread: adds a chain, or puts it in the place of that with its match.
  void place(StoredEntry* chain);
  /// Control thread: removes the chain with that match; it must be there.
  void erase(const StoredEntry& chain);

  /// Worker.
  [[nodiscard]] const StoredEntry* search(const FlowKey& key,
                                          Classifier::Version version) const noexcept;
  /// Worker. For up to 64 keys.
  void search(std::span<const FlowKey* const> keys, Classifier::Version version,
              const Entry** out) const noexcept;
  /// Control thread: what finding the entry's values in the newest version takes.
  [[nodiscard]] SearchCost cost(const StoredEntry& entry) const noexcept;

 private:
  /// Beyond this depth a leaf grows without limit.
  static constexpr unsigned kMaxDepth = 16;

  // `hash` is that of the slot in the branch that it belongs to, 0 for the root. Each returns
  // whether there is one chain more.
  bool place_at(Slot& slot, std::uint64_t hash, StoredEntry* chain, unsigned depth);
  bool place_in_leaf(Slot& slot, std::uint64_t hash, StoredEntry* chain, unsigned depth);
  bool place_in_fork(Slot& slot, StoredEntry* chain, unsigned depth);
  /// The branch that a slot belongs to, null for the root, and the hash of its bucket.
  struct Home {
    Branch* branch = nullptr;
    std::uint64_t hash = 0;
  };
  void erase_at(Slot& slot, const StoredEntry& chain, Home home, unsigned depth);
  void erase_in_leaf(Slot& slot, const StoredEntry& chain, Home home);
  void erase_in_fork(Slot& slot, const StoredEntry& chain, Home home, unsigned depth);
  void clear(Slot& slot, Home home);

  /// The best structure for these chains, as a bucket of that hash.
  [[nodiscard]] Ref build(std::span<StoredEntry* const> chains, std::uint64_t hash, unsigned depth);
  [[nodiscard]] Fork* build_fork(std::span<StoredEntry* const> chains,
                                 std::span<const FlowMask> masks, std::uint64_t hash,
                                 unsigned depth);
  /// Puts `ref` in the place of a leaf or fork, which readers may hold for a while.
  void replace(Slot& slot, Ref ref);

  Reclaimer& reclaimer_;
  Slot root_;
};

}  // namespace hoist::software

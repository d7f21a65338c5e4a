// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "classifier/flow_mask.hpp"
#include "classifier/node.hpp"
#include "classifier/priority_counts.hpp"

namespace hoist::software {

/// The entries of one mask: a hash table with open addressing whose slots are 8 bytes (16 bits of
/// the hash and a pointer), so that a miss costs one cache line. Equal matches hang on one slot, in
/// descending order of priority. One writer, any number of readers.
class Subtable {
 public:
  Subtable(FlowMask mask, Reclaimer& reclaimer);
  ~Subtable();
  Subtable(const Subtable&) = delete;
  Subtable& operator=(const Subtable&) = delete;

  [[nodiscard]] const FlowMask& mask() const noexcept { return mask_; }

  /// Control thread. Readers may see the node at once. Returns whether the highest priority
  /// changed.
  bool link(Node* node);
  /// Control thread. Readers may hold the node until they have been quiescent. Returns likewise.
  bool unlink(Node* node);
  [[nodiscard]] bool is_empty() const noexcept { return priorities_.empty(); }
  [[nodiscard]] std::uint16_t max_priority() const noexcept { return priorities_.max(); }

  /// Worker. The visible entry of highest priority.
  [[nodiscard]] const Node* find(const FlowKey& key, Classifier::Version version) const noexcept;

 private:
  /// Bits 48-63 of the hash, over a pointer to the first Node of a match.
  using Slot = std::atomic<std::uint64_t>;
  static constexpr std::uint64_t kEmpty = 0;
  static constexpr std::uint64_t kTombstone = 1;
  struct Slots;

  [[nodiscard]] std::uint64_t hash(const FlowKey& key) const noexcept;
  [[nodiscard]] std::uint64_t hash(const Node& node) const noexcept;
  [[nodiscard]] Slot* find_slot(const Node& node) const noexcept;
  void chain(Slot& slot, Node* node);
  void put(Slots& slots, std::uint64_t word, std::uint64_t hash);
  void resize();

  const FlowMask mask_;
  std::atomic<Slots*> slots_;
  Reclaimer& reclaimer_;
  PriorityCounts priorities_;
  std::size_t matches_ = 0;  ///< Slots that hold entries.
  std::size_t used_ = 0;     ///< Slots that are not empty.
};

}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "classifier/flow_mask.hpp"
#include "classifier/ref.hpp"
#include "classifier/stored_entry.hpp"
#include "rcu/reclaimer.hpp"

namespace hoist::software {

/// A power of two of slots, of which at least one is always empty, behind their number.
class SlotArray {
 public:
  static SlotArray* create(std::size_t count);
  static void destroy(void* array) noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return last_ + 1; }
  /// Counts modulo size().
  [[nodiscard]] Slot& at(std::uint64_t i) noexcept {
    return reinterpret_cast<Slot*>(this + 1)[i & last_];
  }

 private:
  explicit SlotArray(std::size_t last) noexcept : last_(last) {}
  std::uint64_t last_;
};

/// A hash table of a Fork: buckets of entries that agree on the bits of one mask, which is part of
/// the mask of each of them. The bits themselves are not kept: a bucket is told by 16 bits of its
/// hash, and whoever finds one compares its entries whole.
///
/// Readers use mask, slots and bound; the rest is the control thread's.
struct Branch {
  std::uint64_t map = 0;                ///< FlowMask::map().
  const std::uint64_t* mask = nullptr;  ///< FlowMask::words(); they lie in the Fork.
  std::atomic<SlotArray*> slots{nullptr};
  std::atomic<std::uint16_t> bound{
      0};                          ///< No entry in this or a later branch has a higher priority.
  std::uint16_t max_priority = 0;  ///< Of what was ever put in.
  std::uint16_t rank = 0;          ///< An entry belongs to the fitting branch of lowest rank.
  std::uint32_t buckets = 0;       ///< Slots that are occupied.
  std::uint32_t used = 0;          ///< Slots that are not empty: buckets and tombstones.

  [[nodiscard]] static std::uint16_t tag(std::uint64_t hash) noexcept {
    return static_cast<std::uint16_t>(hash >> 48);
  }
  [[nodiscard]] std::uint64_t hash(const FlowKey& key) const noexcept {
    const std::uint64_t* bits = mask;
    std::uint64_t h = 0;
    for (std::uint64_t m = map; m != 0; m &= m - 1) {
      h = mix(h, words(key)[std::countr_zero(m)] & *bits++);
    }
    return h;
  }
  [[nodiscard]] std::uint64_t hash(const StoredEntry& entry) const noexcept;
  /// Says whether every entry of that mask can be in this branch.
  [[nodiscard]] bool fits(const FlowMask& of_entry) const noexcept;

  /// The slot of the bucket with that hash, or null.
  [[nodiscard]] Slot* find(std::uint64_t hash) const noexcept;
  /// A slot for a new bucket. The caller stores into it at once.
  [[nodiscard]] Slot* add(std::uint64_t hash, Reclaimer& reclaimer);
  void erase(Slot* slot, Reclaimer& reclaimer);

 private:
  void resize(std::size_t buckets_wanted, Reclaimer& reclaimer);
  [[nodiscard]] std::uint64_t hash_of(Ref ref) const noexcept;
};

}  // namespace hoist::software

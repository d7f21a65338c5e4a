// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "classifier/buckets.hpp"
#include "classifier/flow_mask.hpp"
#include "classifier/stored_entry.hpp"
#include "rcu/reclaimer.hpp"

namespace hoist::software {

/// A hash table of a Fork: buckets of entries that agree on the bits of one mask, which is part of
/// the mask of each of them. The bits themselves are not kept: a bucket is told by 24 bits of its
/// hash, and whoever finds one compares its entries whole.
///
/// One cache line, which is all that a search reads of it beside one line of buckets: up to three
/// words of the mask stand here, unused ones being 0, and are hashed without a branch.
struct alignas(64) Branch {
  std::array<std::uint64_t, FlowMask::kInline> bits{};
  std::atomic<std::uint64_t> lines{0};                  ///< BucketLines::word().
  std::array<std::uint8_t, FlowMask::kInline> index{};  ///< The word of the key for each of `bits`.
  bool is_last = false;                                 ///< Of its fork.
  std::atomic<std::uint16_t> bound{
      0};                          ///< No entry in this or a later branch has a higher priority.
  std::uint16_t max_priority = 0;  ///< Of what was ever put in. From here on: control thread.
  const FlowMask* mask = nullptr;  ///< Lies in the fork's block.
  std::uint32_t buckets = 0;
  std::uint32_t overflows = 0;  ///< Lines that are marked so.
  std::uint16_t rank = 0;       ///< An entry belongs to the fitting branch of lowest rank.

  void set_mask(const FlowMask& flow_mask) noexcept;

  [[nodiscard]] static std::uint16_t tag(std::uint64_t hash) noexcept {
    return static_cast<std::uint16_t>(hash >> 48);
  }
  [[nodiscard]] std::uint64_t hash(const FlowKey& key) const noexcept {
    const KeyWord* k = words(key);
    std::uint64_t h = mix(0, k[index[0]] & bits[0]);
    h = mix(h, k[index[1]] & bits[1]);
    h = mix(h, k[index[2]] & bits[2]);
    return is_long_ ? hash_rest(h, key) : h;
  }
  [[nodiscard]] std::uint64_t hash(const StoredEntry& entry) const noexcept;
  /// Says whether every entry of that mask can be in this branch.
  [[nodiscard]] bool fits(const FlowMask& of_entry) const noexcept;

  /// Any. Acquire: pairs with resize(), so that the lines are complete.
  [[nodiscard]] BucketLines load_lines() const noexcept {
    return BucketLines::from_word(lines.load(std::memory_order_acquire));
  }

  /// The slot of the bucket with that hash, or null.
  [[nodiscard]] Slot* find(std::uint64_t hash) const noexcept;
  /// Adds a bucket.
  void add(std::uint64_t hash, Ref ref, Reclaimer& reclaimer);
  void erase(Slot* slot, std::uint64_t hash, Reclaimer& reclaimer);

 private:
  [[nodiscard]] std::uint64_t hash_rest(std::uint64_t h, const FlowKey& key) const noexcept;
  [[nodiscard]] std::uint64_t hash_of(Ref ref) const noexcept;
  void put(BucketLines to, std::uint64_t hash, Ref ref) noexcept;
  void resize(std::size_t buckets_wanted, Reclaimer& reclaimer);

  bool is_long_ = false;  ///< The mask has more than kInline words.
};
static_assert(sizeof(Branch) == 64);

}  // namespace hoist::software

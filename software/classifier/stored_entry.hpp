// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <limits>

#include "classifier/classifier.hpp"
#include "classifier/flow_mask.hpp"
#include "hoist/match.hpp"

namespace hoist::software {

/// An Entry with what the classifier needs to know of it; the masked words of its match lie behind
/// it. Written by the control thread. What readers use and may change meanwhile is atomic.
///
/// Entries of equal match form a chain in descending order of priority. Whatever structure finds
/// entries points to the first of a chain only.
struct StoredEntry : Entry {
  static constexpr Classifier::Version kForever = std::numeric_limits<Classifier::Version>::max();

  Classifier::Version from;             ///< First version that sees it.
  std::atomic<Classifier::Version> to;  ///< First version that no longer sees it.
  std::atomic<StoredEntry*> next;       ///< Of equal match, of the same or a lower priority.
  const FlowMask* mask;                 ///< Shared by all entries of that mask.
  std::uint32_t index;                  ///< Its place in the classifier's list of all entries.

  static StoredEntry* create(const Entry& entry, Classifier::Version from, const MiniMatch& match,
                             const FlowMask& mask);
  static void destroy(StoredEntry* entry) noexcept;

  /// The values of the match, one for each word of the mask, and 0 up to FlowMask::kInline.
  [[nodiscard]] const std::uint64_t* values() const noexcept {
    return reinterpret_cast<const std::uint64_t*>(this + 1);
  }
  /// The value of word i of the key; the mask must have bits there.
  [[nodiscard]] std::uint64_t value(unsigned i) const noexcept {
    const std::uint64_t below = (std::uint64_t{1} << i) - 1;
    return values()[std::popcount(mask->map() & below)];
  }
  [[nodiscard]] bool is_visible(Classifier::Version version) const noexcept {
    // Relaxed: whoever reads at `version` has acquired what was written before it was published.
    return from <= version && version < to.load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool matches(const FlowKey& key) const noexcept {
    const KeyWord* k = words(key);
    const std::uint64_t* bits = mask->inline_words();
    const auto& at = mask->inline_index();
    std::uint64_t difference = (k[at[0]] & bits[0]) ^ values()[0];
    difference |= (k[at[1]] & bits[1]) ^ values()[1];
    difference |= (k[at[2]] & bits[2]) ^ values()[2];
    return difference == 0 && (mask->words().size() <= FlowMask::kInline || rest_matches(key));
  }
  [[nodiscard]] bool rest_matches(const FlowKey& key) const noexcept;
  [[nodiscard]] bool has_match_of(const StoredEntry& other) const noexcept {
    return mask == other.mask &&
           std::equal(values(), values() + mask->words().size(), other.values());
  }
};
static_assert(sizeof(StoredEntry) == 48, "memory a rule is one of the product's figures");

/// Follows a chain to the first entry that `version` sees.
[[nodiscard]] inline const StoredEntry* first_visible(const StoredEntry* entry,
                                                      Classifier::Version version) noexcept {
  while (entry != nullptr && !entry->is_visible(version)) {
    // Acquire: pairs with the release of whoever linked the entry.
    entry = entry->next.load(std::memory_order_acquire);
  }
  return entry;
}

}  // namespace hoist::software

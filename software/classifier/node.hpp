// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "classifier/classifier.hpp"
#include "hoist/match.hpp"

namespace hoist::software {

class Subtable;

/// An Entry with what the classifier needs to know of it; the masked words of its match lie behind
/// it. Written by the control thread. What readers use and may change meanwhile is atomic.
struct Node : Entry {
  static constexpr Classifier::Version kForever = std::numeric_limits<Classifier::Version>::max();

  Classifier::Version from;             ///< First version that sees it.
  std::atomic<Classifier::Version> to;  ///< First version that no longer sees it.
  std::atomic<Node*> next;              ///< Same match, same or lower priority.
  Subtable* home;

  static Node* create(const Entry& entry, Classifier::Version from, const MiniMatch& match,
                      Subtable* home);
  static void destroy(Node* node) noexcept;

  /// The values of the match, one for each word of the subtable's mask.
  [[nodiscard]] const std::uint64_t* values() const noexcept {
    return reinterpret_cast<const std::uint64_t*>(this + 1);
  }
  [[nodiscard]] bool is_visible(Classifier::Version version) const noexcept {
    // Relaxed: whoever reads at `version` has acquired what was written before it was published.
    return from <= version && version < to.load(std::memory_order_relaxed);
  }
};
static_assert(sizeof(Node) == 40, "memory a rule is one of the product's figures");

}  // namespace hoist::software

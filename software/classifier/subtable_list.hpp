// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "classifier/subtable.hpp"

namespace hoist::software {

/// The subtables of a table, more or less in descending order of their highest priority, each with
/// the highest priority that it or one behind it holds, so that a search knows when it may stop.
/// One writer, any number of readers. An element stays where it is; only another list has another
/// order.
class SubtableList {
 public:
  struct Item {
    std::atomic<const Subtable*> subtable;
    std::atomic<std::uint16_t> bound;  ///< No entry from here on has a higher priority.
  };

  /// Takes the subtables, sorted, with room for as many again.
  explicit SubtableList(std::vector<const Subtable*> subtables);

  /// Any. Grows only at its end.
  [[nodiscard]] std::span<const Item> items() const noexcept {
    // Acquire: pairs with the release in append(), so that the items are complete.
    return {items_.get(), count_.load(std::memory_order_acquire)};
  }
  /// Control thread.
  [[nodiscard]] bool is_full() const noexcept {
    return count_.load(std::memory_order_relaxed) == capacity_;
  }
  /// Control thread. The list must not be full.
  void append(const Subtable* subtable);
  /// Control thread: the subtable's highest priority has risen. Cost: its place in the list.
  void raise(const Subtable* subtable, std::uint16_t priority);

 private:
  const std::size_t capacity_;
  const std::unique_ptr<Item[]> items_;
  std::atomic<std::size_t> count_;
};

}  // namespace hoist::software

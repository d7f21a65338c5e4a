// SPDX-License-Identifier: BSD-3-Clause
#include "classifier/subtable_list.hpp"

#include <algorithm>
#include <vector>

namespace hoist::software {
namespace {

std::uint16_t highest(const Subtable* s) noexcept {
  return s->is_empty() ? std::uint16_t{0} : s->max_priority();
}

}  // namespace

SubtableList::SubtableList(std::vector<const Subtable*> subtables)
    : capacity_(subtables.size() * 2 + 8), items_(new Item[capacity_]), count_(subtables.size()) {
  std::ranges::stable_sort(subtables, std::greater<>{}, highest);
  for (std::size_t i = 0; i < subtables.size(); ++i) {
    items_[i].subtable.store(subtables[i], std::memory_order_relaxed);
    items_[i].bound.store(highest(subtables[i]), std::memory_order_relaxed);
  }
}

void SubtableList::append(const Subtable* subtable) {
  const std::size_t count = count_.load(std::memory_order_relaxed);
  items_[count].subtable.store(subtable, std::memory_order_relaxed);
  items_[count].bound.store(0, std::memory_order_relaxed);
  count_.store(count + 1, std::memory_order_release);
  raise(subtable, highest(subtable));
}

void SubtableList::raise(const Subtable* subtable, std::uint16_t priority) {
  for (Item* item = items_.get();; ++item) {
    // Relaxed: readers that see such an entry have acquired its version, published after this.
    if (item->bound.load(std::memory_order_relaxed) < priority) {
      item->bound.store(priority, std::memory_order_relaxed);
    }
    if (item->subtable.load(std::memory_order_relaxed) == subtable) return;
  }
}

}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "classifier/ref.hpp"
#include "classifier/stored_entry.hpp"

namespace hoist::software {

/// A few chains of entries, compared one by one. A slot's tag is the highest priority of its chain.
/// Sorted when made; what is put into free slots later is not. One writer, any number of readers.
class Leaf {
 public:
  /// Takes chains in any order, with room for at least one more if `capacity` says so.
  static Leaf* create(std::span<StoredEntry* const> chains, std::size_t capacity);
  static void destroy(Leaf* leaf) noexcept;

  [[nodiscard]] std::span<const Slot> slots() const noexcept {
    return {reinterpret_cast<const Slot*>(this + 1), capacity_};
  }

  // The rest: control thread.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool is_full() const noexcept { return size_ == capacity_; }
  /// The slot whose chain has this match, or null.
  [[nodiscard]] Slot* find(const StoredEntry& entry) noexcept;
  /// Any chain of it; it must not be empty.
  [[nodiscard]] StoredEntry* any() const noexcept;
  void add(StoredEntry* chain) noexcept;
  void erase(Slot* slot) noexcept;

 private:
  explicit Leaf(std::size_t capacity) noexcept : capacity_(static_cast<std::uint32_t>(capacity)) {}
  [[nodiscard]] std::span<Slot> mutable_slots() noexcept {
    return {reinterpret_cast<Slot*>(this + 1), capacity_};
  }

  const std::uint32_t capacity_;
  std::uint32_t size_ = 0;
};
static_assert(sizeof(Leaf) == 8);

}  // namespace hoist::software

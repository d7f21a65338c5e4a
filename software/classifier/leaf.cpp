// SPDX-License-Identifier: BSD-3-Clause
#include "classifier/leaf.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <functional>
#include <new>
#include <vector>

namespace hoist::software {

namespace {

/// The word in which the chains ask for most, of those in which they do not all ask for the same.
unsigned choose_word(std::span<StoredEntry* const> chains) {
  std::uint64_t map = 0;
  for (const StoredEntry* c : chains) map |= c->mask->map();
  unsigned best = 0;
  int best_bits = -1;
  for (; map != 0; map &= map - 1) {
    const auto word = static_cast<unsigned>(std::countr_zero(map));
    int bits = 0;
    bool is_same = true;
    for (const StoredEntry* c : chains) {
      bits += std::popcount(c->mask->word(word));
      is_same &= c->mask->word(word) == chains[0]->mask->word(word) &&
                 (c->mask->word(word) == 0 || c->value(word) == chains[0]->value(word));
    }
    if (is_same || bits <= best_bits) continue;
    best = word;
    best_bits = bits;
  }
  return best;
}

}  // namespace

Leaf* Leaf::create(std::span<StoredEntry* const> chains, std::size_t capacity) {
  assert(chains.size() <= capacity);
  const std::size_t count = (capacity + LeafChunk::kLanes - 1) / LeafChunk::kLanes;
  void* memory =
      ::operator new (sizeof(Leaf) + count * sizeof(LeafChunk), std::align_val_t{alignof(Leaf)});
  Leaf* leaf = new (memory) Leaf(count, choose_word(chains));
  for (LeafChunk& chunk : leaf->mutable_chunks()) {
    new (&chunk) LeafChunk;
    for (std::size_t i = 0; i < LeafChunk::kLanes; ++i) chunk.set_free(i);
  }
  std::vector<StoredEntry*> sorted(chains.begin(), chains.end());
  std::ranges::stable_sort(sorted, std::greater<>{}, &Entry::priority);
  for (StoredEntry* chain : sorted) leaf->add(chain);
  return leaf;
}

void Leaf::destroy(void* leaf) noexcept {
  ::operator delete (leaf, std::align_val_t{alignof(Leaf)});
}

Slot* Leaf::find(const StoredEntry& entry) noexcept {
  const std::uint64_t value = filter_value(entry);
  for (LeafChunk& chunk : mutable_chunks()) {
    for (auto lanes = chunk.passing_scalar(value); lanes != 0; lanes &= lanes - 1) {
      Slot& slot = chunk.slots[static_cast<std::size_t>(std::countr_zero(lanes))];
      if (slot.load().entry()->has_match_of(entry)) return &slot;
    }
  }
  return nullptr;
}

StoredEntry* Leaf::any() const noexcept {
  for (const LeafChunk& chunk : chunks()) {
    for (const Slot& slot : chunk.slots) {
      if (slot.load().is_occupied()) return slot.load().entry();
    }
  }
  return nullptr;
}

void Leaf::add(StoredEntry* chain) noexcept {
  for (LeafChunk& chunk : mutable_chunks()) {
    for (std::size_t i = 0; i < LeafChunk::kLanes; ++i) {
      if (chunk.slots[i].load().is_occupied()) continue;
      chunk.slots[i].store(Ref(chain, chain->priority));
      chunk.set_filter(i, filter_value(*chain), chain->mask->word(word_));
      ++size_;
      return;
    }
  }
  assert(false && "the leaf is full");
}

void Leaf::erase(Slot* slot) noexcept {
  for (LeafChunk& chunk : mutable_chunks()) {
    if (slot < chunk.slots.data() || slot >= chunk.slots.data() + LeafChunk::kLanes) continue;
    chunk.set_free(static_cast<std::size_t>(slot - chunk.slots.data()));
    slot->store(Ref());
    --size_;
  }
}

}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
#include "classifier/leaf.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <new>
#include <vector>

namespace hoist::software {

Leaf* Leaf::create(std::span<StoredEntry* const> chains, std::size_t capacity) {
  assert(chains.size() <= capacity);
  Leaf* leaf = new (::operator new(sizeof(Leaf) + capacity * sizeof(Slot))) Leaf(capacity);
  for (Slot& slot : leaf->mutable_slots()) new (&slot) Slot;
  std::vector<StoredEntry*> sorted(chains.begin(), chains.end());
  std::ranges::stable_sort(sorted, std::greater<>{}, &Entry::priority);
  for (StoredEntry* chain : sorted) leaf->add(chain);
  return leaf;
}

void Leaf::destroy(Leaf* leaf) noexcept { ::operator delete(leaf); }

Slot* Leaf::find(const StoredEntry& entry) noexcept {
  for (Slot& slot : mutable_slots()) {
    const Ref ref = slot.load();
    if (ref.is_occupied() && ref.entry()->has_match_of(entry)) return &slot;
  }
  return nullptr;
}

StoredEntry* Leaf::any() const noexcept {
  const auto it =
      std::ranges::find_if(slots(), [](const Slot& s) { return s.load().is_occupied(); });
  assert(it != slots().end());
  return it->load().entry();
}

void Leaf::add(StoredEntry* chain) noexcept {
  const auto it =
      std::ranges::find_if(mutable_slots(), [](const Slot& s) { return !s.load().is_occupied(); });
  it->store(Ref(chain, chain->priority));
  ++size_;
}

void Leaf::erase(Slot* slot) noexcept {
  slot->store(Ref());
  --size_;
}

}  // namespace hoist::software

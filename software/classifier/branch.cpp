// SPDX-License-Identifier: BSD-3-Clause
#include "classifier/branch.hpp"

#include <bit>
#include <new>

#include "classifier/fork.hpp"
#include "classifier/leaf.hpp"

namespace hoist::software {

SlotArray* SlotArray::create(std::size_t count) {
  void* memory = ::operator new(sizeof(SlotArray) + count * sizeof(Slot));
  auto* array = new (memory) SlotArray(count - 1);
  for (std::size_t i = 0; i < count; ++i) new (&array->at(i)) Slot;
  return array;
}

void SlotArray::destroy(void* array) noexcept { ::operator delete(array); }

std::uint64_t Branch::hash(const StoredEntry& entry) const noexcept {
  const std::uint64_t* bits = mask;
  std::uint64_t h = 0;
  for (std::uint64_t m = map; m != 0; m &= m - 1) {
    const std::uint64_t below = (m & -m) - 1;
    h = mix(h, entry.values()[std::popcount(entry.mask->map() & below)] & *bits++);
  }
  return h;
}

std::uint64_t Branch::hash_of(Ref ref) const noexcept {
  switch (ref.kind()) {
    case Ref::Kind::kEntry:
      return hash(*ref.entry());
    case Ref::Kind::kLeaf:
      return hash(*ref.leaf()->any());
    default:
      return ref.fork()->hash();
  }
}

bool Branch::fits(const FlowMask& of_entry) const noexcept {
  const std::uint64_t* bits = mask;
  for (std::uint64_t m = map; m != 0; m &= m - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(m));
    if ((*bits++ & ~of_entry.word(i)) != 0) return false;
  }
  return true;
}

Slot* Branch::find(std::uint64_t hash) const noexcept {
  SlotArray* array = slots.load(std::memory_order_relaxed);
  if (array == nullptr) return nullptr;
  for (std::uint64_t i = hash;; ++i) {
    const Ref ref = array->at(i).load();
    if (ref.is_empty()) return nullptr;
    const bool is_it = ref.is_occupied() && ref.tag() == tag(hash) && hash_of(ref) == hash;
    if (is_it) return &array->at(i);
  }
}

Slot* Branch::add(std::uint64_t hash, Reclaimer& reclaimer) {
  // At most three quarters full, so that probes stay short and find an empty slot.
  SlotArray* array = slots.load(std::memory_order_relaxed);
  if (array == nullptr || (used + 1) * 4 > array->size() * 3) {
    resize(buckets + 1, reclaimer);
    array = slots.load(std::memory_order_relaxed);
  }
  std::uint64_t i = hash;
  while (array->at(i).load().is_occupied()) ++i;
  if (array->at(i).load().is_empty()) ++used;
  ++buckets;
  return &array->at(i);
}

void Branch::erase(Slot* slot, Reclaimer& reclaimer) {
  slot->store(Ref::tombstone());
  --buckets;
  const std::size_t size = slots.load(std::memory_order_relaxed)->size();
  if (size > 16 && buckets * std::size_t{8} < size) resize(buckets, reclaimer);
}

void Branch::resize(std::size_t buckets_wanted, Reclaimer& reclaimer) {
  const std::size_t min = map == 0 ? 2 : 4;  // The empty mask has one bucket only.
  SlotArray* old = slots.load(std::memory_order_relaxed);
  SlotArray* grown = SlotArray::create(std::max(min, std::bit_ceil(buckets_wanted * 3 / 2 + 1)));
  used = buckets;
  for (std::size_t i = 0; old != nullptr && i < old->size(); ++i) {
    const Ref ref = old->at(i).load();
    if (!ref.is_occupied()) continue;
    std::uint64_t to = hash_of(ref);
    while (grown->at(to).load().is_occupied()) ++to;
    grown->at(to).store(ref);
  }
  // Release: pairs with the acquire of readers, so that the array is complete.
  slots.store(grown, std::memory_order_release);
  if (old != nullptr) reclaimer.retire(old, &SlotArray::destroy);
}

}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
#include "classifier/fork.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <functional>
#include <new>
#include <numeric>
#include <vector>

namespace hoist::software {

Fork* Fork::allocate(std::size_t branch_count, std::size_t word_count, std::uint64_t hash) {
  const std::size_t size =
      sizeof(Fork) + branch_count * sizeof(Branch) + word_count * sizeof(std::uint64_t);
  auto* fork = new (::operator new(size)) Fork(branch_count, hash);
  for (Branch& b : fork->branches()) new (&b) Branch;
  return fork;
}

void Fork::adopt_mask(std::size_t branch, std::uint64_t map, const std::uint64_t* mask,
                      std::size_t& word) noexcept {
  auto* words = reinterpret_cast<std::uint64_t*>(branches().data() + branch_count_) + word;
  const auto count = static_cast<std::size_t>(std::popcount(map));
  std::copy_n(mask, count, words);
  branches()[branch].map = map;
  branches()[branch].mask = words;
  word += count;
}

Fork* Fork::create(std::span<const FlowMask> masks, std::uint64_t hash) {
  std::size_t word_count = 0;
  for (const FlowMask& m : masks) word_count += m.words().size();
  Fork* fork = allocate(masks.size() + 1, word_count, hash);
  std::size_t word = 0;
  for (std::size_t i = 0; i <= masks.size(); ++i) {
    if (i < masks.size()) fork->adopt_mask(i, masks[i].map(), masks[i].words().data(), word);
    fork->branches()[i].rank = static_cast<std::uint16_t>(i);
  }
  return fork;
}

Fork* Fork::create_sorted(const Fork& old) {
  std::vector<const Branch*> sorted;
  std::size_t word_count = 0;
  for (const Branch& b : old.branches()) {
    sorted.push_back(&b);
    word_count += static_cast<std::size_t>(std::popcount(b.map));
  }
  std::ranges::stable_sort(sorted, std::greater<>{}, &Branch::max_priority);
  Fork* fork = allocate(sorted.size(), word_count, old.hash_);
  fork->chains = old.chains;
  fork->chains_built = old.chains_built;
  std::size_t word = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const Branch& from = *sorted[i];
    Branch& to = fork->branches()[i];
    fork->adopt_mask(i, from.map, from.mask, word);
    to.slots.store(from.slots.load(std::memory_order_relaxed), std::memory_order_relaxed);
    to.bound.store(from.max_priority, std::memory_order_relaxed);
    to.max_priority = from.max_priority;
    to.rank = from.rank;
    to.buckets = from.buckets;
    to.used = from.used;
  }
  return fork;
}

void Fork::free_block(void* fork) noexcept { ::operator delete(fork); }

Branch& Fork::branch_for(const FlowMask& mask) noexcept {
  Branch* best = nullptr;
  for (Branch& b : branches()) {
    if ((best == nullptr || b.rank < best->rank) && b.fits(mask)) best = &b;
  }
  assert(best != nullptr);
  return *best;
}

void Fork::raise(Branch& branch, std::uint16_t priority) noexcept {
  if (priority <= branch.max_priority) return;
  branch.max_priority = priority;
  for (Branch* b = branches().data(); b <= &branch; ++b) {
    // Relaxed: readers that see the entry have acquired its version, which is published after this.
    if (b->bound.load(std::memory_order_relaxed) >= priority) continue;
    b->bound.store(priority, std::memory_order_relaxed);
    if (b != &branch) ++late_raises_;
  }
}

}  // namespace hoist::software

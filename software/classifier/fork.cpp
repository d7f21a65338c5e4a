// SPDX-License-Identifier: BSD-3-Clause
#include "classifier/fork.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <new>
#include <vector>

namespace hoist::software {

Fork* Fork::allocate(std::size_t branch_count, std::uint64_t hash) {
  const std::size_t size = sizeof(Fork) + branch_count * (sizeof(Branch) + sizeof(FlowMask));
  auto* fork =
      new (::operator new (size, std::align_val_t{alignof(Fork)})) Fork(branch_count, hash);
  for (Branch& b : fork->branches()) new (&b) Branch;
  fork->branches().back().is_last = true;
  return fork;
}

Fork* Fork::create(std::span<const FlowMask> masks, std::uint64_t hash) {
  Fork* fork = allocate(masks.size() + 1, hash);
  for (std::size_t i = 0; i <= masks.size(); ++i) {
    const FlowMask* mask =
        new (fork->masks() + i) FlowMask(i < masks.size() ? masks[i] : FlowMask());
    fork->branches()[i].set_mask(*mask);
    fork->branches()[i].rank = static_cast<std::uint16_t>(i);
  }
  return fork;
}

Fork* Fork::create_sorted(const Fork& old) {
  std::vector<const Branch*> sorted;
  for (const Branch& b : old.branches()) sorted.push_back(&b);
  std::ranges::stable_sort(sorted, std::greater<>{}, &Branch::max_priority);
  Fork* fork = allocate(sorted.size(), old.hash_);
  fork->chains = old.chains;
  fork->chains_built = old.chains_built;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const Branch& from = *sorted[i];
    Branch& to = fork->branches()[i];
    to.set_mask(*new (fork->masks() + i) FlowMask(*from.mask));
    to.lines.store(from.lines.load(std::memory_order_relaxed), std::memory_order_relaxed);
    to.bound.store(from.max_priority, std::memory_order_relaxed);
    to.max_priority = from.max_priority;
    to.rank = from.rank;
    to.buckets = from.buckets;
    to.overflows = from.overflows;
  }
  return fork;
}

void Fork::free_block(void* fork) noexcept {
  ::operator delete (fork, std::align_val_t{alignof(Fork)});
}

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

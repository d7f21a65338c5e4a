// SPDX-License-Identifier: BSD-3-Clause
#include "classifier/hash_tree.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <vector>

#include "classifier/split.hpp"

namespace hoist::software {
namespace {

template <class Visit>
void for_each_bucket(BucketLines lines, Visit visit) {
  for (std::size_t i = 0; !lines.is_null() && i < lines.count(); ++i) {
    for (auto used = lines.at(i).occupied(); used.any(); used.drop_first()) {
      visit(lines.at(i).slot(used.first()).load());
    }
  }
}

/// Appends all chains below.
void gather(Ref ref, std::vector<StoredEntry*>& out) {
  if (!ref.is_occupied()) return;
  switch (ref.kind()) {
    case Ref::Kind::kEntry:
      out.push_back(ref.entry());
      return;
    case Ref::Kind::kLeaf:
      for (const LeafChunk& chunk : ref.leaf()->chunks()) {
        for (const Slot& slot : chunk.slots) gather(slot.load(), out);
      }
      return;
    default:
      for (Branch& b : ref.fork()->branches()) {
        for_each_bucket(b.load_lines(), [&out](Ref bucket) { gather(bucket, out); });
      }
  }
}

/// Frees leaves, forks and their tables, but no entries.
void free_structure(Ref ref) {
  if (!ref.is_occupied()) return;
  if (ref.kind() == Ref::Kind::kLeaf) Leaf::destroy(ref.leaf());
  if (ref.kind() != Ref::Kind::kFork) return;
  for (Branch& b : ref.fork()->branches()) {
    for_each_bucket(b.load_lines(), free_structure);
    BucketLines::free(b.load_lines().memory());
  }
  Fork::free_block(ref.fork());
}

/// At most kSplitSample of the chains, evenly spread.
std::vector<StoredEntry*> sample_of(std::span<StoredEntry* const> chains) {
  const std::size_t step = (chains.size() + kSplitSample - 1) / kSplitSample;
  std::vector<StoredEntry*> sample;
  for (std::size_t i = 0; i < chains.size(); i += step) sample.push_back(chains[i]);
  return sample;
}

}  // namespace

HashTree::HashTree(Reclaimer& reclaimer, std::span<StoredEntry* const> sample, std::size_t expected)
    : HashTree(reclaimer) {
  const auto masks = choose_masks(sample, 1, kMaxMasks);
  if (masks.empty()) return;
  Fork* fork = Fork::create(masks, 0);
  fork->chains_built = expected;
  root_.store(Ref(fork, 0));
}

HashTree::~HashTree() { free_structure(root_.load()); }

void HashTree::replace(Slot& slot, Ref ref) {
  const Ref old = slot.load();
  slot.store(ref);
  if (old.kind() == Ref::Kind::kLeaf) {
    reclaimer_.retire(old.leaf(), &Leaf::destroy);
  } else if (old.kind() == Ref::Kind::kFork) {
    reclaimer_.retire(old.fork(), [](void* p) { free_structure(Ref(static_cast<Fork*>(p), 0)); });
  }
}

StoredEntry* HashTree::find(const StoredEntry& entry) noexcept {
  Slot* slot = &root_;
  while (slot != nullptr && slot->load().is_occupied()) {
    const Ref ref = slot->load();
    if (ref.kind() == Ref::Kind::kEntry) {
      return ref.entry()->has_match_of(entry) ? ref.entry() : nullptr;
    }
    if (ref.kind() == Ref::Kind::kLeaf) {
      const Slot* found = ref.leaf()->find(entry);
      return found == nullptr ? nullptr : found->load().entry();
    }
    const Branch& branch = ref.fork()->branch_for(*entry.mask);
    slot = branch.find(branch.hash(entry));
  }
  return nullptr;
}

void HashTree::place(StoredEntry* chain) { place_at(root_, 0, chain, 0); }

bool HashTree::place_at(Slot& slot, std::uint64_t hash, StoredEntry* chain, unsigned depth) {
  const Ref ref = slot.load();
  const std::uint16_t tag = Branch::tag(hash);
  if (!ref.is_occupied()) {
    slot.store(Ref(chain, tag));
    return true;
  }
  if (ref.kind() == Ref::Kind::kFork) return place_in_fork(slot, chain, depth);
  if (ref.kind() == Ref::Kind::kLeaf) return place_in_leaf(slot, hash, chain, depth);
  if (ref.entry()->has_match_of(*chain)) {
    slot.store(Ref(chain, tag));
    return false;
  }
  slot.store(Ref(Leaf::create(std::vector{ref.entry(), chain}, 2), tag));
  return true;
}

bool HashTree::place_in_leaf(Slot& slot, std::uint64_t hash, StoredEntry* chain, unsigned depth) {
  Leaf* leaf = slot.load().leaf();
  if (Slot* same = leaf->find(*chain); same != nullptr) {
    same->store(Ref(chain, chain->priority));
    return false;
  }
  if (!leaf->is_full()) {
    leaf->add(chain);
    return true;
  }
  std::vector<StoredEntry*> chains;
  gather(slot.load(), chains);
  chains.push_back(chain);
  replace(slot, build(chains, hash, depth));
  return true;
}

bool HashTree::place_in_fork(Slot& slot, StoredEntry* chain, unsigned depth) {
  Fork* fork = slot.load().fork();
  Branch& branch = fork->branch_for(*chain->mask);
  const std::uint64_t hash = branch.hash(*chain);
  fork->raise(branch, chain->priority);
  Slot* bucket = branch.find(hash);
  if (bucket == nullptr) branch.add(hash, Ref(chain, Branch::tag(hash)), reclaimer_);
  const bool is_new = bucket == nullptr || place_at(*bucket, hash, chain, depth + 1);
  if (is_new) ++fork->chains;
  const bool has_outgrown_masks =
      fork->chains > 2 * fork->chains_built && fork->chains <= kRebuildLimit;
  if (has_outgrown_masks) {
    std::vector<StoredEntry*> chains;
    gather(slot.load(), chains);
    replace(slot, build(chains, fork->hash(), depth));
  } else if (fork->is_unsorted()) {
    slot.store(Ref(Fork::create_sorted(*fork), slot.load().tag()));
    reclaimer_.retire(fork, &Fork::free_block);
  }
  return is_new;
}

void HashTree::erase(const StoredEntry& chain) { erase_at(root_, chain, {}, 0); }

void HashTree::erase_at(Slot& slot, const StoredEntry& chain, Home home, unsigned depth) {
  const Ref ref = slot.load();
  assert(ref.is_occupied());
  if (ref.kind() == Ref::Kind::kFork) return erase_in_fork(slot, chain, home, depth);
  if (ref.kind() == Ref::Kind::kLeaf) return erase_in_leaf(slot, chain, home);
  assert(ref.entry()->has_match_of(chain));
  clear(slot, home);
}

void HashTree::erase_in_leaf(Slot& slot, const StoredEntry& chain, Home home) {
  Leaf* leaf = slot.load().leaf();
  Slot* found = leaf->find(chain);
  assert(found != nullptr);
  if (leaf->size() > 2) {
    leaf->erase(found);
  } else if (leaf->size() == 2) {
    leaf->erase(found);
    replace(slot, Ref(leaf->any(), slot.load().tag()));
  } else {
    reclaimer_.retire(leaf, &Leaf::destroy);
    clear(slot, home);
  }
}

void HashTree::erase_in_fork(Slot& slot, const StoredEntry& chain, Home home, unsigned depth) {
  Fork* fork = slot.load().fork();
  Branch& below = fork->branch_for(*chain.mask);
  const std::uint64_t hash = below.hash(chain);
  Slot* bucket = below.find(hash);
  assert(bucket != nullptr);
  erase_at(*bucket, chain, {&below, hash}, depth + 1);
  if (--fork->chains > kLeafSize / 2) return;
  std::vector<StoredEntry*> chains;
  gather(slot.load(), chains);
  if (!chains.empty()) {
    replace(slot, build(chains, fork->hash(), depth));
  } else {
    reclaimer_.retire(fork, [](void* p) { free_structure(Ref(static_cast<Fork*>(p), 0)); });
    clear(slot, home);
  }
}

void HashTree::clear(Slot& slot, Home home) {
  if (home.branch == nullptr) {
    slot.store(Ref());
  } else {
    home.branch->erase(&slot, home.hash, reclaimer_);
  }
}

Ref HashTree::build(std::span<StoredEntry* const> chains, std::uint64_t hash, unsigned depth) {
  const std::uint16_t tag = Branch::tag(hash);
  if (chains.size() == 1) return Ref(chains[0], tag);
  if (chains.size() > kLeafSize && depth < kMaxDepth) {
    const auto sample = sample_of(chains);
    const auto masks = choose_masks(sample, kLeafSize * sample.size() / chains.size(), kMaxMasks);
    if (!masks.empty()) return Ref(build_fork(chains, masks, hash, depth), tag);
  }
  // What nothing tells apart stays together; room to grow keeps the cost of one more constant.
  return Ref(Leaf::create(chains, std::bit_ceil(chains.size())), tag);
}

Fork* HashTree::build_fork(std::span<StoredEntry* const> chains, std::span<const FlowMask> masks,
                           std::uint64_t hash, unsigned depth) {
  struct Member {
    Branch* branch;
    std::uint64_t hash;
    StoredEntry* chain;
    auto operator<=>(const Member&) const = default;
  };
  Fork* fork = Fork::create(masks, hash);
  std::vector<Member> members;
  for (StoredEntry* chain : chains) {
    Branch& branch = fork->branch_for(*chain->mask);
    fork->raise(branch, chain->priority);
    members.push_back({&branch, branch.hash(*chain), chain});
  }
  std::ranges::sort(members);
  std::vector<StoredEntry*> bucket;
  for (std::size_t i = 0; i < members.size();) {
    const Member& first = members[i];
    bucket.clear();
    for (; i < members.size() && members[i].branch == first.branch && members[i].hash == first.hash;
         ++i) {
      bucket.push_back(members[i].chain);
    }
    const Ref ref = build(bucket, first.hash, depth + 1);
    first.branch->add(first.hash, ref, reclaimer_);
  }
  fork->chains = fork->chains_built = chains.size();
  Fork* sorted = Fork::create_sorted(*fork);
  Fork::free_block(fork);
  return sorted;
}

}  // namespace hoist::software

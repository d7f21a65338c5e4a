// SPDX-License-Identifier: BSD-3-Clause
#include "classifier/tree_classifier.hpp"

#include <algorithm>
#include <cassert>

#include "classifier/split.hpp"

namespace hoist::software {
namespace {

/// Entries that a change, or a settle(), takes over into the next tree: some microseconds.
constexpr std::size_t kStepsPerChange = 4;
constexpr std::size_t kStepsPerSettle = 64;
/// A tree whose searches take no more than this, on average, is not grown anew. One probe and one
/// comparison are the least.
constexpr double kGoodCost = 2.5;

RuleShape shape_of(const StoredEntry& entry) { return rule_shape(*entry.mask, entry.values()); }

}  // namespace

std::unique_ptr<Classifier> Classifier::create(Reclaimer& reclaimer) {
  return std::make_unique<TreeClassifier>(reclaimer);
}

TreeClassifier::TreeClassifier(Reclaimer& reclaimer)
    : reclaimer_(reclaimer), tree_(new HashTree(reclaimer)) {}

TreeClassifier::~TreeClassifier() {
  delete tree_.load(std::memory_order_relaxed);
  for (StoredEntry* e : entries_) StoredEntry::destroy(e);
}

Entry* TreeClassifier::insert(const MiniMatch& match, std::uint16_t priority, RuleId rule,
                              const Program* program, Version from) {
  const FlowMask& mask = masks_.acquire(match);
  StoredEntry* entry = StoredEntry::create({program, rule, priority}, from, match, mask);
  link(entry);
  const RuleShape shape = shape_of(*entry);
  consulted_.add(mask, shape, priority);
  if (shape.covers != 0) covers_.push_back({entry, from});
  ++rule_count_;
  ++changes_;
  upkeep(kStepsPerChange, entries_.size());
  return entry;
}

void TreeClassifier::remove(Entry* removed, Version from) {
  auto* entry = static_cast<StoredEntry*>(removed);
  assert(entry->to.load(std::memory_order_relaxed) == StoredEntry::kForever);
  // Relaxed: readers that must know acquire it with the version, which is published later.
  entry->to.store(from, std::memory_order_relaxed);
  removed_.push_back({entry, from});
  --rule_count_;
  const RuleShape shape = shape_of(*entry);
  if (shape.covers == 0) return;
  const auto pending = std::ranges::find(covers_, entry, &Pending::entry);
  if (pending != covers_.end()) {
    covers_.erase(pending);
  } else {
    consulted_.unhide(shape, entry->priority);
  }
}

void TreeClassifier::settle(Version version) {
  while (!removed_.empty() && removed_.front().version <= version) {
    unlink(removed_.front().entry);
    removed_.pop_front();
  }
  while (!covers_.empty() && covers_.front().version <= version) {
    const StoredEntry& entry = *covers_.front().entry;
    consulted_.hide(shape_of(entry), entry.priority);
    covers_.pop_front();
  }
  upkeep(kStepsPerSettle, entries_.size() / 4);
}

void TreeClassifier::link(StoredEntry* entry) {
  entry->index = static_cast<std::uint32_t>(entries_.size());
  entries_.push_back(entry);
  StoredEntry* at = tree().find(*entry);
  if (at == nullptr || at->priority < entry->priority) {
    entry->next.store(at, std::memory_order_relaxed);
    place(entry);
    return;
  }
  StoredEntry* next = at->next.load(std::memory_order_relaxed);
  while (next != nullptr && next->priority >= entry->priority) {
    at = next;
    next = at->next.load(std::memory_order_relaxed);
  }
  entry->next.store(next, std::memory_order_relaxed);
  // Release: pairs with the acquire in first_visible().
  at->next.store(entry, std::memory_order_release);
}

void TreeClassifier::place(StoredEntry* chain) {
  tree().place(chain);
  if (next_ != nullptr) next_->place(chain);
}

void TreeClassifier::unlink(StoredEntry* entry) {
  consulted_.remove(*entry->mask, shape_of(*entry), entry->priority);
  unchain(entry);
  erase_from_list(entry);
  masks_.release(*entry->mask, reclaimer_);
  reclaimer_.retire(entry, [](void* p) { StoredEntry::destroy(static_cast<StoredEntry*>(p)); });
  ++changes_;
  upkeep(kStepsPerChange, entries_.size());
}

void TreeClassifier::unchain(StoredEntry* entry) {
  StoredEntry* at = tree().find(*entry);
  StoredEntry* next = entry->next.load(std::memory_order_relaxed);
  if (at != entry) {
    while (at->next.load(std::memory_order_relaxed) != entry) {
      at = at->next.load(std::memory_order_relaxed);
    }
    at->next.store(next, std::memory_order_release);
  } else if (next != nullptr) {
    place(next);
  } else {
    tree().erase(*entry);
    if (next_ != nullptr && next_->find(*entry) != nullptr) next_->erase(*entry);
  }
}

void TreeClassifier::erase_from_list(StoredEntry* entry) {
  StoredEntry* last = entries_.back();
  entries_[entry->index] = last;
  last->index = entry->index;
  entries_.pop_back();
  if (next_ == nullptr) return;
  // The last entry may have moved among those that the next tree is taken to hold.
  if (last != entry && last->index < next_holds_) next_->place(tree().find(*last));
  next_holds_ = std::min(next_holds_, entries_.size());
}

void TreeClassifier::upkeep(std::size_t steps, std::size_t changes_allowed) {
  if (next_ != nullptr) return grow_next(steps);
  if (changes_ <= std::max(changes_allowed, HashTree::kRebuildLimit)) return;
  changes_ = 0;
  // What is smaller, the tree builds anew by itself.
  if (entries_.size() <= HashTree::kRebuildLimit || sampled_cost() <= kGoodCost) return;
  next_ = std::make_unique<HashTree>(reclaimer_, sample(), entries_.size());
  next_holds_ = 0;
}

void TreeClassifier::grow_next(std::size_t steps) {
  for (; steps > 0 && next_holds_ < entries_.size(); --steps) {
    StoredEntry* entry = entries_[next_holds_++];
    if (tree().find(*entry) == entry) next_->place(entry);
  }
  if (next_holds_ < entries_.size()) return;
  HashTree* old = &tree();
  // Release: pairs with the acquire in lookup(), so that all of the tree is published with it.
  tree_.store(next_.release(), std::memory_order_release);
  reclaimer_.retire(std::unique_ptr<HashTree>(old));
}

std::vector<StoredEntry*> TreeClassifier::sample() {
  const std::size_t step = (entries_.size() + kSplitSample - 1) / kSplitSample;
  std::vector<StoredEntry*> out;
  for (std::size_t i = 0; i < entries_.size(); i += step) out.push_back(entries_[i]);
  return out;
}

double TreeClassifier::sampled_cost() {
  const auto entries = sample();
  SearchCost sum;
  for (const StoredEntry* e : entries) {
    const SearchCost c = tree().cost(*e);
    sum.probes += c.probes;
    sum.comparisons += c.comparisons;
  }
  const std::size_t total = sum.probes + sum.comparisons;
  return static_cast<double>(total) / static_cast<double>(std::max<std::size_t>(1, entries.size()));
}

const Entry* TreeClassifier::lookup(const FlowKey& key, Version version) const noexcept {
  return tree_.load(std::memory_order_acquire)->search(key, version);
}

void TreeClassifier::lookup(std::span<const FlowKey* const> keys, Version version,
                            const Entry** out) const noexcept {
  tree_.load(std::memory_order_acquire)->search(keys, version, out);
}

FlowKey TreeClassifier::consulted(PortNo in_port, PacketClass packet_class) const {
  return consulted_.consulted(in_port, packet_class);
}

std::uint64_t TreeClassifier::consulted_generation() const { return consulted_.generation(); }

}  // namespace hoist::software

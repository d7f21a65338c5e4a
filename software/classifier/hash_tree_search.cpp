// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "classifier/hash_tree.hpp"

namespace hoist::software {
namespace {

struct NoCost {
  void probe() noexcept {}
  void compare() noexcept {}
};

struct CountCost {
  SearchCost cost;
  void probe() noexcept { ++cost.probes; }
  void compare() noexcept { ++cost.comparisons; }
};

/// One key's way through the tree, depth first, with the best chain found so far.
template <class Cost>
class Search : public Cost {
 public:
  Search(const FlowKey& key, Classifier::Version version) noexcept : key_(key), version_(version) {}

  [[nodiscard]] const StoredEntry* best() const noexcept { return best_; }

  void visit(Ref ref) noexcept {
    switch (ref.kind()) {
      case Ref::Kind::kEntry:
        return visit(ref.entry());
      case Ref::Kind::kLeaf:
        return visit(*ref.leaf());
      default:
        return visit(*ref.fork());
    }
  }

 private:
  [[nodiscard]] bool is_beaten(std::uint16_t priority) const noexcept {
    return best_ != nullptr && priority <= best_->priority;
  }

  void visit(const StoredEntry* chain) noexcept {
    Cost::compare();
    if (!chain->matches(key_)) return;
    const StoredEntry* entry = first_visible(chain, version_);
    if (entry != nullptr && !is_beaten(entry->priority)) best_ = entry;
  }

  void visit(const Leaf& leaf) noexcept {
    for (const Slot& slot : leaf.slots()) {
      const Ref ref = slot.load();
      if (ref.is_occupied() && !is_beaten(ref.tag())) visit(ref.entry());
    }
  }

  void visit(const Fork& fork) noexcept {
    for (const Branch& branch : fork.branches()) {
      if (is_beaten(branch.bound.load(std::memory_order_relaxed))) return;
      // Acquire: pairs with the release in Branch::resize().
      SlotArray* slots = branch.slots.load(std::memory_order_acquire);
      if (slots == nullptr) continue;
      Cost::probe();
      const std::uint64_t hash = branch.hash(key_);
      for (std::uint64_t i = hash;; ++i) {
        const Ref ref = slots->at(i).load();
        if (ref.is_empty()) break;
        if (ref.tag() == Branch::tag(hash) && ref.is_occupied()) visit(ref);
      }
    }
  }

  const FlowKey& key_;
  const Classifier::Version version_;
  const StoredEntry* best_ = nullptr;
};

}  // namespace

const StoredEntry* HashTree::search(const FlowKey& key,
                                    Classifier::Version version) const noexcept {
  const Ref root = root_.load();
  if (!root.is_occupied()) return nullptr;
  Search<NoCost> search(key, version);
  search.visit(root);
  return search.best();
}

void HashTree::search(std::span<const FlowKey* const> keys, Classifier::Version version,
                      const Entry** out) const noexcept {
  for (std::size_t i = 0; i < keys.size(); ++i) out[i] = search(*keys[i], version);
}

SearchCost HashTree::cost(const StoredEntry& entry) const noexcept {
  FlowKey key{};
  const std::uint64_t* value = entry.values();
  for (std::uint64_t m = entry.mask->map(); m != 0; m &= m - 1)
    words(key)[std::countr_zero(m)] = *value++;
  const Ref root = root_.load();
  Search<CountCost> search(key, StoredEntry::kForever - 1);
  if (root.is_occupied()) search.visit(root);
  return search.cost;
}

}  // namespace hoist::software

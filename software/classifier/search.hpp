// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>

#include "classifier/hash_tree.hpp"

namespace hoist::software {

/// For searches that nobody judges.
struct NoCost {
  void probe() noexcept {}
  void compare() noexcept {}
};

struct CountCost {
  SearchCost cost;
  void probe() noexcept { ++cost.probes; }
  void compare() noexcept { ++cost.comparisons; }
};

/// One key's way through the hash tree, depth first, with the best entry found so far.
template <class Cost>
class Search : public Cost {
 public:
  Search() = default;
  Search(const FlowKey& key, Classifier::Version version) noexcept
      : key_(&key), version_(version) {}

  [[nodiscard]] const FlowKey& key() const noexcept { return *key_; }
  [[nodiscard]] const StoredEntry* best() const noexcept { return best_; }
  [[nodiscard]] bool is_beaten(std::uint16_t priority) const noexcept {
    return best_ != nullptr && priority <= best_->priority;
  }

  void visit(Ref ref) noexcept {
    switch (ref.kind()) {
      case Ref::Kind::kEntry:
        return visit(ref.entry());
      case Ref::Kind::kLeaf:
        return visit(*ref.leaf(), 0);
      default:
        return visit(*ref.fork());
    }
  }

  void visit(const StoredEntry* chain) noexcept {
    Cost::compare();
    if (!chain->matches(*key_)) return;
    const StoredEntry* entry = first_visible(chain, version_);
    if (entry != nullptr && !is_beaten(entry->priority)) best_ = entry;
  }

  void visit(const Leaf& leaf, std::size_t first_chunk) noexcept {
    const std::uint64_t word = words(*key_)[leaf.word()];
    for (const LeafChunk& chunk : leaf.chunks().subspan(first_chunk)) {
      for (auto lanes = chunk.passing(word); lanes != 0; lanes &= lanes - 1) {
        visit_lane(chunk.slots[static_cast<std::size_t>(std::countr_zero(lanes))]);
      }
    }
  }
  /// A chain that has passed the filter of its leaf.
  void visit_lane(const Slot& slot) noexcept {
    const Ref ref = slot.load();
    if (ref.is_occupied() && !is_beaten(ref.tag())) visit(ref.entry());
  }

  void visit(const Fork& fork) noexcept {
    for (const Branch* branch = fork.first();; ++branch) {
      if (is_beaten(branch->bound.load(std::memory_order_relaxed))) return;
      const BucketLines lines = branch->load_lines();
      if (!lines.is_null()) {
        Cost::probe();
        const std::uint64_t hash = branch->hash(*key_);
        visit_buckets(lines, hash);
      }
      if (branch->is_last) return;
    }
  }

  /// All buckets of that hash; false ones cost time only.
  void visit_buckets(BucketLines lines, std::uint64_t hash) noexcept {
    const BucketLine& line = lines.at(hash);
    visit_hits(line, line.hits(hash), hash);
    if (line.has_overflowed()) visit_overflow(lines, hash);
  }
  /// The lines behind the first.
  void visit_overflow(BucketLines lines, std::uint64_t hash) noexcept {
    for (std::uint64_t i = hash + 1; i != hash + lines.count(); ++i) {
      const BucketLine& line = lines.at(i);
      visit_hits(line, line.hits(hash), hash);
      if (!line.has_overflowed()) return;
    }
  }
  void visit_hits(const BucketLine& line, BucketLine::Hits hits, std::uint64_t hash) noexcept {
    for (; hits.any(); hits.drop_first()) {
      const Ref ref = line.slot(hits.first()).load();
      if (ref.tag() == Branch::tag(hash) && ref.is_occupied()) visit(ref);
    }
  }

 private:
  const FlowKey* key_ = nullptr;
  Classifier::Version version_ = 0;
  const StoredEntry* best_ = nullptr;
};

}  // namespace hoist::software

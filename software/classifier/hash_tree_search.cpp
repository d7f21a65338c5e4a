// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <bit>

#include "classifier/hash_tree.hpp"
#include "classifier/search.hpp"

namespace hoist::software {
namespace {

/// Asks for the memory behind a Ref: an entry is two lines at most, a leaf or fork has more.
void prefetch(Ref ref) noexcept {
  const auto* at = static_cast<const char*>(ref.pointer());
  __builtin_prefetch(at);
  __builtin_prefetch(at + 64);
  if (ref.kind() != Ref::Kind::kEntry) __builtin_prefetch(at + 128);
}

/// A search that stops wherever it would wait for memory, so that others can go on meanwhile. Each
/// round looks into one branch; the memory that one step asks for is used by the next.
class Lane {
 public:
  void start(Ref root, const FlowKey& key, Classifier::Version version) noexcept {
    search_ = Search<NoCost>(key, version);
    depth_ = 0;
    line_ = nullptr;
    target_ = root;
    open();
    compare();
  }
  [[nodiscard]] const StoredEntry* best() const noexcept { return search_.best(); }

  /// Chooses the next branch. False: there is none, the search is over.
  bool aim() noexcept {
    while (depth_ > 0) {
      const Branch& branch = *frames_[depth_ - 1];
      const bool is_beaten = search_.is_beaten(branch.bound.load(std::memory_order_relaxed));
      ++frames_[depth_ - 1];
      if (is_beaten || branch.is_last) --depth_;
      if (is_beaten) continue;
      lines_ = branch.load_lines();
      if (lines_.is_null()) continue;
      hash_ = branch.hash(search_.key());
      line_ = &lines_.at(hash_);
      __builtin_prefetch(line_);
      return true;
    }
    return false;
  }

  /// Looks for the bucket.
  void probe() noexcept {
    target_ = Ref();
    for (hits_ = line_->hits(hash_); hits_.any();) {
      const Ref ref = line_->slot(hits_.first()).load();
      hits_.drop_first();
      if (ref.tag() != Branch::tag(hash_) || !ref.is_occupied()) continue;
      target_ = ref;
      prefetch(ref);
      return;
    }
  }

  /// Looks into the bucket.
  void open() noexcept {
    chain_ = nullptr;
    if (!target_.is_occupied()) return;
    if (target_.kind() == Ref::Kind::kEntry) {
      chain_ = target_.entry();
    } else if (target_.kind() == Ref::Kind::kLeaf) {
      open(*target_.leaf());
    } else if (depth_ < frames_.size()) {
      frames_[depth_++] = target_.fork()->first();
    } else {
      search_.visit(*target_.fork());
    }
  }

  /// Compares what was found, and the rest without ado.
  void compare() noexcept {
    if (chain_ != nullptr) search_.visit(chain_);
    for (; lanes_ != 0; lanes_ &= lanes_ - 1) search_.visit_lane(lane_slot(target_));
    if (line_ == nullptr) return;
    search_.visit_hits(*line_, hits_, hash_);
    if (line_->has_overflowed()) search_.visit_overflow(lines_, hash_);
  }

 private:
  void open(const Leaf& leaf) noexcept {
    const std::uint64_t word = words(search_.key())[leaf.word()];
    const auto chunks = leaf.chunks();
    for (std::size_t i = 0; i < std::min(chunks.size(), kLaneChunks); ++i) {
      lanes_ |= std::uint64_t{chunks[i].passing(word)} << (i * LeafChunk::kLanes);
    }
    if (lanes_ != 0) prefetch(lane_slot(target_).load());
    if (chunks.size() > kLaneChunks) search_.visit(leaf, kLaneChunks);
  }
  /// Where the first of `lanes_` stands.
  [[nodiscard]] const Slot& lane_slot(Ref leaf) const noexcept {
    const auto i = static_cast<std::size_t>(std::countr_zero(lanes_));
    return leaf.leaf()->chunks()[i / LeafChunk::kLanes].slots[i % LeafChunk::kLanes];
  }

  /// Chunks of a leaf whose lanes fit one word; the rest of a larger leaf is searched at once.
  static constexpr std::size_t kLaneChunks = 64 / LeafChunk::kLanes;

  Search<NoCost> search_;
  std::size_t depth_ = 0;
  std::array<const Branch*, 6>
      frames_;  ///< Next of each fork on the way; deeper ones are searched at once.
  BucketLines lines_;
  const BucketLine* line_ = nullptr;
  std::uint64_t hash_ = 0;
  BucketLine::Hits hits_{0};
  Ref target_;
  const StoredEntry* chain_ = nullptr;
  std::uint64_t lanes_ = 0;  ///< Of the leaf at hand: chains that passed and are not yet compared.
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
  const Ref root = root_.load();
  if (!root.is_occupied()) {
    std::fill_n(out, keys.size(), nullptr);
    return;
  }
  constexpr std::size_t kLanes = 16;
  std::array<Lane, kLanes> lanes;
  for (std::size_t first = 0; first < keys.size(); first += kLanes) {
    const std::size_t count = std::min(kLanes, keys.size() - first);
    std::array<Lane*, kLanes> active;
    std::size_t n = count;
    for (std::size_t i = 0; i < count; ++i) {
      lanes[i].start(root, *keys[first + i], version);
      active[i] = &lanes[i];
    }
    while (n > 0) {
      std::size_t still = 0;
      for (std::size_t i = 0; i < n; ++i) {
        if (active[i]->aim()) active[still++] = active[i];
      }
      n = still;
      for (std::size_t i = 0; i < n; ++i) active[i]->probe();
      for (std::size_t i = 0; i < n; ++i) active[i]->open();
      for (std::size_t i = 0; i < n; ++i) active[i]->compare();
    }
    for (std::size_t i = 0; i < count; ++i) out[first + i] = lanes[i].best();
  }
}

SearchCost HashTree::cost(const StoredEntry& entry) const noexcept {
  FlowKey key{};
  const std::uint64_t* value = entry.values();
  for (std::uint64_t m = entry.mask->map(); m != 0; m &= m - 1) {
    words(key)[std::countr_zero(m)] = *value++;
  }
  const Ref root = root_.load();
  Search<CountCost> search(key, StoredEntry::kForever - 1);
  if (root.is_occupied()) search.visit(root);
  return search.cost;
}

}  // namespace hoist::software

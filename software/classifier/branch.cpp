// SPDX-License-Identifier: BSD-3-Clause
#include "classifier/branch.hpp"

#include <algorithm>
#include <cassert>

#include "classifier/fork.hpp"
#include "classifier/leaf.hpp"

namespace hoist::software {
namespace {

/// Buckets a line on average, at most; more would overflow too often.
constexpr std::size_t kFull = 5;

}  // namespace

void Branch::set_mask(const FlowMask& flow_mask) noexcept {
  mask = &flow_mask;
  index = flow_mask.inline_index();
  std::copy_n(flow_mask.inline_words(), bits.size(), bits.begin());
  is_long_ = flow_mask.words().size() > FlowMask::kInline;
}

std::uint64_t Branch::hash_rest(std::uint64_t h, const FlowKey& key) const noexcept {
  std::size_t i = 0;
  for (std::uint64_t m = mask->map(); m != 0; m &= m - 1, ++i) {
    if (i >= FlowMask::kInline) h = mix(h, words(key)[std::countr_zero(m)] & mask->words()[i]);
  }
  return h;
}

std::uint64_t Branch::hash(const StoredEntry& entry) const noexcept {
  std::uint64_t h = 0;
  std::size_t n = 0;
  for (std::uint64_t m = mask->map(); m != 0; m &= m - 1, ++n) {
    h = mix(h, entry.value(static_cast<unsigned>(std::countr_zero(m))) & mask->words()[n]);
  }
  for (; n < FlowMask::kInline; ++n) h = mix(h, 0);
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
  std::size_t n = 0;
  for (std::uint64_t m = mask->map(); m != 0; m &= m - 1, ++n) {
    const auto i = static_cast<unsigned>(std::countr_zero(m));
    if ((mask->words()[n] & ~of_entry.word(i)) != 0) return false;
  }
  return true;
}

Slot* Branch::find(std::uint64_t hash) const noexcept {
  const BucketLines all = load_lines();
  if (all.is_null()) return nullptr;
  for (std::uint64_t i = hash; i != hash + all.count(); ++i) {
    BucketLine& line = all.at(i);
    for (auto hits = line.hits(hash); hits.any(); hits.drop_first()) {
      Slot& slot = line.slot(hits.first());
      const Ref ref = slot.load();
      if (ref.is_occupied() && ref.tag() == tag(hash) && hash_of(ref) == hash) return &slot;
    }
    if (!line.has_overflowed()) break;
  }
  return nullptr;
}

void Branch::put(BucketLines to, std::uint64_t hash, Ref ref) noexcept {
  for (std::uint64_t i = hash;; ++i) {
    BucketLine& line = to.at(i);
    if (line.add(hash, ref) != nullptr) return;
    if (!line.has_overflowed()) ++overflows;
    line.mark_overflowed();
  }
}

void Branch::add(std::uint64_t hash, Ref ref, Reclaimer& reclaimer) {
  const BucketLines all = load_lines();
  // A single line may be full, as it cannot overflow. Where most lines are marked, from times when
  // they were full, searches would run on and on.
  const std::size_t most = all.is_null()      ? 0
                           : all.count() == 1 ? std::size_t{BucketLine::kSlots}
                                              : all.count() * kFull;
  if (buckets + 1 > most || overflows * std::size_t{2} > all.count())
    resize(buckets + 1, reclaimer);
  put(load_lines(), hash, ref);
  ++buckets;
}

void Branch::erase(Slot* slot, std::uint64_t hash, Reclaimer& reclaimer) {
  const BucketLines all = load_lines();
  std::uint64_t i = hash;
  while (!all.at(i).erase(slot)) ++i;
  --buckets;
  if (all.count() > 4 && buckets < all.count() / 2) resize(buckets, reclaimer);
}

void Branch::resize(std::size_t buckets_wanted, Reclaimer& reclaimer) {
  const BucketLines old = load_lines();
  const std::size_t count = buckets_wanted <= BucketLine::kSlots
                                ? 1
                                : std::bit_ceil((buckets_wanted + kFull - 1) / kFull);
  const BucketLines grown = BucketLines::allocate(count);
  overflows = 0;
  for (std::size_t i = 0; !old.is_null() && i < old.count(); ++i) {
    BucketLine& line = old.at(i);
    for (auto used = line.occupied(); used.any(); used.drop_first()) {
      const Ref ref = line.slot(used.first()).load();
      put(grown, hash_of(ref), ref);
    }
  }
  lines.store(grown.word(), std::memory_order_release);
  if (!old.is_null()) reclaimer.retire(old.memory(), &BucketLines::free);
}

}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
#include "plan/overlap_index.hpp"

#include <algorithm>
#include <bit>
#include <span>

#include "plan/growing_array.hpp"

namespace hoist::offload {
namespace {

constexpr std::uint32_t kNone = 0xffffffff;
/// Below this many matches a subtable is read through.
constexpr std::size_t kFew = 4;
/// A projection costs 12 bytes a match and 48 a group. So many that fit their queries exactly does
/// a subtable have; others are rounded down, so that one serves many queries,
constexpr std::size_t kMaxExactProjections = 6;
/// and there are at most this many of them all.
constexpr std::size_t kMaxProjections = 24;
/// Routes are remembered for this many masks; they take two bytes for each pair.
constexpr std::uint32_t kMaxRows = 4096;

/// Spreads every bit of the word over the whole hash: addresses differ in few, high bits of a word.
std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash ^= word;
  hash = (hash ^ hash >> 32) * 0x9e3779b97f4a7c15u;
  hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u;
  return hash ^ hash >> 32;
}

/// The words of a mask, and which they are.
struct Mask {
  std::uint64_t map = 0;
  std::vector<std::uint64_t> words;
  bool operator==(const Mask&) const = default;
};

Mask mask_of(const MiniMatch& match) {
  Mask mask{.map = match.map()};
  for (const MiniMatch::Word& w : match.words()) mask.words.push_back(w.mask);
  return mask;
}

/// Of what mask_of() would make.
std::uint64_t mask_hash(const MiniMatch& match) {
  std::uint64_t hash = mix(1, match.map());
  for (const MiniMatch::Word& w : match.words()) hash = mix(hash, w.mask);
  return hash;
}

bool has_mask(const MiniMatch& match, const Mask& mask) {
  return match.map() == mask.map &&
         std::ranges::equal(match.words(), mask.words, {}, &MiniMatch::Word::mask);
}

/// Calls body(word index, a's word, b's word) for each word of both maps.
template <class A, class B, class Body>
void for_common(std::uint64_t map_a, const A* a, std::uint64_t map_b, const B* b, Body body) {
  for (std::uint64_t m = map_a | map_b; m != 0; m &= m - 1) {
    const std::uint64_t bit = m & -m;
    const bool in_a = (map_a & bit) != 0;
    const bool in_b = (map_b & bit) != 0;
    if (in_a && in_b) body(bit, *a, *b);
    a += in_a ? 1 : 0;
    b += in_b ? 1 : 0;
  }
}

Mask common_mask(const MiniMatch& match, const Mask& mask) {
  Mask out;
  for_common(match.map(), match.words().data(), mask.map, mask.words.data(),
             [&](std::uint64_t bit, const MiniMatch::Word& w, std::uint64_t m) {
               if ((w.mask & m) == 0) return;
               out.map |= bit;
               out.words.push_back(w.mask & m);
             });
  return out;
}

/// Hash of a match's value under `mask`, which it must consult in full.
std::uint64_t hash_under(const MiniMatch& match, const Mask& mask) {
  std::uint64_t hash = 7;
  const MiniMatch::Word* words = match.words().data();
  const std::uint64_t* mask_word = mask.words.data();
  for (std::uint64_t m = mask.map; m != 0; m &= m - 1) {
    const int at = std::popcount(match.map() & ((m & -m) - 1));
    hash = mix(hash, words[at].value & *mask_word++);
  }
  return hash;
}

/// The mask without the bytes that it holds a part of; all of it if nothing else is left.
Mask whole_bytes(const Mask& mask) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  Mask out;
  std::size_t i = 0;
  for (std::uint64_t m = mask.map; m != 0; m &= m - 1) {
    const std::uint64_t w = mask.words[i++];
    std::uint64_t whole = w & w >> 4;
    whole &= whole >> 2;
    whole = (whole & whole >> 1 & kOnes) * 0xff;
    if (whole == 0) continue;
    out.map |= m & -m;
    out.words.push_back(whole);
  }
  return out.map == 0 ? mask : out;
}

bool is_within(const Mask& small, const Mask& large) {
  if ((small.map & ~large.map) != 0) return false;
  bool within = true;
  for_common(small.map, small.words.data(), large.map, large.words.data(),
             [&](std::uint64_t, std::uint64_t s, std::uint64_t l) { within &= (s & ~l) == 0; });
  return within;
}

int bit_count(const Mask& mask) {
  int n = 0;
  for (const std::uint64_t w : mask.words) n += std::popcount(w);
  return n;
}

}  // namespace

void Summary::widen(const Stance& stance) noexcept {
  min_priority = std::min(min_priority, stance.priority);
  max_priority = std::max(max_priority, stance.priority);
  min_level = std::min(min_level, stance.level);
  max_level = std::max(max_level, stance.level);
}

/// Matches with a summary. Its bounds become loose when one that was at a bound goes.
struct OverlapIndex::Group {
  Summary summary;
  bool is_loose = false;

  void add(const Stance& stance) noexcept {
    summary.soft += stance.is_soft ? 1 : 0;
    summary.acting += stance.acts ? 1 : 0;
    if (!stance.stands) return;
    ++summary.standing;
    summary.widen(stance);
  }
  void remove(const Stance& stance) noexcept {
    summary.soft -= stance.is_soft ? 1 : 0;
    summary.acting -= stance.acts ? 1 : 0;
    if (!stance.stands) return;
    --summary.standing;
    if (summary.standing == 0) return reset();
    is_loose = is_loose || stance.level == summary.min_level || stance.level == summary.max_level ||
               stance.priority == summary.min_priority || stance.priority == summary.max_priority;
  }
  /// Before widen() is called for all that stand.
  void reset() noexcept {
    summary = {.soft = summary.soft, .acting = summary.acting, .standing = summary.standing};
    is_loose = false;
  }
};

/// A hash over the positions of a subtable, by the value under `mask`. Those of one hash are a
/// bucket's list.
struct OverlapIndex::Projection {
  struct Node {
    std::uint32_t bucket = kNone;
    std::uint32_t next = kNone;
    std::uint32_t previous = kNone;
  };
  struct Bucket {
    std::uint64_t hash = 0;
    std::uint32_t first = kNone;  ///< A position; kNone: the bucket is free.
    std::uint32_t next = kNone;   ///< The next bucket of the slot, or free bucket.
    Group group;
  };
  Mask mask;
  std::vector<std::uint32_t> slots;  ///< A power of two.
  GrowingArray<Bucket> buckets;
  std::uint32_t free = kNone;
  GrowingArray<Node> nodes;  ///< By position.

  [[nodiscard]] std::size_t slot_of(std::uint64_t hash) const {
    return (hash >> 32) & (slots.size() - 1);
  }
  [[nodiscard]] std::uint32_t find(std::uint64_t hash) const {
    std::uint32_t b = slots[slot_of(hash)];
    while (b != kNone && buckets[b].hash != hash) b = buckets[b].next;
    return b;
  }

  void add(std::uint32_t position, const OverlapItem& item) {
    const std::uint64_t hash = hash_under(*item.match, mask);
    std::uint32_t b = find(hash);
    if (b == kNone) b = make_bucket(hash);
    nodes.grow_to(position + 1, {});
    Bucket& bucket = buckets[b];
    nodes[position] = {.bucket = b, .next = bucket.first, .previous = kNone};
    if (bucket.first != kNone) nodes[bucket.first].previous = position;
    bucket.first = position;
    bucket.group.add(item.stance);
  }
  void remove(std::uint32_t position, const OverlapItem& item) {
    const Node node = nodes[position];
    Bucket& bucket = buckets[node.bucket];
    if (node.previous == kNone) {
      bucket.first = node.next;
    } else {
      nodes[node.previous].next = node.next;
    }
    if (node.next != kNone) nodes[node.next].previous = node.previous;
    bucket.group.remove(item.stance);
    if (bucket.first == kNone) free_bucket(node.bucket);
  }
  void change(std::uint32_t position, const Stance& before, const Stance& after) {
    Group& group = buckets[nodes[position].bucket].group;
    group.add(after);
    group.remove(before);
  }

  void tighten(Bucket& bucket, const GrowingArray<OverlapItem*>& items) {
    bucket.group.reset();
    for (std::uint32_t at = bucket.first; at != kNone; at = nodes[at].next) {
      if (items[at]->stance.stands) bucket.group.summary.widen(items[at]->stance);
    }
  }

 private:
  std::uint32_t make_bucket(std::uint64_t hash) {
    std::uint32_t b = free;
    if (b == kNone) {
      b = static_cast<std::uint32_t>(buckets.size());
      buckets.push_back({});
      if (buckets.size() > slots.size()) grow();
    } else {
      free = buckets[b].next;
      buckets[b] = {};
    }
    buckets[b].hash = hash;
    link(b);
    return b;
  }
  void link(std::uint32_t b) {
    std::uint32_t& slot = slots[slot_of(buckets[b].hash)];
    buckets[b].next = slot;
    slot = b;
  }
  void free_bucket(std::uint32_t b) {
    std::uint32_t* at = &slots[slot_of(buckets[b].hash)];
    while (*at != b) at = &buckets[*at].next;
    *at = buckets[b].next;
    buckets[b].next = free;
    free = b;
  }
  /// The newest bucket is linked later, by make_bucket().
  void grow() {
    slots.assign(std::bit_ceil(buckets.size()) * 2, kNone);
    for (std::uint32_t b = 0; b + 1 < buckets.size(); ++b) {
      if (buckets[b].first != kNone) link(b);
    }
  }
};

/// The matches of one mask.
struct OverlapIndex::Subtable {
  Mask mask;
  Group group;
  GrowingArray<OverlapItem*> items;  ///< By position; null: free.
  std::vector<std::uint32_t> free;
  std::vector<std::unique_ptr<Projection>> projections;

  [[nodiscard]] std::size_t size() const { return items.size() - free.size(); }

  void make(Mask projected) {
    auto projection = std::make_unique<Projection>();
    projection->mask = std::move(projected);
    projection->slots.assign(std::bit_ceil(items.size()) * 2, kNone);
    for (std::uint32_t i = 0; i < items.size(); ++i) {
      if (items[i] != nullptr) projection->add(i, *items[i]);
    }
    projections.push_back(std::move(projection));
  }

  void tighten() {
    group.reset();
    for (std::size_t i = 0; i < items.size(); ++i) {
      const OverlapItem* item = items[i];
      if (item != nullptr && item->stance.stands) group.summary.widen(item->stance);
    }
  }
};

OverlapIndex::OverlapIndex() = default;
OverlapIndex::~OverlapIndex() = default;
OverlapIndex::OverlapIndex(OverlapIndex&&) noexcept = default;
OverlapIndex& OverlapIndex::operator=(OverlapIndex&&) noexcept = default;

bool OverlapIndex::is_empty(std::uint32_t subtable) const noexcept {
  return subtables_[subtable]->size() == 0;
}

const Summary& OverlapIndex::summary_of(std::uint32_t subtable) const noexcept {
  return subtables_[subtable]->group.summary;
}

/// The subtable of the match's mask; kNone: there is none.
std::uint32_t OverlapIndex::row_of(const MiniMatch& match) const {
  const auto [begin, end] = by_mask_.equal_range(mask_hash(match));
  const auto found = std::find_if(
      begin, end, [&](const auto& e) { return has_mask(match, subtables_[e.second]->mask); });
  return found == end ? kNone : found->second;
}

void OverlapIndex::insert(OverlapItem& item) {
  item.subtable = row_of(*item.match);
  if (item.subtable == kNone) {
    Mask mask = mask_of(*item.match);
    item.subtable = static_cast<std::uint32_t>(subtables_.size());
    by_mask_.emplace(mask_hash(*item.match), item.subtable);
    subtables_.push_back(std::make_unique<Subtable>());
    subtables_.back()->mask = std::move(mask);
  }
  Subtable& subtable = *subtables_[item.subtable];
  if (subtable.free.empty()) {
    item.position = static_cast<std::uint32_t>(subtable.items.size());
    subtable.items.push_back(nullptr);
  } else {
    item.position = subtable.free.back();
    subtable.free.pop_back();
  }
  subtable.items[item.position] = &item;
  subtable.group.add(item.stance);
  for (auto& p : subtable.projections) p->add(item.position, item);
}

void OverlapIndex::erase(OverlapItem& item) {
  Subtable& subtable = *subtables_[item.subtable];
  for (auto& p : subtable.projections) p->remove(item.position, item);
  subtable.group.remove(item.stance);
  subtable.items[item.position] = nullptr;
  subtable.free.push_back(item.position);
}

void OverlapIndex::change(OverlapItem& item, const Stance& stance) {
  if (item.stance == stance) return;
  Subtable& subtable = *subtables_[item.subtable];
  for (auto& p : subtable.projections) p->change(item.position, item.stance, stance);
  subtable.group.add(stance);
  subtable.group.remove(item.stance);
  item.stance = stance;
}

OverlapIndex::Route OverlapIndex::route(std::uint32_t row, std::uint32_t index,
                                        const MiniMatch& match) {
  const bool is_kept = row < kMaxRows;
  if (is_kept) {
    if (routes_.size() <= row) routes_.resize(row + 1);
    if (routes_[row].size() <= index) routes_[row].resize(subtables_.size());
    if (routes_[row][index].way != Route::kUnknown) return routes_[row][index];
  }
  Subtable& subtable = *subtables_[index];
  const Mask common = common_mask(match, subtable.mask);
  Route out{.way = Route::kAll, .is_exact = common.map == 0};
  if (!out.is_exact) {
    if (subtable.size() <= kFew) return out;  // looked at again when it has grown
    const auto& all = subtable.projections;
    std::size_t best = all.size();
    const auto choose = [&](const Mask& wanted) {
      for (std::size_t i = 0; i < all.size() && !out.is_exact; ++i) {
        out.is_exact = all[i]->mask == common;
        const bool is_finer =
            is_within(all[i]->mask, common) &&
            (best == all.size() || bit_count(all[i]->mask) > bit_count(all[best]->mask));
        if (out.is_exact || is_finer) best = i;
      }
      if (best < all.size() && bit_count(all[best]->mask) >= bit_count(wanted)) return;
      if (all.size() >= kMaxProjections) return;
      best = all.size();
      subtable.make(wanted);
      out.is_exact = wanted == common;
    };
    choose(all.size() < kMaxExactProjections ? common : whole_bytes(common));
    if (best < all.size()) out.way = static_cast<std::uint8_t>(Route::kFirstProjection + best);
  }
  if (is_kept) routes_[row][index] = out;
  return out;
}

OverlapIndex::Probe OverlapIndex::start(std::uint32_t row, std::uint32_t index,
                                        const MiniMatch& match) {
  Probe probe{.subtable = index, .route = route(row, index, match)};
  if (probe.route.way == Route::kAll) return probe;
  probe.projection =
      subtables_[index]->projections[probe.route.way - Route::kFirstProjection].get();
  probe.hash = hash_under(match, probe.projection->mask);
  __builtin_prefetch(&probe.projection->slots[probe.projection->slot_of(probe.hash)]);
  return probe;
}

void OverlapIndex::fetch(const Probe& probe) {
  if (probe.projection == nullptr) return;
  const std::uint32_t b = probe.projection->slots[probe.projection->slot_of(probe.hash)];
  if (b != kNone) __builtin_prefetch(&probe.projection->buckets[b]);
}

OverlapIndex::Cursor OverlapIndex::first(const Probe& probe) {
  Subtable& subtable = *subtables_[probe.subtable];
  Cursor cursor{.is_exact = probe.route.is_exact, .subtable = &subtable};
  if (probe.projection == nullptr) {
    cursor.position = 0;
    if (cursor.is_exact) {
      if (subtable.group.is_loose) subtable.tighten();
      cursor.summary = &subtable.group.summary;
    }
    return cursor;
  }
  const std::uint32_t b = probe.projection->find(probe.hash);
  if (b == kNone) return cursor;
  Projection::Bucket& bucket = probe.projection->buckets[b];
  if (bucket.group.is_loose) probe.projection->tighten(bucket, subtable.items);
  cursor.projection = probe.projection;
  cursor.position = bucket.first;
  cursor.summary = &bucket.group.summary;
  return cursor;
}

/// Moves on to the first item at or after the cursor that overlaps.
void OverlapIndex::settle(Cursor& cursor, const MiniMatch& match) {
  const auto& items = cursor.subtable->items;
  for (; cursor.position < items.size(); cursor.position = after(cursor)) {
    cursor.item = items[cursor.position];
    if (cursor.item != nullptr && overlaps(*cursor.item->match, match)) return;
  }
  cursor.item = nullptr;
}

std::uint32_t OverlapIndex::after(const Cursor& cursor) {
  return cursor.projection != nullptr ? cursor.projection->nodes[cursor.position].next
                                      : cursor.position + 1;
}

void OverlapIndex::advance(Cursor& cursor, const MiniMatch& match) {
  cursor.position = after(cursor);
  settle(cursor, match);
}

}  // namespace hoist::offload

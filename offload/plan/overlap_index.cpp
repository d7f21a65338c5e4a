// SPDX-License-Identifier: BSD-3-Clause
#include "plan/overlap_index.hpp"

#include <algorithm>
#include <bit>
#include <span>

namespace hoist::offload {
namespace {

constexpr std::uint32_t kNone = 0xffffffff;
/// Below this many matches a subtable is read through.
constexpr std::size_t kFew = 16;
/// A projection costs 16 bytes a match; a subtable has at most this many.
constexpr std::size_t kMaxProjections = 24;

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

std::uint64_t hash_of(const Mask& mask) {
  std::uint64_t hash = mix(1, mask.map);
  for (const std::uint64_t w : mask.words) hash = mix(hash, w);
  return hash;
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
std::uint32_t hash_under(const MiniMatch& match, const Mask& mask) {
  std::uint64_t hash = 7;
  for_common(match.map(), match.words().data(), mask.map, mask.words.data(),
             [&](std::uint64_t, const MiniMatch::Word& w, std::uint64_t m) {
               hash = mix(hash, w.value & m);
             });
  return static_cast<std::uint32_t>(hash >> 32);
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

/// A chained hash over the positions of a subtable, by the value under `mask`.
struct OverlapIndex::Projection {
  struct Node {
    std::uint32_t hash = 0;
    std::uint32_t next = kNone;
    std::uint32_t previous = kNone;  ///< kNone: the node is its chain's head.
  };
  Mask mask;
  std::vector<std::uint32_t> heads;  ///< A power of two.
  std::vector<Node> nodes;           ///< By position.

  [[nodiscard]] std::uint32_t& head(std::uint32_t hash) { return heads[hash & (heads.size() - 1)]; }
  [[nodiscard]] std::uint32_t head(std::uint32_t hash) const {
    return heads[hash & (heads.size() - 1)];
  }

  void link(std::uint32_t position) {
    Node& node = nodes[position];
    std::uint32_t& at = head(node.hash);
    node.next = at;
    node.previous = kNone;
    if (at != kNone) nodes[at].previous = position;
    at = position;
  }
  void add(std::uint32_t position, const MiniMatch& match) {
    if (position >= nodes.size()) nodes.resize(position + 1);
    nodes[position].hash = hash_under(match, mask);
    link(position);
  }
  void remove(std::uint32_t position) {
    const Node& node = nodes[position];
    if (node.previous == kNone) {
      head(node.hash) = node.next;
    } else {
      nodes[node.previous].next = node.next;
    }
    if (node.next != kNone) nodes[node.next].previous = node.previous;
  }
};

/// The matches of one mask.
struct OverlapIndex::Subtable {
  Mask mask;
  std::vector<OverlapItem*> items;  ///< By position; null: free.
  std::vector<std::uint32_t> free;
  mutable std::vector<std::unique_ptr<Projection>> projections;

  [[nodiscard]] std::size_t size() const { return items.size() - free.size(); }

  std::unique_ptr<Projection> make(Mask projected) const {
    auto projection = std::make_unique<Projection>();
    projection->mask = std::move(projected);
    projection->heads.assign(std::bit_ceil(items.size() * 2), kNone);
    for (std::uint32_t i = 0; i < items.size(); ++i) {
      if (items[i] != nullptr) projection->add(i, items[i]->match);
    }
    return projection;
  }

  /// The projection for `wanted`, or the finest there is room for. Null: read all.
  const Projection* projection(const Mask& wanted) const {
    const Projection* best = nullptr;
    for (const auto& p : projections) {
      if (p->mask == wanted) return p.get();
      if (is_within(p->mask, wanted) &&
          (best == nullptr || bit_count(p->mask) > bit_count(best->mask))) {
        best = p.get();
      }
    }
    if (projections.size() >= kMaxProjections) return best;
    projections.push_back(make(wanted));
    return projections.back().get();
  }

  void grow() {
    for (auto& p : projections) {
      if (items.size() > p->heads.size()) p = make(std::move(p->mask));
    }
  }
};

OverlapIndex::OverlapIndex() = default;
OverlapIndex::~OverlapIndex() = default;
OverlapIndex::OverlapIndex(OverlapIndex&&) noexcept = default;
OverlapIndex& OverlapIndex::operator=(OverlapIndex&&) noexcept = default;

std::size_t OverlapIndex::subtable_count() const noexcept { return subtables_.size(); }

void OverlapIndex::insert(OverlapItem& item) {
  const Mask mask = mask_of(item.match);
  const std::uint64_t hash = hash_of(mask);
  const auto [begin, end] = by_mask_.equal_range(hash);
  const auto found =
      std::find_if(begin, end, [&](const auto& e) { return subtables_[e.second]->mask == mask; });
  if (found != end) {
    item.subtable = found->second;
  } else {
    item.subtable = static_cast<std::uint32_t>(subtables_.size());
    subtables_.push_back(std::make_unique<Subtable>());
    subtables_.back()->mask = mask;
    by_mask_.emplace(hash, item.subtable);
  }
  Subtable& subtable = *subtables_[item.subtable];
  if (subtable.free.empty()) {
    item.position = static_cast<std::uint32_t>(subtable.items.size());
    subtable.items.push_back(nullptr);
    subtable.grow();
  } else {
    item.position = subtable.free.back();
    subtable.free.pop_back();
  }
  subtable.items[item.position] = &item;
  for (auto& p : subtable.projections) p->add(item.position, item.match);
}

void OverlapIndex::erase(OverlapItem& item) {
  Subtable& subtable = *subtables_[item.subtable];
  for (auto& p : subtable.projections) p->remove(item.position);
  subtable.items[item.position] = nullptr;
  subtable.free.push_back(item.position);
}

OverlapIndex::Cursor OverlapIndex::first(std::size_t index, const MiniMatch& match) const {
  const Subtable& subtable = *subtables_[index];
  if (subtable.size() == 0) return {};
  Cursor cursor{.subtable = &subtable};
  if (subtable.size() > kFew) {
    const Mask common = common_mask(match, subtable.mask);
    if (common.map != 0) cursor.projection = subtable.projection(common);
  }
  if (cursor.projection != nullptr) {
    cursor.position = cursor.projection->head(hash_under(match, cursor.projection->mask));
  }
  return settle(cursor, match);
}

/// Moves on to the first item at or after the cursor that overlaps.
OverlapIndex::Cursor OverlapIndex::settle(Cursor cursor, const MiniMatch& match) {
  const Subtable& subtable = *cursor.subtable;
  while (cursor.position < subtable.items.size()) {
    OverlapItem* item = subtable.items[cursor.position];
    if (item != nullptr && overlaps(item->match, match)) {
      cursor.item = item;
      return cursor;
    }
    cursor.position = cursor.projection != nullptr ? cursor.projection->nodes[cursor.position].next
                                                   : cursor.position + 1;
  }
  return {};
}

OverlapIndex::Cursor OverlapIndex::next(Cursor cursor, const MiniMatch& match) {
  cursor.position = cursor.projection != nullptr ? cursor.projection->nodes[cursor.position].next
                                                 : cursor.position + 1;
  return settle(cursor, match);
}

}  // namespace hoist::offload

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "hoist/match.hpp"

namespace hoist::offload {

/// What is kept in an OverlapIndex: a match, and where the index put it. Derive from it.
struct OverlapItem {
  MiniMatch match;
  std::uint32_t subtable = 0;
  std::uint32_t position = 0;
};

/// Finds the matches that overlap a given one, without looking at all of them.
///
/// Matches of one mask form a subtable. For a query of mask M, a subtable of mask S is asked by the
/// bits that both consult: a hash over M & S (a projection, made when first needed). Cost of a
/// query: one probe a mask, and the answer. A subtable of few matches is read through; one with
/// many projections answers from the finest it has. Owned by one thread.
class OverlapIndex {
 public:
  OverlapIndex();
  ~OverlapIndex();
  OverlapIndex(OverlapIndex&&) noexcept;
  OverlapIndex& operator=(OverlapIndex&&) noexcept;

  /// `item.match` must stay as it is until erase().
  void insert(OverlapItem& item);
  void erase(OverlapItem& item);

  /// Calls visit(OverlapItem&) for each match that overlaps, in no order, until it returns false.
  /// The index must not be changed meanwhile.
  template <class Visit>
  void for_each_overlap(const MiniMatch& match, Visit&& visit) const {
    for (std::size_t i = 0; i < subtable_count(); ++i) {
      for (Cursor c = first(i, match); c.item != nullptr; c = next(c, match)) {
        if (!visit(*c.item)) return;
      }
    }
  }

  [[nodiscard]] std::size_t mask_count() const noexcept { return subtable_count(); }

 private:
  struct Projection;
  struct Subtable;
  struct Cursor {
    OverlapItem* item = nullptr;
    const Subtable* subtable = nullptr;
    const Projection* projection = nullptr;
    std::uint32_t position = 0;
  };
  [[nodiscard]] std::size_t subtable_count() const noexcept;
  [[nodiscard]] Cursor first(std::size_t subtable, const MiniMatch& match) const;
  [[nodiscard]] static Cursor next(Cursor cursor, const MiniMatch& match);
  [[nodiscard]] static Cursor settle(Cursor cursor, const MiniMatch& match);

  std::vector<std::unique_ptr<Subtable>> subtables_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_mask_;
};

}  // namespace hoist::offload

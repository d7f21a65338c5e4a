// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "hoist/match.hpp"

namespace hoist::offload {

/// How a rule stands, as far as its neighbours care.
struct Stance {
  std::uint16_t priority = 0;
  bool is_soft = false;  ///< Does not act, though packets in hardware may match it.
  bool acts = false;     ///< Full or partial.
  bool stands = false;   ///< Acts or guards: it has a level.
  std::uint32_t level = 0;
  bool operator==(const Stance&) const = default;
};

/// What several rules have in common. Bounds are of those that stand.
struct Summary {
  std::uint32_t soft = 0;
  std::uint32_t acting = 0;
  std::uint32_t standing = 0;
  std::uint16_t min_priority = 0xffff;
  std::uint16_t max_priority = 0;
  std::uint32_t min_level = 0xffffffff;
  std::uint32_t max_level = 0;

  void widen(const Stance& stance) noexcept;
};

/// What is kept in an OverlapIndex: a match, how its rule stands, and where the index put it.
/// Derive from it.
struct OverlapItem {
  const MiniMatch* match = nullptr;
  Stance stance;
  std::uint32_t subtable = 0xffffffff;  ///< None: it was never in an index.
  std::uint32_t position = 0;
};

/// Finds the matches that overlap a given one, without looking at all of them.
///
/// Matches of one mask form a subtable. For a query of mask M, a subtable of mask S is asked by the
/// bits that both consult: a hash over M & S (a projection, made when first needed). Those of one
/// hash form a group with a summary, so that most questions ("does one of these stand below?", "how
/// high are they at most?") need not look at its members. Cost of a query: one probe a mask, and
/// the members that it has to see. A subtable with many projections has coarse ones for the rest.
/// Owned by one thread.
class OverlapIndex {
 public:
  OverlapIndex();
  ~OverlapIndex();
  OverlapIndex(OverlapIndex&&) noexcept;
  OverlapIndex& operator=(OverlapIndex&&) noexcept;

  /// `*item.match` must stay as it is until erase().
  void insert(OverlapItem& item);
  void erase(OverlapItem& item);
  void change(OverlapItem& item, const Stance& stance);

  /// Calls take(summary, is_exact) for groups of matches that may overlap, and for each member of
  /// those it takes that does overlap visit(OverlapItem&), in no order, until that returns false.
  /// is_exact: every member overlaps, and the bounds are those of the members, not wider ones. A
  /// group may be asked about first as a part of a larger one. The index must not be changed
  /// meanwhile.
  template <class Take, class Visit>
  void search(const MiniMatch& match, Take&& take, Visit&& visit) {
    search_row(row_of(match), match, take, visit);
  }
  /// The same for the match of an item that is, or was, in the index.
  template <class Take, class Visit>
  void search(const OverlapItem& item, Take&& take, Visit&& visit) {
    search_row(item.subtable, *item.match, take, visit);
  }
  /// The same for all that overlap.
  template <class Visit>
  void for_each_overlap(const MiniMatch& match, Visit&& visit) {
    search(
        match, [](const Summary&, bool) { return true; }, visit);
  }

  [[nodiscard]] std::size_t mask_count() const noexcept { return subtable_count(); }

 private:
  struct Group;
  struct Projection;
  struct Subtable;
  struct Cursor {
    OverlapItem* item = nullptr;
    const Summary* summary = nullptr;  ///< Of all that the cursor runs over, if they are a group.
    bool is_exact = false;
    const Subtable* subtable = nullptr;
    const Projection* projection = nullptr;  ///< Null: all of the subtable.
    std::uint32_t position = 0xffffffff;     ///< Beyond the last: nothing is left.
  };
  /// How to ask one subtable with one mask.
  struct Route {
    static constexpr std::uint8_t kUnknown = 0, kAll = 1, kFirstProjection = 2;
    std::uint8_t way = kUnknown;
    bool is_exact = false;
  };

  /// A subtable about to be asked: where the answer is, is on its way into the cache.
  struct Probe {
    std::uint32_t subtable = 0;
    Route route;
    Projection* projection = nullptr;  ///< Null: all of the subtable.
    std::uint64_t hash = 0;
  };

  template <class Take, class Visit>
  void search_row(std::uint32_t row, const MiniMatch& match, Take& take, Visit& visit) {
    // PERF: several subtables at a time wait for memory together: 300 masks took 27 us one by one.
    std::array<Probe, 16> probes;
    for (std::uint32_t next = 0; next < subtable_count();) {
      std::size_t count = 0;
      for (; next < subtable_count() && count < probes.size(); ++next) {
        if (is_empty(next) || !take(summary_of(next), false)) continue;
        probes[count++] = start(row, next, match);
      }
      for (std::size_t i = 0; i < count; ++i) fetch(probes[i]);
      for (std::size_t i = 0; i < count; ++i) {
        Cursor cursor = first(probes[i]);
        const bool is_group = cursor.summary != nullptr;
        // Without a group the subtable is asked about again: the answer may have changed since.
        if (!take(is_group ? *cursor.summary : summary_of(probes[i].subtable),
                  is_group && cursor.is_exact)) {
          continue;
        }
        for (settle(cursor, match); cursor.item != nullptr; advance(cursor, match)) {
          if (!visit(*cursor.item)) return;
        }
      }
    }
  }

  [[nodiscard]] std::size_t subtable_count() const noexcept { return subtables_.size(); }
  [[nodiscard]] bool is_empty(std::uint32_t subtable) const noexcept;
  [[nodiscard]] const Summary& summary_of(std::uint32_t subtable) const noexcept;
  [[nodiscard]] std::uint32_t row_of(const MiniMatch& match) const;
  [[nodiscard]] Route route(std::uint32_t row, std::uint32_t subtable, const MiniMatch& match);
  [[nodiscard]] Probe start(std::uint32_t row, std::uint32_t subtable, const MiniMatch& match);
  static void fetch(const Probe& probe);
  [[nodiscard]] Cursor first(const Probe& probe);
  [[nodiscard]] static std::uint32_t after(const Cursor& cursor);
  static void advance(Cursor& cursor, const MiniMatch& match);
  static void settle(Cursor& cursor, const MiniMatch& match);

  std::vector<std::unique_ptr<Subtable>> subtables_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_mask_;
  std::vector<std::vector<Route>> routes_;  ///< By the subtable of the query's mask.
};

}  // namespace hoist::offload

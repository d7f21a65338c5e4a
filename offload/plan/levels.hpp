// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "plan/entry.hpp"
#include "plan/overlap_index.hpp"

namespace hoist::offload {

/// The priorities of a table's rules.
class Priorities {
 public:
  void add(std::uint16_t priority) { ++counts_[priority]; }
  void remove(std::uint16_t priority) {
    const auto it = counts_.find(priority);
    if (--it->second == 0) counts_.erase(it);
  }
  /// Where a rule of this priority would stand if the levels were dealt out evenly from the highest
  /// priority to the lowest. Some levels stay free at both ends if there are enough.
  [[nodiscard]] std::int64_t target(std::uint16_t priority, std::uint32_t level_count) const;

 private:
  std::map<std::uint16_t, std::uint32_t> counts_;  ///< Rules of each.
};

/// Gives rules of one table the levels that keep overlapping ones in order. Where there are many
/// levels a rule stands where its priority wants it, so that most that come between two others move
/// neither; where there are few, as high as it may, so that rules that overlap nothing share one.
class Levels {
 public:
  struct Move {
    Entry* entry;
    std::uint32_t level;
  };
  struct Place {
    std::uint32_t level = 0;
    std::vector<Move> moves;  ///< To be made first, in this order.
  };

  explicit Levels(std::uint32_t level_count) : count_(level_count) {}

  /// Nothing: there are not enough levels. Changes nothing.
  [[nodiscard]] std::optional<Place> place(OverlapIndex& index, const Priorities& priorities,
                                           const Entry& entry) const;

 private:
  struct Bounds {
    std::int64_t lo;
    std::int64_t hi;
    std::vector<std::uint32_t> twins;

    [[nodiscard]] bool is_twin(std::int64_t level) const;
  };
  enum class Way : std::uint8_t { kUp, kDown };

  [[nodiscard]] Bounds bounds(OverlapIndex& index, const Entry& entry) const;
  [[nodiscard]] std::int64_t pick(const Bounds& bounds, std::int64_t target) const;
  /// What place() works on.
  struct Work {
    OverlapIndex& index;
    const Priorities& priorities;
    Way way = Way::kDown;
    std::unordered_map<Entry*, std::int64_t> moves;

    [[nodiscard]] std::int64_t level_of(Entry* entry) const;
  };
  [[nodiscard]] std::optional<Place> place_at(Work work, const Entry& entry,
                                              std::int64_t level) const;
  [[nodiscard]] bool push(Work& work, const Entry& from, std::int64_t level) const;

  std::uint32_t count_;
};

}  // namespace hoist::offload

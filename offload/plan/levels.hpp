// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "plan/entry.hpp"
#include "plan/overlap_index.hpp"

namespace hoist::offload {

/// Gives rules of one table the levels that keep overlapping ones in order. Rules that overlap
/// nothing share one level. Where there are many levels, gaps are left, so that a rule that comes
/// between two others moves neither.
class Levels {
 public:
  struct Move {
    Entry* entry;
    std::uint32_t level;
  };
  struct Place {
    std::uint32_t level = 0;
    std::vector<Move> moves;  ///< To be made first, in this order: the lowest rule comes first.
  };

  explicit Levels(std::uint32_t level_count) : count_(level_count) {}

  /// Nothing: there are not enough levels. Changes nothing.
  [[nodiscard]] std::optional<Place> place(const OverlapIndex& index, const Entry& entry) const;

 private:
  struct Bounds {
    std::int64_t lo;
    std::int64_t hi;
    bool has_lower = false;
    bool has_higher = false;
    std::vector<std::uint32_t> twins;
  };
  [[nodiscard]] Bounds bounds(const OverlapIndex& index, const Entry& entry) const;
  [[nodiscard]] std::int64_t pick(const Bounds& bounds) const;
  [[nodiscard]] bool push_down(const OverlapIndex& index, const Entry& above, std::int64_t level,
                               std::vector<Move>& moves) const;

  std::uint32_t count_;
};

}  // namespace hoist::offload

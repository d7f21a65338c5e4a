// SPDX-License-Identifier: BSD-3-Clause
#include "plan/levels.hpp"

#include <algorithm>
#include <functional>

namespace hoist::offload {
namespace {

/// From this many levels on there are gaps of a 64th of them.
constexpr std::uint32_t kManyLevels = 1024;

std::int64_t level_of(const Entry& entry, const std::vector<Levels::Move>& moves) {
  for (const Levels::Move& move : moves) {
    if (move.entry == &entry) return move.level;
  }
  return entry.desired.level;
}

}  // namespace

Levels::Bounds Levels::bounds(const OverlapIndex& index, const Entry& entry) const {
  Bounds b{.lo = 0, .hi = std::int64_t{count_} - 1, .twins = {}};
  // From one acting form to another the two stand side by side for a moment.
  if (entry.acts()) b.twins.push_back(entry.desired.level);
  index.for_each_overlap(entry.match, [&](OverlapItem& item) {
    const Entry& other = static_cast<const Entry&>(item);
    if (&other == &entry || other.desired.form == Form::kNone) return true;
    const std::int64_t level = other.desired.level;
    if (are_twins(other, entry)) {
      b.twins.push_back(other.desired.level);
    } else if (goes_before(other, entry)) {
      b.lo = std::max(b.lo, level + 1);
      b.has_higher = true;
    } else {
      b.hi = std::min(b.hi, level - 1);
      b.has_lower = true;
    }
    return true;
  });
  return b;
}

std::int64_t Levels::pick(const Bounds& b) const {
  if (count_ < kManyLevels) return b.lo;
  const std::int64_t gap = count_ / 64;
  if (b.has_higher && b.has_lower) return b.lo + (b.hi - b.lo) / 2;
  if (b.has_higher) return std::min(b.lo + gap, b.lo + (b.hi - b.lo) / 2);
  if (b.has_lower) return std::max(b.hi - gap, b.lo + (b.hi - b.lo) / 2);
  return count_ / 2;
}

/// Makes sure that every acting rule below `above` that overlaps it stands below `level`.
bool Levels::push_down(const OverlapIndex& index, const Entry& above, std::int64_t level,
                       std::vector<Move>& moves) const {
  std::vector<Entry*> touched;
  index.for_each_overlap(above.match, [&](OverlapItem& item) {
    auto& other = static_cast<Entry&>(item);
    const bool is_below = &other != &above && other.desired.form != Form::kNone &&
                          (are_twins(other, above) ? false : goes_before(above, other));
    if (is_below && level_of(other, moves) <= level) touched.push_back(&other);
    return true;
  });
  for (Entry* other : touched) {
    if (level_of(*other, moves) > level) continue;  // moved meanwhile
    const std::int64_t to = level + 1;
    if (to >= std::int64_t{count_}) return false;
    std::erase_if(moves, [&](const Move& move) { return move.entry == other; });
    if (!push_down(index, *other, to, moves)) return false;
    moves.push_back(Move{other, static_cast<std::uint32_t>(to)});
  }
  return true;
}

std::optional<Levels::Place> Levels::place(const OverlapIndex& index, const Entry& entry) const {
  const Bounds b = bounds(index, entry);
  Place out;
  std::int64_t level = b.lo;
  if (b.lo <= b.hi) level = pick(b);
  const auto is_twin = [&](std::int64_t l) {
    return std::ranges::find(b.twins, static_cast<std::uint32_t>(l)) != b.twins.end();
  };
  if (is_twin(level)) level = level > b.lo && !is_twin(level - 1) ? level - 1 : level + 1;
  while (is_twin(level)) ++level;
  if (level >= std::int64_t{count_}) return std::nullopt;
  if (level > b.hi && !push_down(index, entry, level, out.moves)) return std::nullopt;
  out.level = static_cast<std::uint32_t>(level);
  // Lowest first: at no moment does one that was above another stand level with it or below.
  std::ranges::sort(out.moves, std::greater{}, &Move::level);
  return out;
}

}  // namespace hoist::offload

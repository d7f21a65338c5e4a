// SPDX-License-Identifier: BSD-3-Clause
#include "plan/levels.hpp"

#include <algorithm>
#include <functional>

namespace hoist::offload {
namespace {

/// From this many levels on they are dealt out by priority.
constexpr std::uint32_t kManyLevels = 1024;
/// A rule that cannot stand where its priority wants it keeps this much away from its neighbour.
constexpr std::int64_t kGap = 4;

}  // namespace

std::int64_t Priorities::target(std::uint16_t priority, std::uint32_t level_count) const {
  const std::int64_t count = level_count;
  if (counts_.size() < 2) return count / 2;
  const std::int64_t highest = counts_.rbegin()->first;
  const std::int64_t range = highest - counts_.begin()->first + 1;
  const std::int64_t span = std::clamp(range, count / 2, count);
  return (count - span) / 2 + (highest - priority) * span / range;
}

bool Levels::Bounds::is_twin(std::int64_t level) const {
  return std::ranges::find(twins, static_cast<std::uint32_t>(level)) != twins.end();
}

Levels::Bounds Levels::bounds(OverlapIndex& index, const Entry& entry) const {
  Bounds b{.lo = 0, .hi = std::int64_t{count_} - 1, .twins = {}};
  // From one acting form to another the two stand side by side for a moment.
  if (entry.acts()) b.twins.push_back(entry.desired.level);
  const std::uint16_t priority = entry.rule->priority;
  // A group that wholly goes before or after the entry is known by its bounds.
  const auto take = [&](const Summary& s, bool is_exact) {
    if (s.standing == 0) return false;
    const std::int64_t lo = std::int64_t{s.max_level} + 1;
    const std::int64_t hi = std::int64_t{s.min_level} - 1;
    const bool goes_first = s.min_priority > priority;
    const bool goes_last = s.max_priority < priority;
    if ((goes_last || lo <= b.lo) && (goes_first || hi >= b.hi)) return false;
    if (!is_exact || (!goes_first && !goes_last)) return true;
    (goes_first ? b.lo : b.hi) = goes_first ? lo : hi;
    return false;
  };
  index.search(entry, take, [&](OverlapItem& item) {
    const Entry& other = static_cast<const Entry&>(item);
    if (&other == &entry || other.desired.form == Form::kNone) return true;
    const std::int64_t level = other.desired.level;
    if (are_twins(other, entry)) {
      b.twins.push_back(other.desired.level);
    } else if (goes_before(other, entry)) {
      b.lo = std::max(b.lo, level + 1);
    } else {
      b.hi = std::min(b.hi, level - 1);
    }
    return true;
  });
  return b;
}

std::int64_t Levels::pick(const Bounds& b, std::int64_t target) const {
  if (count_ < kManyLevels) return b.lo;
  if (target < b.lo) return b.lo + std::min(kGap, (b.hi - b.lo) / 2);
  if (target > b.hi) return b.hi - std::min(kGap, (b.hi - b.lo) / 2);
  return target;
}

std::int64_t Levels::Work::level_of(Entry* entry) const {
  const auto it = moves.find(entry);
  return it == moves.end() ? entry->desired.level : it->second;
}

/// Makes sure that every standing rule beyond `from` that overlaps it stands beyond `level`: below
/// it (Way::kDown) or above. What has to move goes on to where its priority wants it, so that those
/// that come next find room.
bool Levels::push(Work& work, const Entry& from, std::int64_t level) const {
  const bool is_down = work.way == Way::kDown;
  const std::uint16_t priority = from.rule->priority;
  const auto is_in_way = [&](std::int64_t l) { return is_down ? l <= level : l >= level; };
  const auto take = [&](const Summary& s, bool) {
    if (s.standing == 0) return false;
    return is_down ? s.min_priority <= priority && s.min_level <= level
                   : s.max_priority >= priority && s.max_level >= level;
  };
  std::vector<Entry*> touched;
  work.index.search(from, take, [&](OverlapItem& item) {
    auto& other = static_cast<Entry&>(item);
    if (&other == &from || other.desired.form == Form::kNone || are_twins(other, from)) return true;
    const bool is_beyond = is_down ? goes_before(from, other) : goes_before(other, from);
    if (is_beyond && is_in_way(work.level_of(&other))) touched.push_back(&other);
    return true;
  });
  for (Entry* other : touched) {
    if (!is_in_way(work.level_of(other))) continue;  // moved meanwhile
    std::int64_t to = is_down ? level + 1 : level - 1;
    if (count_ >= kManyLevels) {
      const std::int64_t target = work.priorities.target(other->rule->priority, count_);
      to = is_down ? std::max(to, target) : std::min(to, target);
    }
    if (to < 0 || to >= std::int64_t{count_} || !push(work, *other, to)) return false;
    work.moves[other] = to;
  }
  return true;
}

std::optional<Levels::Place> Levels::place_at(Work work, const Entry& entry,
                                              std::int64_t level) const {
  if (level < 0 || level >= std::int64_t{count_} || !push(work, entry, level)) return std::nullopt;
  Place out{.level = static_cast<std::uint32_t>(level), .moves = {}};
  for (const auto& [other, to] : work.moves) {
    out.moves.push_back({other, static_cast<std::uint32_t>(to)});
  }
  // Those furthest away first: at no moment does one that was above another stand level with it or
  // below.
  if (work.way == Way::kDown) {
    std::ranges::sort(out.moves, std::greater{}, &Move::level);
  } else {
    std::ranges::sort(out.moves, std::less{}, &Move::level);
  }
  return out;
}

std::optional<Levels::Place> Levels::place(OverlapIndex& index, const Priorities& priorities,
                                           const Entry& entry) const {
  const Bounds b = bounds(index, entry);
  if (b.lo > b.hi) {
    std::int64_t level = b.lo;
    while (b.is_twin(level)) ++level;
    if (auto down = place_at({index, priorities, Way::kDown, {}}, entry, level)) return down;
    level = b.hi;
    while (b.is_twin(level)) --level;
    return place_at({index, priorities, Way::kUp, {}}, entry, level);
  }
  std::int64_t level = pick(b, priorities.target(entry.rule->priority, count_));
  if (b.is_twin(level)) level = level > b.lo && !b.is_twin(level - 1) ? level - 1 : level + 1;
  while (b.is_twin(level)) ++level;
  if (level <= b.hi) return Place{.level = static_cast<std::uint32_t>(level), .moves = {}};
  return place_at({index, priorities, Way::kDown, {}}, entry, level);
}

}  // namespace hoist::offload

// SPDX-License-Identifier: BSD-3-Clause
// Which rules are worth the room: the ones that carry the most packets a second.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "plan/planner.hpp"
#include "plan/reasons.hpp"
#include "plan/swap.hpp"

namespace hoist::offload {
namespace {

/// Rates are exponential averages over so many seconds.
constexpr double kWindow = 3;
/// A rule in tier partial spares software the lookup only.
constexpr double kPartialWorth = 0.25;

double worth(const Entry& entry) {
  const bool is_partial =
      entry.acts() ? entry.desired.form == Form::kPartial : !entry.assessment.full;
  return is_partial ? entry.rate * kPartialWorth : entry.rate;
}

std::uint64_t size_of(const Entry& entry) {
  const Assessment& a = entry.assessment;
  if (a.full) return a.full->rule_count;
  return a.partial ? a.partial->rule_count : 0;
}

RoomUnit unit_of(const Entry& entry, std::uint64_t size) {
  return {.worth = worth(entry), .size = size, .id = to_integer(entry.rule->id)};
}

}  // namespace

void Planner::carried(RuleId rule, std::uint64_t packets) {
  if (Entry* entry = find_entry(rule)) entry->gained += packets;
}

void Planner::rank(double seconds) {
  if (seconds <= 0) return;
  const double weight = 1 - std::exp(-seconds / kWindow);
  for (auto [id, entry] : entries_) {
    const double now = static_cast<double>(std::exchange(entry.gained, 0)) / seconds;
    entry.rate += (now - entry.rate) * weight;
  }
}

void Planner::rebalance(std::size_t moves_max) {
  if (waiting_.empty() || moves_max == 0) return;
  std::vector<RoomUnit> hot;
  for (const Entry* entry : waiting_) {
    if (entry->assessment.is_bound) continue;
    if (const std::uint64_t size = size_of(*entry)) hot.push_back(unit_of(*entry, size));
  }
  std::vector<RoomUnit> cold;
  for (const auto& table : tables_) {
    if (table == nullptr) continue;
    for (const Entry* entry : table->acting) {
      if (entry->assessment.is_bound) continue;
      cold.push_back(unit_of(*entry, entry->cost(entry->desired.form)->rule_count));
    }
  }
  coldest_ = -1;
  const auto may_go = [this](const RoomUnit& unit) {
    if (!may_give_way(RuleId{unit.id})) return false;
    if (coldest_ < 0) coldest_ = unit.worth;
    return true;
  };
  const std::uint64_t free =
      capacity_ == 0 ? 0 : capacity_ - std::min(capacity_, planned_ + overhead_);
  for (const Swap& swap : choose_swaps(std::move(hot), std::move(cold), free, moves_max, may_go)) {
    for (const std::uint32_t id : swap.out) tasks_.push_back({Task::Kind::kEvict, RuleId{id}});
    tasks_.push_back({Task::Kind::kSettle, RuleId{swap.in}});
  }
}

bool Planner::may_give_way(RuleId rule) {
  const Entry* entry = find(rule);
  return entry != nullptr && entry->acts() && !has_acting_below(*entry);
}

std::string Planner::describe_rate(const Entry& entry) const {
  if (coldest_ < 0) return "";
  std::array<char, 160> text;
  std::snprintf(text.data(), text.size(),
                ": carries %.1f packets/s; the coldest that could make room for it %.1f",
                worth(entry), coldest_);
  return text.data();
}

Planner::Rank Planner::rank_of(const Entry& entry) const {
  Rank out{.place = 1, .of = 0};
  for (const auto& [id, other] : entries_) {
    if (other.rate > 0) ++out.of;
    if (worth(other) > worth(entry)) ++out.place;
  }
  return out;
}

void Planner::evict(RuleId rule) {
  Entry* entry = find_entry(rule);
  if (entry == nullptr || !entry->acts() || has_acting_below(*entry)) return;
  demote(*entry, kNoRoom);
  waiting_.insert(entry);
}

}  // namespace hoist::offload

// SPDX-License-Identifier: BSD-3-Clause
// Which rules are worth the room: the ones that carry the most packets a second.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "plan/planner.hpp"
#include "plan/reasons.hpp"

namespace hoist::offload {
namespace {

/// Rates are exponential averages over so many seconds.
constexpr double kWindow = 3;
/// A rule comes in only for one that carries this much less, and by so many packets a second: what
/// comes and goes costs the NIC, and rates of rare packets are noise.
constexpr double kAdvantage = 1.25;
constexpr double kLead = 1;
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

using Ranked = std::vector<std::pair<double, Entry*>>;

/// The first `count` in order.
template <class Order>
void keep_best(Ranked& all, std::size_t count, Order order) {
  count = std::min(count, all.size());
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(count);
  std::ranges::partial_sort(all, end, order);
  all.resize(count);
}

}  // namespace

void Planner::carried(RuleId rule, std::uint64_t packets) {
  if (Entry* entry = find_entry(rule)) entry->gained += packets;
}

void Planner::rank(double seconds) {
  if (seconds <= 0) return;
  const double weight = 1 - std::exp(-seconds / kWindow);
  for (const auto& [id, entry] : entries_) {
    const double now = static_cast<double>(std::exchange(entry->gained, 0)) / seconds;
    entry->rate += (now - entry->rate) * weight;
  }
}

void Planner::rebalance(std::size_t moves_max) {
  if (waiting_.empty() || moves_max == 0) return;
  const auto by_worth = [](const auto& a, const auto& b) { return a.first < b.first; };
  Ranked hot;
  for (Entry* entry : waiting_) {
    if (entry->assessment.is_bound) continue;
    if (entry->rate > 0 && size_of(*entry) != 0) hot.emplace_back(worth(*entry), entry);
  }
  keep_best(hot, moves_max, [](const auto& a, const auto& b) { return a.first > b.first; });
  if (hot.empty()) return;
  // Only what can go without leaving a guard makes room.
  Ranked cold;
  for (const auto& table : tables_) {
    if (table == nullptr) continue;
    for (Entry* entry : table->acting) {
      if (!entry->assessment.is_bound) cold.emplace_back(worth(*entry), entry);
    }
  }
  keep_best(cold, 2 * moves_max, by_worth);
  std::erase_if(cold, [this](const auto& c) { return has_acting_below(*c.second); });

  coldest_ = cold.empty() ? -1 : cold.front().first;

  std::uint64_t free = capacity_ == 0 ? 0 : capacity_ - std::min(capacity_, planned_ + overhead_);
  auto victim = cold.begin();
  for (const auto& [value, entry] : hot) {
    const std::uint64_t size = size_of(*entry);
    const auto first = victim;
    std::uint64_t freed = 0;
    double lost = 0;
    while (free + freed < size && victim != cold.end()) {
      lost += victim->first;
      freed += victim->second->cost(victim->second->desired.form)->rule_count;
      ++victim;
    }
    if (free + freed < size || (freed != 0 && value < lost * kAdvantage + kLead)) return;
    for (auto v = first; v != victim; ++v) {
      tasks_.push_back({Task::Kind::kEvict, v->second->rule->id});
    }
    tasks_.push_back({Task::Kind::kSettle, entry->rule->id});
    free += freed - size;
  }
}

std::string Planner::describe_rate(const Entry& entry) const {
  if (coldest_ < 0) return "";
  std::array<char, 160> text;
  std::snprintf(text.data(), text.size(),
                ": carries %.1f packets/s; the coldest that could make room for it %.1f",
                worth(entry), coldest_);
  return text.data();
}

void Planner::evict(RuleId rule) {
  Entry* entry = find_entry(rule);
  if (entry == nullptr || !entry->acts() || has_acting_below(*entry)) return;
  demote(*entry, kNoRoom);
  waiting_.insert(entry);
}

}  // namespace hoist::offload

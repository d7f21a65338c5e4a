// SPDX-License-Identifier: BSD-3-Clause
#include "plan/swap.hpp"

#include <algorithm>
#include <utility>

namespace hoist::offload {
namespace {

/// One comes in only for what carries this much less, and by so many packets a second: what comes
/// and goes costs the NIC, and rates of rare packets are noise.
constexpr double kAdvantage = 1.25;
constexpr double kLead = 1;

/// The first `count` in order.
template <class Order>
void keep_first(std::vector<RoomUnit>& all, std::size_t count, Order order) {
  count = std::min(count, all.size());
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(count);
  std::ranges::partial_sort(all, end, order, &RoomUnit::worth);
  all.resize(count);
}

}  // namespace

std::vector<Swap> choose_swaps(std::vector<RoomUnit> hot, std::vector<RoomUnit> cold,
                               std::uint64_t free, std::size_t moves_max,
                               const std::function<bool(const RoomUnit&)>& may_go) {
  std::erase_if(hot, [](const RoomUnit& unit) { return unit.worth <= 0; });
  keep_first(hot, moves_max, std::greater());
  if (hot.empty()) return {};
  keep_first(cold, 2 * moves_max, std::less());
  std::vector<Swap> swaps;
  auto victim = cold.begin();
  for (const RoomUnit& unit : hot) {
    Swap swap{.in = unit.id, .out = {}};
    std::uint64_t freed = 0;
    double lost = 0;
    for (; free + freed < unit.size && victim != cold.end(); ++victim) {
      if (!may_go(*victim)) continue;
      lost += victim->worth;
      freed += victim->size;
      swap.out.push_back(victim->id);
    }
    if (free + freed < unit.size) break;
    if (freed != 0 && unit.worth < lost * kAdvantage + kLead) break;
    free = free + freed - unit.size;
    swaps.push_back(std::move(swap));
  }
  return swaps;
}

}  // namespace hoist::offload

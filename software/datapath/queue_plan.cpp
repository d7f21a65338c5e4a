// SPDX-License-Identifier: BSD-3-Clause
#include "datapath/queue_plan.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace hoist::software {
namespace {

struct Share {
  std::uint64_t load = 0;
  std::size_t queues = 0;
  bool is_isolated = false;
};

std::vector<Share> shares_of_pinned(std::span<const PlannedQueue> queues, unsigned worker_count) {
  std::vector<Share> shares(worker_count);
  for (const PlannedQueue& queue : queues) {
    if (!queue.pinned) continue;
    Share& share = shares[*queue.pinned];
    share.load += queue.load;
    ++share.queues;
    share.is_isolated = true;
  }
  if (std::ranges::all_of(shares, &Share::is_isolated)) {
    for (Share& share : shares) share.is_isolated = false;
  }
  return shares;
}

}  // namespace

std::vector<unsigned> plan_queues(std::span<const PlannedQueue> queues, unsigned worker_count) {
  std::vector<Share> shares = shares_of_pinned(queues, worker_count);
  std::vector<std::size_t> order(queues.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t i) { return queues[i].load; });
  std::vector<unsigned> plan(queues.size());
  for (const std::size_t i : order) {
    if (queues[i].pinned) {
      plan[i] = *queues[i].pinned;
      continue;
    }
    const auto least = std::ranges::min_element(
        shares, {}, [](const Share& s) { return std::tuple(s.is_isolated, s.load, s.queues); });
    least->load += queues[i].load;
    ++least->queues;
    plan[i] = static_cast<unsigned>(least - shares.begin());
  }
  return plan;
}

std::uint64_t load_variance(std::span<const PlannedQueue> queues, std::span<const unsigned> plan,
                            unsigned worker_count, std::uint64_t capacity) {
  if (worker_count == 0 || capacity == 0) return 0;
  std::vector<std::uint64_t> loads(worker_count);
  for (std::size_t i = 0; i < queues.size(); ++i) loads[plan[i]] += queues[i].load;
  std::uint64_t sum = 0;
  for (std::uint64_t& load : loads) sum += load = load * 100 / capacity;
  const std::uint64_t mean = sum / worker_count;
  std::uint64_t squares = 0;
  for (const std::uint64_t load : loads) {
    const std::uint64_t distance = load > mean ? load - mean : mean - load;
    squares += distance * distance;
  }
  return squares / worker_count;
}

}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hoist::software {

/// A receive queue as the planner sees it.
struct PlannedQueue {
  std::uint64_t load;              ///< Cycles, or anything else that adds up.
  std::optional<unsigned> pinned;  ///< To this worker.
};

/// Which worker serves which queue: pinned queues go where they are pinned, and a worker that has
/// such queues gets no others, unless all have. The others, heaviest first, go to whoever has least
/// load, then fewest queues. Pure.
[[nodiscard]] std::vector<unsigned> plan_queues(std::span<const PlannedQueue> queues,
                                                unsigned worker_count);

/// Variance of the workers' loads under a plan, in squared percent of `capacity` (what a worker can
/// carry in the time that the loads were measured over).
[[nodiscard]] std::uint64_t load_variance(std::span<const PlannedQueue> queues,
                                          std::span<const unsigned> plan, unsigned worker_count,
                                          std::uint64_t capacity);

}  // namespace hoist::software

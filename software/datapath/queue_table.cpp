// SPDX-License-Identifier: BSD-3-Clause
#include "datapath/queue_table.hpp"

#include <algorithm>

namespace hoist::software {

std::uint64_t UsageHistory::gained(std::size_t intervals) const noexcept {
  const std::size_t count = std::min({intervals, kIntervals, next_});
  std::uint64_t sum = 0;
  for (std::size_t i = 1; i <= count; ++i) sum += gained_[(next_ - i) % kIntervals];
  return sum;
}

void QueueTable::add_port(std::uint16_t slot, std::uint16_t ethdev, std::uint16_t count) {
  for (std::uint16_t q = 0; q < count; ++q) {
    const unsigned worker = least_used();
    queues_.push_back({.slot = slot, .ethdev = ethdev, .queue = q, .worker = worker});
  }
}

void QueueTable::remove_port(std::uint16_t slot) {
  std::erase_if(queues_, [=](const Queue& q) { return q.slot == slot; });
}

void QueueTable::pin(std::uint16_t slot, std::span<const std::pair<std::uint16_t, unsigned>> pins) {
  for (Queue& q : queues_) {
    if (q.slot != slot) continue;
    q.pinned.reset();
    for (const auto& [queue, worker] : pins) {
      if (queue == q.queue) q.pinned = worker;
    }
  }
}

bool QueueTable::move_to(std::span<const unsigned> plan) {
  bool moves = false;
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    if (queues_[i].worker == plan[i]) continue;
    queues_[i].worker = plan[i];
    queues_[i].is_resting = moves = true;
  }
  return moves;
}

void QueueTable::end_rest() noexcept {
  for (Queue& q : queues_) q.is_resting = false;
}

bool QueueTable::has_resting() const noexcept {
  return std::ranges::any_of(queues_, &Queue::is_resting);
}

std::vector<unsigned> QueueTable::plan() const { return plan_queues(planned(), worker_count()); }

std::vector<unsigned> QueueTable::plan_of_pins() const {
  std::vector<unsigned> plan = current();
  const std::vector<unsigned> anew = this->plan();
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    if (queues_[i].pinned || is_isolated(plan[i])) plan[i] = anew[i];
  }
  return plan;
}

std::uint32_t QueueTable::improvement_percent(std::span<const unsigned> plan) const {
  std::uint64_t capacity = 0;
  for (const WorkerUsage& w : workers_) {
    capacity = std::max(capacity, w.busy.gained(UsageHistory::kIntervals) +
                                      w.idle.gained(UsageHistory::kIntervals));
  }
  const std::vector<PlannedQueue> queues = planned();
  const std::uint64_t now = load_variance(queues, current(), worker_count(), capacity);
  const std::uint64_t then = load_variance(queues, plan, worker_count(), capacity);
  return now <= then ? 0 : static_cast<std::uint32_t>((now - then) * 100 / now);
}

std::uint32_t QueueTable::top_load_percent(std::size_t intervals) const {
  std::uint64_t top = 0;
  for (unsigned w = 0; w < worker_count(); ++w) {
    if (is_isolated(w)) continue;
    const std::uint64_t busy = workers_[w].busy.gained(intervals);
    const std::uint64_t all = busy + workers_[w].idle.gained(intervals);
    if (all != 0) top = std::max(top, busy * 100 / all);
  }
  return static_cast<std::uint32_t>(top);
}

void QueueTable::sample(std::span<const std::pair<std::uint64_t, std::uint64_t>> busy_and_idle) {
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    workers_[i].busy.sample(busy_and_idle[i].first);
    workers_[i].idle.sample(busy_and_idle[i].second);
  }
  for (Queue& q : queues_) q.usage.sample(q.load->cycles.get());
}

void QueueTable::fill(View& view) const {
  view.queues.resize(workers_.size());
  for (const Queue& q : queues_) {
    if (!q.is_resting) view.queues[q.worker].push_back({q.slot, q.ethdev, q.queue, q.load});
  }
}

bool QueueTable::is_isolated(unsigned worker) const noexcept {
  const auto has_pinned = [this](unsigned w) {
    return std::ranges::any_of(queues_, [=](const Queue& q) { return q.pinned == w; });
  };
  if (!has_pinned(worker)) return false;
  for (unsigned w = 0; w < worker_count(); ++w) {
    if (!has_pinned(w)) return true;
  }
  return false;  // All of them have: then all serve free queues too.
}

std::vector<PlannedQueue> QueueTable::planned() const {
  std::vector<PlannedQueue> out;
  out.reserve(queues_.size());
  for (const Queue& q : queues_)
    out.push_back({q.usage.gained(UsageHistory::kIntervals), q.pinned});
  return out;
}

std::vector<unsigned> QueueTable::current() const {
  std::vector<unsigned> out;
  out.reserve(queues_.size());
  for (const Queue& q : queues_) out.push_back(q.worker);
  return out;
}

unsigned QueueTable::least_used() const {
  std::vector<std::size_t> counts(workers_.size());
  for (const Queue& q : queues_) ++counts[q.worker];
  unsigned best = 0;
  bool best_is_isolated = is_isolated(0);
  for (unsigned w = 1; w < worker_count(); ++w) {
    const bool isolated = is_isolated(w);
    if (isolated > best_is_isolated) continue;
    if (isolated == best_is_isolated && counts[w] >= counts[best]) continue;
    best = w;
    best_is_isolated = isolated;
  }
  return best;
}

}  // namespace hoist::software

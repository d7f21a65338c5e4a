// SPDX-License-Identifier: BSD-3-Clause
// Which rules give way when the NIC is full, and which come in when there is room again.
#include <algorithm>

#include "plan/planner.hpp"
#include "plan/reasons.hpp"

namespace hoist::offload {
namespace {

/// Rules that are tried again when others have left, at most, at a time.
constexpr std::size_t kRetries = 64;

}  // namespace

bool Planner::has_room(std::uint64_t count) const {
  return capacity_ == 0 || planned_ + overhead_ + count <= capacity_;
}

/// Room for a guard of `entry`: the lowest acting rules give way, first in the same table. The
/// lowest of a table has nothing below it, so it needs no guard itself.
bool Planner::make_room(const Entry& entry, std::uint64_t count) {
  while (!has_room(count)) {
    Entry* victim = nullptr;
    for (int t = -1; t < 256 && victim == nullptr; ++t) {
      const auto& at = tables_[t < 0 ? entry.rule->table_id : static_cast<std::size_t>(t)];
      if (at != nullptr && !at->acting.empty()) victim = *at->acting.begin();
    }
    if (victim == nullptr) return false;
    demote(*victim, kNoRoom);
    waiting_.insert(victim);
    if (!has_acting_below(entry)) return true;  // nothing left to be guarded against
  }
  return true;
}

void Planner::failed_full(std::uint64_t installed) {
  const Change change = undo();
  capacity_ = std::max<std::uint64_t>(installed + overhead_, 1);
  if (change.kind != Change::Kind::kTable) return;
  Table& t = table(change.table_id);
  t.is_dead = true;
  t.why_dead = kNoRoom;
}

void Planner::forget_capacity() {
  capacity_ = limits_.capacity;
  retry_waiting();
}

void Planner::retry_waiting() {
  std::size_t count = 0;
  for (auto it = waiting_.rbegin(); it != waiting_.rend() && count < kRetries; ++it, ++count) {
    if (!has_room(count + 1)) return;
    tasks_.push_back({Task::Kind::kSettle, (*it)->rule->id});
  }
}

}  // namespace hoist::offload

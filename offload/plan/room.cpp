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
  if (change.kind == Change::Kind::kTable) kill_table(change.table_id, kNoRoom);
}

/// Nothing can stand in a table without its last rule, until try_again().
void Planner::kill_table(std::uint8_t table_id, const Refused& why) {
  Table& t = table(table_id);
  if (!t.is_dead) ++dead_count_;
  t.is_dead = true;
  t.why_dead = why;
}

void Planner::try_again() {
  capacity_ = 0;  // to be learnt again
  retry_waiting();
  if (dead_count_ == 0) return;
  dead_count_ = 0;
  for (auto& t : tables_) {
    if (t != nullptr) t->is_dead = false;
  }
  std::vector<const Entry*> again;
  for (const auto& [id, entry] : entries_) {
    if (entry.desired.form != Form::kFull) again.push_back(&entry);
  }
  std::ranges::sort(again, [](const Entry* a, const Entry* b) { return goes_before(*a, *b); });
  for (const Entry* entry : again) tasks_.push_back({Task::Kind::kSettle, entry->rule->id});
}

void Planner::retry_waiting() {
  std::size_t count = 0;
  for (auto it = waiting_.rbegin(); it != waiting_.rend() && count < kRetries; ++it, ++count) {
    if (!has_room(count + 1)) return;
    tasks_.push_back({Task::Kind::kSettle, (*it)->rule->id});
  }
}

}  // namespace hoist::offload

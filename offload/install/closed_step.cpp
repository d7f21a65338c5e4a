// SPDX-License-Identifier: BSD-3-Clause
// Times at which a domain is closed, so that no packet meets what is half way: its packets are
// software's meanwhile.
#include <algorithm>
#include <set>

#include "install/bridge_domain.hpp"

namespace hoist::offload {
namespace {

/// A NIC that does not close is asked so often; then the step is taken while packets come in.
constexpr int kCloseAttempts = 3;

}  // namespace

/// If packets still come in, what leads to other tables goes first and, in each, the lowest: then
/// whoever meets a gap is handed to software at the right place.
void BridgeDomain::unmake_all(bool is_closed) {
  std::vector<const RuleSpec*> order;
  for (const auto& [rule, standing] : standing_) order.push_back(planner_->find(rule)->rule.get());
  if (!is_closed) {
    std::ranges::stable_sort(order, [](const RuleSpec* a, const RuleSpec* b) {
      if (a->table_id != b->table_id) return a->table_id < b->table_id;
      return a->priority < b->priority;
    });
  }
  for (const RuleSpec* rule : order) unmake(rule->id, standing_[rule->id]);
}

/// A step that takes rules out of one table and changes another has moments in which a packet meets
/// the new of one and the old of the other: its packets are software's meanwhile. Within one table
/// rules come and go in an order that has no such moment.
bool BridgeDomain::begins_closed(std::span<const RuleRef> added, std::span<const RuleId> removed) {
  if (removed.empty() || added.size() + removed.size() < 2) return false;
  if (!steering_.is_open() || !is_there()) return false;
  std::set<std::uint8_t> tables;
  for (const RuleRef& rule : added) tables.insert(rule->table_id);
  for (const RuleId id : removed) {
    if (standing_.contains(id)) tables.insert(rules_.at(id)->table_id);
  }
  if (tables.size() < 2) return false;
  reserve_ = steering_size();
  for (int i = 0; i < kCloseAttempts && !steering_.close(context()); ++i) {
  }
  return true;
}

/// Not before the NIC has given back what the step took out: packets would meet it.
void BridgeDomain::reopen_if_clean() {
  if (!reopens_ || !zombies_.empty() || !is_there()) return;
  reopens_ = false;
  const auto opened = steering_.open(context(), planner_->hazards());
  planner_->set_overhead(opened ? steering_.rule_count() : reserve_);
  if (opened) return;
  is_refill_due_ = true;
  retry_later();
}

/// Packets must not meet it when what stood above it goes: they are software's until it has gone.
void BridgeDomain::keep_zombie(const Zombie& zombie) {
  zombies_.push_back(zombie);
  if (!steering_.is_open()) return;
  reserve_ = steering_size();
  static_cast<void>(steering_.close(context()));
  reopens_ = true;
}

void BridgeDomain::tidy() {
  for (std::size_t i = 0; i < zombies_.size();) {
    if (is_there() && !port_.destroy(zombies_[i].handle)) {
      ++i;
      continue;
    }
    zombies_[i] = zombies_.back();
    zombies_.pop_back();
  }
  reopen_if_clean();
  if (is_drained_ && is_there() && !steering_.is_empty()) {
    static_cast<void>(steering_.clear(context()));
  }
}

}  // namespace hoist::offload

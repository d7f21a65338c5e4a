// SPDX-License-Identifier: BSD-3-Clause
// RuleStore's steps, each of which can be undone until commit().
#include <utility>

#include "openflow/rule_store.hpp"

namespace hoist::openflow {

void RuleStore::append(RuleId id, std::uint32_t hash) {
  Table& table = tables_[slab_[id].spec->table_id];
  slab_[id].link = static_cast<std::uint32_t>(table.ids.size());
  table.ids.push_back(to_integer(id));
  ++table.live_count;
  index_.insert(hash, id);
  meter_users_.add(id);
  publish_addition(id);
  journal_.push_back({.before = 0, .after = to_integer(id)});
}

/// The new rule takes the old one's place; late counts of the old one go to it.
void RuleStore::replace(RuleId old_id, RuleId id, std::uint32_t hash) {
  Rule& old = slab_[old_id];
  Rule& rule = slab_[id];
  rule.link = old.link;
  tables_[rule.spec->table_id].ids[rule.link] = to_integer(id);
  index_.replace(hash, old_id, id);
  publish_removal(old_id);
  publish_addition(id);
  old.state = Rule::State::kRetired;
  old.link = to_integer(id);
  meter_users_.remove(old_id);
  meter_users_.add(id);
  pending_.retired.push_back(old_id);
  journal_.push_back({.before = to_integer(old_id), .after = to_integer(id)});
}

void RuleStore::retire(RuleId id, RemovedReason reason, Origin origin) {
  Rule& rule = slab_[id];
  Table& table = tables_[rule.spec->table_id];
  note(RuleEvent::Kind::kRemoved, id, origin, reason, nullptr);
  table.ids[rule.link] = 0;
  --table.live_count;
  index_.erase(RuleIndex::hash(*rule.spec), id);
  publish_removal(id);
  // The place is kept in case of undo; commit() clears it.
  rule.state = Rule::State::kRetired;
  meter_users_.remove(id);
  rule.removed_reason = static_cast<std::uint8_t>(reason);
  rule.is_removal_reported = (rule.flags & FlowMod::kSendFlowRem) != 0;
  pending_.retired.push_back(id);
  journal_.push_back({.before = to_integer(id), .after = 0});
}

void RuleStore::publish_addition(RuleId id) {
  Rule& rule = slab_[id];
  pending_.changes.push_back({RuleChange::Kind::kAdd, rule.spec});
  rule.change = static_cast<std::uint32_t>(pending_.changes.size());
}

/// What was added since the last commit is not added at all.
void RuleStore::publish_removal(RuleId id) {
  Rule& rule = slab_[id];
  if (rule.change == 0) {
    pending_.changes.push_back({RuleChange::Kind::kRemove, rule.spec});
  } else {
    pending_.changes[rule.change - 1].rule.reset();
  }
}

void RuleStore::note(RuleEvent::Kind kind, RuleId id, Origin origin, RemovedReason reason,
                     std::shared_ptr<const Instructions> old_instructions) {
  if (!is_watched_) return;
  pending_.events.push_back({.kind = kind,
                             .id = id,
                             .spec = slab_[id].spec,
                             .old_instructions = std::move(old_instructions),
                             .reason = reason,
                             .origin = origin});
}

Commit RuleStore::commit() {
  std::array<bool, kTableCount> has_gaps{};
  for (const Step& step : journal_) {
    if (step.after != 0) slab_[RuleId{step.after}].change = 0;
    if (step.after != 0 || step.before == 0) continue;
    Rule& gone = slab_[RuleId{step.before}];
    gone.link = 0;
    has_gaps[gone.spec->table_id] = true;
  }
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    if (has_gaps[t]) compact(tables_[t]);
  }
  journal_.clear();
  std::erase_if(pending_.changes, [](const RuleChange& change) { return !change.rule; });
  return std::exchange(pending_, {});
}

void RuleStore::rollback() {
  for (auto step = journal_.rbegin(); step != journal_.rend(); ++step) undo(*step);
  for (const Step& step : journal_) {
    if (step.after != 0) slab_.release(RuleId{step.after});
  }
  journal_.clear();
  pending_ = {};
}

void RuleStore::undo(const Step& step) {
  const RuleId id{step.after != 0 ? step.after : step.before};
  Table& table = tables_[slab_[id].spec->table_id];
  const std::uint32_t hash = RuleIndex::hash(*slab_[id].spec);
  if (step.after != 0) meter_users_.remove(id);
  if (step.before == 0) {  // An addition is always its list's last.
    table.ids.pop_back();
    --table.live_count;
    index_.erase(hash, id);
    return;
  }
  Rule& old = slab_[RuleId{step.before}];
  old.state = Rule::State::kLive;
  old.is_removal_reported = false;
  meter_users_.add(RuleId{step.before});
  if (step.after != 0) {
    old.link = slab_[id].link;
    index_.replace(hash, id, RuleId{step.before});
  } else {
    ++table.live_count;
    index_.insert(hash, RuleId{step.before});
  }
  table.ids[old.link] = step.before;
}

/// Keeps at least half of a table's list in use, so that scans cost what the table holds.
void RuleStore::compact(Table& table) {
  if (table.ids.size() < 2 * std::size_t{table.live_count} + 16) return;
  std::uint32_t kept = 0;
  for (const std::uint32_t id : table.ids) {
    if (id == 0) continue;
    slab_[RuleId{id}].link = kept;
    table.ids[kept++] = id;
  }
  table.ids.resize(kept);
  if (table.ids.capacity() > 4 * std::size_t{kept} + 64) table.ids.shrink_to_fit();
}

}  // namespace hoist::openflow

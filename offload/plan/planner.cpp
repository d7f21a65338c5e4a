// SPDX-License-Identifier: BSD-3-Clause
#include "plan/planner.hpp"

#include <algorithm>
#include <utility>

#include "plan/reasons.hpp"
#include "translate/rule_text.hpp"

namespace hoist::offload {
namespace {

const Refused kNever{Refusal::kFieldUnsupported,
                     "match: only packets that hardware hands to software can match"};

const Refused kOnItsWay{Refusal::kPending, "on its way"};

Stance stance_of(const Entry& entry) {
  return {.priority = entry.rule->priority,
          .is_soft = !entry.acts() && !entry.assessment.is_never,
          .acts = entry.acts(),
          .stands = entry.desired.form != Form::kNone,
          .level = entry.desired.level};
}

bool has_soft(const Summary& summary, bool) { return summary.soft != 0; }

Refused shadowed(const Entry& by, const Reason& why) {
  return Refused{Refusal::kShadowed,
                 "shadowed by " + rule_text(*by.rule) + ", which is in software" +
                     (why == "" ? "" : " and cannot be guarded: " + why.text())};
}

}  // namespace

Planner::Planner(const PlannerLimits& limits)
    : limits_(limits), levels_(limits.level_count), capacity_(limits.capacity) {}

Planner::Table& Planner::table(std::uint8_t table_id) {
  auto& at = tables_[table_id];
  if (at == nullptr) at = std::make_unique<Table>();
  return *at;
}

Entry* Planner::find_entry(RuleId rule) {
  const auto it = entries_.find(rule);
  return it == entries_.end() ? nullptr : &it->second;
}

const Entry* Planner::find(RuleId rule) const {
  const auto it = entries_.find(rule);
  return it == entries_.end() ? nullptr : &it->second;
}

Desired Planner::desired(RuleId rule) const {
  const Entry* entry = find(rule);
  return entry == nullptr ? Desired{} : entry->desired;
}

std::optional<Change> Planner::next() {
  while (changes_.empty()) {
    if (tasks_.empty()) return std::nullopt;
    task_ = tasks_.front();
    tasks_.pop_front();
    run(task_);
  }
  last_ = changes_.front();
  changes_.pop_front();
  return last_;
}

void Planner::run(const Task& task) {
  if (task.kind == Task::Kind::kRemove) {
    remove(task.rule);
  } else if (task.kind == Task::Kind::kEvict) {
    evict(task.rule);
  } else if (Entry* entry = find_entry(task.rule)) {
    const bool acted = entry->acts();
    if (!entry->is_indexed) {
      entry->is_indexed = true;
      entry->stance = stance_of(*entry);
      table(entry->rule->table_id).index.insert(*entry);
    }
    if (entry->is_withdrawn() && entry->desired.form == Form::kFull) {
      demote(*entry, entry->assessment.refused);
    }
    if (entry->desired.form != Form::kFull) settle(*entry);
    if (entry->acts() && !acted) retry_shadowed(*entry);
  }
}

void Planner::update(std::vector<std::pair<std::shared_ptr<const RuleSpec>, Assessment>> added,
                     std::span<const RuleId> removed) {
  // What is jumped to comes before what jumps; what goes first in a table comes first. Out in
  // reverse.
  const auto comes_before = [](const auto& a, const auto& b) {
    if (a.first->table_id != b.first->table_id) return a.first->table_id > b.first->table_id;
    return a.first->priority > b.first->priority;
  };
  if (!std::ranges::is_sorted(added, comes_before)) std::ranges::stable_sort(added, comes_before);
  for (auto& [rule, assessment] : added) add(std::move(rule), std::move(assessment));
  std::vector<const Entry*> out;
  for (const RuleId id : removed) {
    if (const Entry* entry = find(id)) out.push_back(entry);
  }
  std::ranges::stable_sort(out, [](const Entry* a, const Entry* b) {
    if (a->rule->table_id != b->rule->table_id) return a->rule->table_id < b->rule->table_id;
    return a->rule->priority < b->rule->priority;
  });
  for (const Entry* entry : out) tasks_.push_back({Task::Kind::kRemove, entry->rule->id});
}

void Planner::add(std::shared_ptr<const RuleSpec> rule, Assessment assessment) {
  if (entries_.contains(rule->id)) return;
  Entry& entry = entries_[rule->id];
  entry.rule = std::move(rule);
  entry.assess(std::move(assessment));
  entry.why = kOnItsWay;
  entry.age = ++age_;
  table(entry.rule->table_id).priorities.add(entry.rule->priority);
  tasks_.push_back({Task::Kind::kSettle, entry.rule->id});
}

void Planner::reassess(RuleId rule, Assessment assessment) {
  Entry* entry = find_entry(rule);
  const bool is_done = entry == nullptr || entry->desired.form == Form::kFull;
  if (is_done || !(assessment.matched == *entry->match)) return;
  entry->assess(std::move(assessment));
  if (entry->is_indexed) table(entry->rule->table_id).index.change(*entry, stance_of(*entry));
  tasks_.push_back({Task::Kind::kSettle, rule});
}

void Planner::withdraw(RuleId rule, const Refused& why) {
  Entry* entry = find_entry(rule);
  if (entry == nullptr || entry->is_withdrawn() || !entry->assessment.full) return;
  entry->assessment.refused = why;
  waiting_.erase(entry);
  tasks_.push_back({Task::Kind::kSettle, rule});
}

void Planner::remove(RuleId rule) {
  const auto it = entries_.find(rule);
  if (it == entries_.end()) return;
  Entry& entry = it->second;
  const bool acted = entry.acts();
  if (entry.desired.form != Form::kNone) want(entry, {});
  waiting_.erase(&entry);
  Table& t = table(entry.rule->table_id);
  if (entry.is_indexed) t.index.erase(entry);
  t.priorities.remove(entry.rule->priority);
  if (acted) {
    release_guards(entry);
  } else {
    retry_shadowed(entry);
  }
  entries_.erase(it);
  retry_waiting();
}

/// Gives an entry that has no place the best one there is.
void Planner::settle(Entry& entry) {
  const Assessment& a = entry.assessment;
  const bool is_partial = entry.desired.form == Form::kPartial;
  const bool may_be_full = a.full && !entry.is_withdrawn();
  if (is_partial && !may_be_full) return;
  entry.why = a.refused;
  entry.shadowed_by = RuleId::kNone;
  if (a.is_never) {
    if (entry.why.refusal == Refusal::kNone) entry.why = kNever;
    return;
  }
  const Table& t = table(entry.rule->table_id);
  if (t.is_dead) {
    entry.why = t.why_dead;
    return;
  }
  const bool is_next_dead = a.next_table && table(*a.next_table).is_dead;
  if (is_next_dead) entry.why = table(*a.next_table).why_dead;
  if (may_be_full && !is_next_dead && place(entry, Form::kFull)) {
    entry.why = {};
    return;
  }
  if (is_partial) return;
  // A partial rule saves software the lookup, but must not take the last room.
  const bool is_shadowed = entry.why.refusal == Refusal::kShadowed;
  const bool is_full = entry.why.refusal == Refusal::kTableFull;
  if (a.partial && !is_shadowed && !is_full && has_room(capacity_ / 8 + 1)) {
    const Refused why = entry.why;
    const bool is_placed = place(entry, Form::kPartial);
    if (why.refusal != Refusal::kNone) entry.why = why;
    if (is_placed) return;
  }
  protect(entry);
}

/// Whether the entry now acts. If not, `why` says what stood in the way.
bool Planner::place(Entry& entry, Form form) {
  auto guards = guards_for(entry);
  if (!guards) return false;
  const Cost& cost = *entry.cost(form);
  std::uint64_t count = cost.rule_count;
  for (const Entry* guard : *guards) count += guard->cost(Form::kGuard)->rule_count;
  if (limits_.has_table_defaults) {
    if (!table(entry.rule->table_id).is_live) ++count;
    const auto next = form == Form::kFull ? entry.assessment.next_table : std::nullopt;
    if (next && !table(*next).is_live) ++count;
  }
  if (!has_room(count)) {
    entry.why = kNoRoom;
    waiting_.insert(&entry);
    return false;
  }
  for (Entry* guard : *guards) {
    if (!take_level(*guard, Form::kGuard)) {
      // Guards placed already stand for nothing yet; they go again.
      entry.why = shadowed(*guard, kNoLevels.reason);
      entry.shadowed_by = guard->rule->id;
      release_guards(entry);
      return false;
    }
  }
  if (!take_level(entry, form)) {
    entry.why = kNoLevels;
    release_guards(entry);
    return false;
  }
  waiting_.erase(&entry);
  return true;
}

/// Finds the level, makes the moves that it takes, and asks for all in order.
bool Planner::take_level(Entry& entry, Form form) {
  Table& t = table(entry.rule->table_id);
  const auto place = levels_.place(t.index, t.priorities, entry);
  if (!place) return false;
  const HazardSet added = entry.cost(form)->hazards & ~hazards_;
  if (added.any()) {
    hazards_ |= added;
    changes_.push_back({.kind = Change::Kind::kAdmission,
                        .hazards_before = hazards_ & ~added,
                        .hazards = hazards_});
  }
  open_table(entry.rule->table_id);
  if (form == Form::kFull && entry.assessment.next_table) open_table(*entry.assessment.next_table);
  for (const Levels::Move& move : place->moves) {
    want(*move.entry, {move.entry->desired.form, move.level});
  }
  want(entry, {form, place->level});
  return true;
}

void Planner::open_table(std::uint8_t table_id) {
  Table& t = table(table_id);
  if (t.is_live || !limits_.has_table_defaults) return;
  t.is_live = true;
  ++planned_;
  changes_.push_back({.kind = Change::Kind::kTable, .table_id = table_id});
}

/// Asks for a step.
void Planner::want(Entry& entry, Desired desired) {
  changes_.push_back({.kind = Change::Kind::kRule,
                      .rule = entry.rule->id,
                      .before = entry.desired,
                      .after = desired});
  set_desired(entry, desired);
}

void Planner::set_desired(Entry& entry, Desired desired) {
  Table& t = table(entry.rule->table_id);
  const auto count = [&](Form form) -> std::uint64_t {
    const Cost* cost = entry.cost(form);
    return cost == nullptr ? 0 : cost->rule_count;
  };
  planned_ -= std::min(planned_, count(entry.desired.form));
  planned_ += count(desired.form);
  if (entry.acts()) t.acting.erase(&entry);
  entry.desired = desired;
  t.index.change(entry, stance_of(entry));
  // The newest of the lowest priority comes first, so this is where most go.
  if (entry.acts()) t.acting.insert(t.acting.begin(), &entry);
}

/// The rules above that need a guard before `entry` may act; nothing if one of them cannot have
/// one, or if a guard would take all of the entry's packets.
std::optional<std::vector<Entry*>> Planner::guards_for(Entry& entry) {
  std::vector<Entry*> guards;
  Table& t = table(entry.rule->table_id);
  t.index.search(entry, has_soft, [&](OverlapItem& item) {
    auto& other = static_cast<Entry&>(item);
    if (&other == &entry || other.acts() || other.assessment.is_never) return true;
    if (are_twins(other, entry) || !goes_before(other, entry)) return true;
    const bool can_guard = other.assessment.guard.has_value();
    if (!can_guard || covers(*other.match, *entry.match)) {
      entry.why = shadowed(other, can_guard ? "" : other.why.reason);
      entry.shadowed_by = other.rule->id;
      return false;
    }
    if (other.desired.form == Form::kNone) guards.push_back(&other);
    return true;
  });
  if (entry.shadowed_by != RuleId::kNone) return std::nullopt;
  // Highest first: a guard below another never stands alone against it.
  std::ranges::sort(guards, [](const Entry* a, const Entry* b) { return goes_before(*a, *b); });
  return guards;
}

bool Planner::has_acting_below(const Entry& entry) {
  bool found = false;
  const std::uint16_t priority = entry.rule->priority;
  const auto take = [&](const Summary& s, bool is_exact) {
    found = found || (is_exact && s.acting == s.standing && s.min_priority < priority);
    return !found && s.acting != 0 && s.min_priority <= priority;
  };
  table(entry.rule->table_id).index.search(entry, take, [&](OverlapItem& item) {
    const auto& other = static_cast<const Entry&>(item);
    found =
        &other != &entry && other.acts() && !are_twins(entry, other) && goes_before(entry, other);
    return !found;
  });
  return found;
}

/// Rules that act below `entry` and overlap it, the lowest first.
std::vector<Entry*> Planner::collect_lower(const Entry& entry) {
  std::vector<Entry*> out;
  const auto take = [&](const Summary& s, bool) {
    return s.acting != 0 && s.min_priority <= entry.rule->priority;
  };
  table(entry.rule->table_id).index.search(entry, take, [&](OverlapItem& item) {
    auto& other = static_cast<Entry&>(item);
    if (&other != &entry && other.acts() && !are_twins(entry, other) && goes_before(entry, other)) {
      out.push_back(&other);
    }
    return true;
  });
  std::ranges::sort(out, [](const Entry* a, const Entry* b) { return goes_before(*b, *a); });
  return out;
}

/// Makes it right that `entry` is in software: a guard if something acts below it.
void Planner::protect(Entry& entry) {
  if (entry.assessment.is_never || entry.desired.form == Form::kGuard) return;
  if (!has_acting_below(entry)) return;
  if (!entry.assessment.guard) {
    shadow_lower(entry, entry.why.reason);
    return;
  }
  if (!make_room(entry, entry.cost(Form::kGuard)->rule_count)) {
    shadow_lower(entry, kNoRoom.reason);
    return;
  }
  if (has_acting_below(entry) && !take_level(entry, Form::kGuard)) {
    shadow_lower(entry, kNoLevels.reason);
  }
}

/// What acts below `entry` must leave, the lowest first, so that nothing is ever uncovered.
void Planner::shadow_lower(Entry& entry, const Reason& why) {
  for (Entry* lower : collect_lower(entry)) {
    if (lower->acts()) demote(*lower, shadowed(entry, why), entry.rule->id);
  }
}

/// Takes an acting rule out of hardware, or leaves its guard there.
void Planner::demote(Entry& entry, const Refused& why, RuleId shadowed_by) {
  const std::uint32_t level = entry.desired.level;
  entry.why = why;
  entry.shadowed_by = shadowed_by;
  if (has_acting_below(entry)) {
    if (entry.assessment.guard) {
      want(entry, {Form::kGuard, level});  // in its own place: one step, no gap
      release_guards(entry);
      return;
    }
    shadow_lower(entry, why.reason);
  }
  want(entry, {});
  release_guards(entry);
}

/// After `entry` has stopped acting: guards above that stand for nothing any more go.
void Planner::release_guards(const Entry& entry) {
  std::vector<Entry*> guards;
  const auto take = [](const Summary& s, bool) { return s.standing > s.acting; };
  table(entry.rule->table_id).index.search(entry, take, [&](OverlapItem& item) {
    auto& other = static_cast<Entry&>(item);
    if (&other != &entry && other.desired.form == Form::kGuard) guards.push_back(&other);
    return true;
  });
  for (Entry* guard : guards) {
    if (has_acting_below(*guard)) continue;
    want(*guard, {});
  }
}

/// After a rule in software has gone: rules that only it kept out are looked at again.
void Planner::retry_shadowed(const Entry& entry) {
  std::vector<Entry*> again;
  table(entry.rule->table_id).index.search(entry, has_soft, [&](OverlapItem& item) {
    auto& other = static_cast<Entry&>(item);
    if (&other != &entry && !other.acts() && other.shadowed_by == entry.rule->id)
      again.push_back(&other);
    return true;
  });
  std::ranges::sort(again, [](const Entry* a, const Entry* b) { return goes_before(*a, *b); });
  for (const Entry* other : again) tasks_.push_back({Task::Kind::kSettle, other->rule->id});
}

/// Takes back the last step and what was still to follow it; returns the last.
Change Planner::undo() {
  changes_.push_front(last_);
  for (; !changes_.empty(); changes_.pop_back()) {
    const Change& change = changes_.back();
    if (change.kind == Change::Kind::kAdmission) hazards_ = change.hazards_before;
    if (change.kind == Change::Kind::kTable) {
      table(change.table_id).is_live = false;
      --planned_;
    }
    Entry* entry = change.kind == Change::Kind::kRule ? find_entry(change.rule) : nullptr;
    if (entry != nullptr) set_desired(*entry, change.before);
  }
  tasks_.push_front(task_);
  return last_;
}

void Planner::failed(const Refused& why) {
  const Change change = undo();
  if (change.kind == Change::Kind::kTable) {
    kill_table(change.table_id, why);
    return;
  }
  // Moving a rule that stands is never that rule's fault.
  const bool is_move =
      change.kind == Change::Kind::kRule && change.before.form == change.after.form;
  const bool is_own = change.kind == Change::Kind::kRule && !is_move;
  Entry* entry = find_entry(is_own ? change.rule : task_.rule);
  if (entry == nullptr) return;
  const Form form = is_own ? change.after.form : Form::kFull;
  Assessment& a = entry->assessment;
  if (form == Form::kFull) {
    if (a.full && !entry->is_withdrawn()) a.refused = why;
    a.full.reset();
    if (!is_own) a.partial.reset();
  }
  if (form == Form::kPartial) a.partial.reset();
  if (form == Form::kGuard || !is_own) {
    a.guard.reset();
    if (entry->why.refusal == Refusal::kNone) entry->why = why;
  }
}

}  // namespace hoist::offload

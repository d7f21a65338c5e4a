// SPDX-License-Identifier: BSD-3-Clause
#include "install/bridge_domain.hpp"

#include <algorithm>

#include "translate/assess.hpp"
#include "translate/lower.hpp"

namespace hoist::offload {
namespace {

constexpr std::uint64_t kFirstBackOffMs = 1000;
constexpr std::uint64_t kLongestBackOffMs = 60'000;
/// Rules are ranked about this often.
constexpr std::uint64_t kRankingMs = 1000;
/// A NIC that does not give a rule back is asked so often at once.
constexpr int kDestroyAttempts = 3;

}  // namespace

BridgeDomain::BridgeDomain(BridgeId bridge, const PortIdentity& identity,
                           const Capabilities& capabilities, std::uint32_t slot,
                           const Shared& shared)
    : bridge_(bridge),
      identity_(identity),
      capabilities_(capabilities),
      slot_(slot),
      shared_(shared),
      layout_(make_layout(capabilities_, slot)),
      port_(capabilities.has(Feature::kTransfer) ? identity.proxy : identity.ethdev,
            capabilities.queues),
      watch_(port_.ethdev()),
      meter_port_(port_.ethdev(), slot),
      meters_(shared.meters),
      steering_(port_, layout_),
      admissible_(capabilities.admissible) {
  meters_.set_capabilities(meter_port_.capabilities());
  start_planner();
}

void BridgeDomain::start_planner() {
  planner_ = std::make_unique<Planner>(PlannerLimits{.level_count = layout_.level_count,
                                                     .has_table_defaults = layout_.has_groups,
                                                     .capacity = capacity_});
  planner_->set_overhead(reserve_);
  to_retry_.clear();
}

void BridgeDomain::rest(PortMap ports) {
  drain();
  ports_ = std::move(ports);
  is_resting_ = true;
}

void BridgeDomain::rebuild(PortMap ports, std::span<const RuleRef> rules) {
  drain();
  is_resting_ = false;
  ports_ = std::move(ports);
  tag_mode_ = TagMode::kUntagged;
  back_off_ms_ = 0;
  capabilities_.admissible = admissible_;
  capacity_ = reserve_ = 0;
  start_planner();
  fill(rules);
}

/// rebuild(), for what may have been a passing failure.
void BridgeDomain::refill() {
  std::vector<RuleRef> all;
  for (const auto& [id, rule] : rules_) all.push_back(rule);
  drain();
  capabilities_.admissible = admissible_;
  is_refill_due_ = false;
  fill(all);
}

void BridgeDomain::fill(std::span<const RuleRef> rules) {
  is_drained_ = false;
  for (const RuleRef& rule : rules) rules_[rule->id] = rule;
  // At most once for tags, and once for each hazard that the NIC turns out not to keep away.
  for (std::size_t attempt = 0; attempt < 2 + capabilities_.admissible.size(); ++attempt) {
    needs_rebuild_ = false;
    static_cast<void>(steering_.close(context()));
    plan(rules, {});
    if (needs_rebuild_) {
      drain();
      is_drained_ = false;
      for (const RuleRef& rule : rules) rules_[rule->id] = rule;
      continue;
    }
    const auto opened = steering_.open(context(), planner_->hazards());
    planner_->set_overhead(steering_.rule_count());
    if (opened) {
      is_refill_due_ &= capabilities_.admissible != admissible_;
      return;
    }
    const bool had_hazards = planner_->hazards().any();
    is_refill_due_ = true;
    retry_later();
    if (opened.error().is_full && reserve_ < steering_size()) {
      capacity_ = installed_ + steering_.rule_count();
      reserve_ = steering_size();
    } else {
      capabilities_.admissible &= ~planner_->hazards();
    }
    drain();
    is_drained_ = false;
    for (const RuleRef& rule : rules) rules_[rule->id] = rule;
    if (!had_hazards && !opened.error().is_full) return;  // all stays in software for now
  }
}

/// Hardware rules that open() would make.
std::uint64_t BridgeDomain::steering_size() const {
  const auto rows = admission_rows(planner_->hazards(), tag_mode_, capabilities_);
  return rows.size() + 2 * ports_.ports.size();
}

void BridgeDomain::drain() {
  if (!is_there()) {
    steering_.forget();
    for (auto [rule, standing] : standing_) {
      shared_.tokens.release(standing.mark);
      if (!standing.meter) continue;
      const auto number = meters_.release(*standing.meter);
      // Meters have numbers, not handles: those of a port that was only reset can be asked back.
      if (number && port_.is_there()) meter_port_.destroy(*number);
    }
    meter_port_.forget();
    tables_ = {};
    zombies_.clear();
  } else {
    // Closed first: from here on no packet meets what is being taken apart.
    unmake_all(steering_.close(context()).has_value());
    for (FlowHandle& table : tables_) {
      if (table.flow != nullptr && !port_.destroy(table))
        zombies_.push_back({RuleId::kNone, table});
      table = {};
    }
    static_cast<void>(steering_.clear(context()));
  }
  standing_.clear();
  rules_.clear();
  meters_.clear();
  installed_ = 0;
  is_drained_ = true;
  reopens_ = false;
  start_planner();
}

void BridgeDomain::update(std::span<const RuleRef> added, std::span<const RuleId> removed) {
  if (is_resting_) return;
  for (const RuleRef& rule : added) rules_[rule->id] = rule;
  const bool is_closed = begins_closed(added, removed);
  needs_rebuild_ = false;
  plan(added, removed);
  for (const RuleId rule : removed) rules_.erase(rule);
  reopens_ = (reopens_ || is_closed) && !needs_rebuild_;
  reopen_if_clean();
  if (needs_rebuild_) {
    std::vector<RuleRef> all;
    for (const auto& [id, rule] : rules_) all.push_back(rule);
    drain();
    fill(all);
  }
}

bool BridgeDomain::wants_tags(std::span<const std::pair<RuleRef, Assessment>> rules) const {
  const bool can = contains(capabilities_.admissible, Hazard::kDoubleTagged);
  return can && tag_mode_ == TagMode::kUntagged && std::ranges::any_of(rules, [](const auto& rule) {
           return rule.second.full && rule.second.needs_tags;
         });
}

void BridgeDomain::plan(std::span<const RuleRef> added, std::span<const RuleId> removed) {
  std::vector<std::pair<RuleRef, Assessment>> assessed;
  assessed.reserve(added.size());
  note_users(added, removed);
  for (const RuleRef& rule : added) assessed.emplace_back(rule, assess(*rule, context(), layout_));
  hold_together(assessed);
  if (wants_tags(assessed)) {
    tag_mode_ = TagMode::kSingle;
    needs_rebuild_ = true;
    return;
  }
  planner_->update(std::move(assessed), removed);
  take_steps_of_all();
}

void BridgeDomain::take_steps() {
  while (!needs_rebuild_ && is_there()) {
    const auto change = planner_->next();
    if (!change) break;
    if (auto done = take(*change); !done) fail(*change, done.error());
  }
  planner_->set_overhead(steering_.is_open() ? steering_.rule_count() : reserve_);
}

FlowResult<void> BridgeDomain::take(const Change& change) {
  switch (change.kind) {
    case Change::Kind::kRule:
      return take_rule(change);
    case Change::Kind::kTable:
      return take_table(change.table_id);
    case Change::Kind::kAdmission:
      break;
  }
  return steering_.grow(context(), change.hazards);
}

FlowResult<void> BridgeDomain::take_table(std::uint8_t table_id) {
  const Position position{layout_, table_id, 0, table_mark(table_id)};
  auto handle = port_.create(lower_default(context(), position));
  if (!handle) return tl::unexpected(handle.error());
  tables_[table_id] = *handle;
  ++installed_;
  return {};
}

/// Make before break.
FlowResult<void> BridgeDomain::take_rule(const Change& change) {
  Standing next;
  if (change.after.form != Form::kNone) {
    auto made = make(*planner_->find(change.rule), change.after);
    if (!made) return tl::unexpected(made.error());
    next = std::move(*made);
  }
  if (const auto it = standing_.find(change.rule); it != standing_.end()) {
    unmake(change.rule, it->second);
    standing_.erase(it);
  }
  if (change.after.form != Form::kNone) standing_.emplace(change.rule, std::move(next));
  return {};
}

FlowResult<BridgeDomain::Standing> BridgeDomain::make(const Entry& entry, const Desired& desired) {
  const RuleSpec& rule = *entry.rule;
  const Position position{layout_, rule.table_id, desired.level, table_mark(rule.table_id)};
  Standing out{.desired = desired, .handles = {}, .mark = 0};
  std::vector<HwRule> rules;
  if (desired.form == Form::kFull) {
    auto form = translate(rule, context(), layout_);
    if (auto* refused = std::get_if<Refused>(&form)) {
      return tl::unexpected(FlowFailure{.why = *refused});
    }
    const HwForm& full = std::get<HwForm>(form);
    if (full.program.meter) {
      if (auto taken = take_meter(out, *full.program.meter); !taken) {
        return tl::unexpected(taken.error());
      }
    }
    rules = lower_full(full.matches, full.program, context(), position);
  } else if (desired.form == Form::kGuard) {
    rules = lower_guard(guard_match(rule, context()), context(), position);
  } else {
    out.mark = shared_.tokens.take({.kind = ResumePoint::Kind::kRule,
                                    .bridge = bridge_,
                                    .table_id = rule.table_id,
                                    .rule = rule.id});
    if (out.mark == 0) {
      return tl::unexpected(FlowFailure{.why = {Refusal::kTableFull, "no resume token is left"}});
    }
    rules = lower_partial(guard_match(rule, context()), context(), position, out.mark);
  }
  out.handles.reserve(rules.size());
  for (const HwRule& hw_rule : rules) {
    auto handle = port_.create(hw_rule);
    if (!handle) {
      unmake(rule.id, out);
      return tl::unexpected(handle.error());
    }
    out.handles.push_back(*handle);
    ++installed_;
  }
  return out;
}

/// Destroys in reverse: exceptions stand before the rules they are exceptions of, so they go last.
void BridgeDomain::unmake(RuleId rule, Standing& standing) {
  for (auto it = standing.handles.rbegin(); it != standing.handles.rend(); ++it) {
    count(rule, standing.meter, *it);
    if (installed_ > 0) --installed_;
    bool is_gone = false;
    for (int i = 0; i < kDestroyAttempts && !is_gone; ++i) is_gone = port_.destroy(*it).has_value();
    if (!is_gone) keep_zombie({rule, *it});
  }
  standing.handles.clear();
  shared_.tokens.release(standing.mark);
  standing.mark = 0;
  release_meter(standing);
}

void BridgeDomain::fail(const Change& change, const FlowFailure& failure) {
  planner_->set_overhead(steering_.is_open() ? steering_.rule_count() : reserve_);
  if (change.kind == Change::Kind::kAdmission && !failure.is_full) {
    // Rules that need this cannot be exact here; everything is translated anew without it.
    capabilities_.admissible &= ~(change.hazards & ~change.hazards_before);
    needs_rebuild_ = true;
    is_refill_due_ = failure.is_transient;
    if (is_refill_due_) retry_later();
    return;
  }
  if (failure.is_full) {
    capacity_ = installed_ + steering_.rule_count();
    planner_->failed_full(installed_);
  } else {
    planner_->failed(failure.why);
  }
  if (failure.is_full || failure.is_transient) {
    if (failure.is_transient && change.kind == Change::Kind::kRule) to_retry_.insert(change.rule);
    retry_later();
  }
}

void BridgeDomain::retry_later() {
  back_off_ms_ = std::clamp(back_off_ms_ * 2, kFirstBackOffMs, kLongestBackOffMs);
  retry_at_ms_ = shared_.now_ms() + back_off_ms_;
}

void BridgeDomain::count(RuleId rule, const std::optional<MeterId>& meter, FlowHandle& handle) {
  const TrafficCount gained = port_.read(handle);
  if (gained.packets == 0 && gained.bytes == 0) return;
  if (meter) {
    shared_.hits.add_meter({.bridge = bridge_, .meter = *meter, .in = gained, .dropped = {}});
  }
  shared_.carried[rule] += gained;
  planner_->carried(rule, gained.packets);
  shared_.hits.add(rule, gained, shared_.now_ms());
}

void BridgeDomain::refresh() {
  if (!is_there()) return;
  for (auto [rule, standing] : standing_) {
    for (FlowHandle& handle : standing.handles) count(rule, standing.meter, handle);
  }
  meters_.for_each_in_hardware(
      [this](MeterId meter, std::uint32_t number) { count_meter(meter, number); });
}

void BridgeDomain::tick() {
  tidy();
  retry();
  rank();
}

void BridgeDomain::retry() {
  const auto has_work = [&] {
    return is_refill_due_ || !to_retry_.empty() || planner_->has_waiting() ||
           meters_.has_passing_bans();
  };
  if (!has_work() || shared_.now_ms() < retry_at_ms_) return;
  retry_at_ms_ = shared_.now_ms() + std::max(back_off_ms_, kFirstBackOffMs);
  if (is_refill_due_) {
    refill();
    return;
  }
  for (const RuleId id : std::exchange(to_retry_, {})) {
    const auto it = rules_.find(id);
    if (it != rules_.end()) planner_->reassess(id, assess(*it->second, context(), layout_));
  }
  planner_->try_again();
  retry_meters();
  if (needs_rebuild_) refill();
  if (!has_work()) back_off_ms_ = 0;
}

void BridgeDomain::observe(std::span<const RuleHit> hits) {
  for (const RuleHit& hit : hits) planner_->carried(hit.rule, hit.count.packets);
}

/// Reads as many counters as the time passed allows. Whether all of the round's are read.
bool BridgeDomain::read_some(std::uint64_t now_ms) {
  if (ranking_.last_read_ms == 0) {
    ranking_.last_read_ms = now_ms;
    for (const auto& [rule, standing] : standing_) ranking_.to_read.push_back(rule);
  }
  const std::uint64_t passed_ms = std::max<std::uint64_t>(now_ms - ranking_.last_read_ms, 1);
  ranking_.last_read_ms = now_ms;
  for (std::uint64_t n = shared_.budget.reads_per_second * passed_ms / 1000 + 1;
       n != 0 && !ranking_.to_read.empty(); --n) {
    const auto it = standing_.find(ranking_.to_read.back());
    ranking_.to_read.pop_back();
    if (it == standing_.end()) continue;
    for (FlowHandle& handle : it->second.handles) count(it->first, it->second.meter, handle);
  }
  return ranking_.to_read.empty();
}

void BridgeDomain::rank() {
  if (!has_waiting() || !is_there()) {
    ranking_ = {};
    return;
  }
  const std::uint64_t now = shared_.now_ms();
  if (ranking_.began_ms == 0) ranking_.began_ms = now;
  if (now - ranking_.began_ms < kRankingMs || !read_some(now)) return;
  const double seconds = static_cast<double>(now - ranking_.began_ms) / 1000;
  planner_->rank(seconds);
  const auto moves_max = static_cast<std::size_t>(shared_.budget.moves_per_second * seconds);
  planner_->rebalance(moves_max);
  rank_meters(moves_max);
  take_steps_of_all();
  ranking_ = {.began_ms = now, .to_read = {}};
}

std::uint32_t BridgeDomain::table_mark(std::uint8_t table_id) {
  // Table 0 needs none: software begins there with every packet.
  if (table_id == 0 || !capabilities_.has(Feature::kMark)) return 0;
  std::uint32_t& mark = table_marks_[table_id];
  if (mark == 0) mark = shared_.tokens.take({.bridge = bridge_, .table_id = table_id});
  return mark;
}

std::optional<Placement> BridgeDomain::placement(RuleId rule) const {
  const Entry* entry = planner_->find(rule);
  if (entry == nullptr) return std::nullopt;
  Placement out{.rule = rule, .refusal = entry->why.refusal, .reason = entry->why.reason.text()};
  if (out.refusal == Refusal::kTableFull) out.reason += planner_->describe_rate(*entry);
  if (entry->assessment.is_never) {
    if (out.refusal == Refusal::kNone) out.refusal = Refusal::kFieldUnsupported;
    return out;
  }
  const auto it = standing_.find(rule);
  if (it == standing_.end()) return out;
  const auto handles = static_cast<std::uint32_t>(it->second.handles.size());
  switch (it->second.desired.form) {
    case Form::kFull:
      out.tier = Tier::kFull;
      break;
    case Form::kPartial:
      out.tier = Tier::kPartial;
      break;
    default:
      break;
  }
  (out.tier == Tier::kSoftware ? out.guard_count : out.rule_count) = handles;
  return out;
}

}  // namespace hoist::offload

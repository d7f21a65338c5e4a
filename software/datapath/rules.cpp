// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "datapath/software_datapath.hpp"

namespace hoist::software {
namespace {

bool is_table_miss(const RuleSpec& rule) { return rule.priority == 0 && rule.match.map() == 0; }

}  // namespace

Result<void> SoftwareDatapath::check(const RuleSpec& rule) const {
  return check_instructions(*rule.instructions);
}

Datapath::Version SoftwareDatapath::apply(BridgeId id, std::span<const RuleChange> changes) {
  const Version version = next_version();
  const auto index = to_integer(id);
  Bridge& b = bridge(id);
  std::uint64_t generations_before = 0, generations_after = 0;
  bool has_new_effects = false;
  for (const RuleChange& change : changes) {
    const Classifier& classifier = *table(b, change.rule->table_id).classifier;
    generations_before += classifier.consulted_generation();
    if (change.kind == RuleChange::Kind::kAdd) {
      has_new_effects |= add_rule(b, *change.rule, version);
    } else {
      remove_rule(b, *change.rule, version);
    }
    generations_after += classifier.consulted_generation();
  }
  if (has_new_effects) learn_effects(b);
  const bool is_small = changes.size() <= ChangeLog::kChangesPerVersion;
  std::vector<Change> records;
  for (const RuleChange& change : is_small ? changes : std::span<const RuleChange>()) {
    records.push_back(change_of(index, *change.rule));
  }
  change_log_.record(version, std::move(records), !is_small);
  // Wider masks first: a worker that sees the version sees them too.
  const bool may_differ = has_new_effects || generations_before != generations_after;
  if (may_differ && refresh_masks(index)) publish_view();
  publish_version(version);
  for (const Program* program : std::exchange(released_, {})) program_store_.release(program);
  return version;
}

Table& SoftwareDatapath::table(Bridge& b, std::uint8_t table_id) {
  std::unique_ptr<Table>& t = b.tables[table_id];
  if (!t) {
    t = std::make_unique<Table>(Table{.classifier = Classifier::create(reclaimer_), .effects = {}});
    // Release: pairs with the acquire in BridgeTables::table().
    b.published.tables[table_id].store(t->classifier.get(), std::memory_order_release);
  }
  return *t;
}

bool SoftwareDatapath::add_rule(Bridge& b, const RuleSpec& rule, Version from) {
  const std::uint32_t i = to_integer(rule.id);
  if (rules_.size() <= i) rules_.resize(i + 1);
  const Program* program =
      program_store_.acquire(compile(*rule.instructions, is_table_miss(rule), b.meters));
  Table& t = table(b, rule.table_id);
  rules_[i] = {t.classifier->insert(rule.match, rule.priority, rule.id, program, from), program};
  // Release: pairs with the acquire in resume_packet().
  shared_.programs[i].store(program, std::memory_order_release);
  return t.effects.add(rule.match, *program, rule.table_id);
}

void SoftwareDatapath::remove_rule(Bridge& b, const RuleSpec& rule, Version from) {
  Rule& known = rules_[to_integer(rule.id)];
  Table& t = table(b, rule.table_id);
  t.classifier->remove(known.entry, from);
  t.effects.remove(rule.match, *known.program, rule.table_id);
  shared_.programs[to_integer(rule.id)].store(nullptr, std::memory_order_release);
  released_.push_back(std::exchange(known, {}).program);
  removed_.push_back({rule.id, from});
  b.is_stale = true;
}

Change SoftwareDatapath::change_of(std::uint8_t index, const RuleSpec& rule) const {
  const Bridge& b = *bridges_[index];
  const bool is_first = rule.table_id == 0 && !b.may_reenter_table0;
  static constexpr PacketMask kNothing{};
  return make_change(index, rule.table_id, rule.match, is_first ? kNothing : b.writes,
                     !is_first && b.may_move_in_port);
}

void SoftwareDatapath::learn_effects(Bridge& b) {
  constexpr auto kAllClasses = static_cast<PacketClassSet>((1u << kPacketClassCount) - 1);
  Effects all;
  for (const std::unique_ptr<Table>& t : b.tables) {
    if (t) t->effects.collect({}, true, kAllClasses, all);
  }
  b.writes = all.writes;
  b.may_move_in_port = all.moves_in_port || !all.in_ports.empty();
  b.may_reenter_table0 = all.targets[0];
}

bool SoftwareDatapath::refresh_masks(std::uint8_t index) {
  bool has_changed = false;
  for (Port& port : ports_) {
    if (!port.device || port.bridge != index) continue;
    auto masks = make_port_masks(bridges_[index]->tables, port.config.number, port.masks.get(),
                                 last_mask_id_);
    if (!masks) continue;
    port.masks = std::move(masks);
    has_changed = true;
  }
  bridges_[index]->is_stale = true;  // What grew for rules of two versions may shrink again.
  return has_changed;
}

void SoftwareDatapath::publish_version(Version version) {
  // Release: pairs with the acquire in run_turn(): the rules of this version are in place.
  shared_.version.store(version, std::memory_order_release);
  settler_.published(version);
}

void SoftwareDatapath::settle() {
  const Version settled = settler_.settled();
  if (settled == classifiers_settled_) return;
  classifiers_settled_ = settled;
  for (const std::unique_ptr<Bridge>& b : bridges_) {
    for (const std::unique_ptr<Table>& t : b->tables) {
      if (t) t->classifier->settle(settled);
    }
  }
  const auto end =
      std::ranges::find_if(removed_, [&](const Removed& r) { return r.version > settled; });
  for (auto it = removed_.begin(); it != end; ++it) collector_->forget(it->rule);
  removed_.erase(removed_.begin(), end);
}

void SoftwareDatapath::collect(const std::function<void(const RuleHit&)>& visit) {
  settle();
  collector_->collect(visit);
}

TableCount SoftwareDatapath::table_count(BridgeId id, std::uint8_t table_id) const {
  return collector_->table(to_integer(id), table_id);
}

}  // namespace hoist::software

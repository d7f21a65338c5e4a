// SPDX-License-Identifier: BSD-3-Clause
#include "openflow/rule_store.hpp"

#include <algorithm>
#include <utility>

namespace hoist::openflow {
namespace {

/// OFPFF_* bits that stay with a rule.
constexpr std::uint16_t kKeptFlags = FlowMod::kSendFlowRem | FlowMod::kCheckOverlap |
                                     FlowMod::kResetCounts | FlowMod::kNoPacketCounts |
                                     FlowMod::kNoByteCounts;

std::shared_ptr<const RuleSpec> with_instructions(
    const RuleSpec& old, RuleId id, std::uint64_t cookie,
    const std::shared_ptr<const Instructions>& instructions) {
  return std::make_shared<const RuleSpec>(RuleSpec{.id = id,
                                                   .table_id = old.table_id,
                                                   .priority = old.priority,
                                                   .cookie = cookie,
                                                   .match = old.match,
                                                   .instructions = instructions});
}

}  // namespace

RuleStore::RuleStore(BridgeId bridge, RuleSlab& slab, InstructionPool& instructions, Check check)
    : bridge_(bridge),
      slab_(slab),
      instructions_(instructions),
      check_(std::move(check)),
      index_(slab),
      meter_users_(slab) {}

Decoded<void> RuleStore::apply(FlowMod&& mod, std::uint64_t now_ms, Origin origin) {
  if (mod.table_id >= kTableCount && mod.table_id != RuleFilter::kAllTables) {
    return fault(ErrorName::kFlowModBadTableId, "no table " + std::to_string(mod.table_id));
  }
  switch (mod.command) {
    case FlowMod::Command::kAdd:
      return add(std::move(mod), now_ms, origin);
    case FlowMod::Command::kModify:
    case FlowMod::Command::kModifyStrict:
      return modify(std::move(mod), now_ms, origin);
    case FlowMod::Command::kDelete:
    case FlowMod::Command::kDeleteStrict:
      return remove(mod, origin);
  }
  return fault(ErrorName::kFlowModBadCommand, "unknown flow mod command");
}

Decoded<void> RuleStore::add(FlowMod&& mod, std::uint64_t now_ms, Origin origin) {
  const std::uint8_t table_id =
      mod.table_id == RuleFilter::kAllTables ? std::uint8_t{0} : mod.table_id;
  const RuleId id = slab_.allocate();
  if (id == RuleId::kNone) {
    return fault(ErrorName::kFlowModTableFull,
                 "all " + std::to_string(slab_.max_rules()) + " rules are in use");
  }
  auto spec = std::make_shared<const RuleSpec>(
      RuleSpec{.id = id,
               .table_id = table_id,
               .priority = mod.priority,
               .cookie = mod.cookie,
               .match = MiniMatch(mod.match),
               .instructions = instructions_.intern(std::move(mod.instructions))});
  const std::uint32_t hash = RuleIndex::hash(*spec);
  const RuleId old_id = index_.find(hash, table_id, spec->priority, spec->match);
  Decoded<void> verdict = check_(*spec);
  if (verdict && old_id == RuleId::kNone && (mod.flags & FlowMod::kCheckOverlap) != 0 &&
      overlaps_another(*spec)) {
    verdict = fault(ErrorName::kFlowModOverlap, "a rule of equal priority overlaps");
  }
  if (!verdict) {
    slab_.release(id);
    return verdict;
  }

  Rule& rule = slab_[id];
  rule = Rule{.spec = std::move(spec),
              .created_ms = now_ms,
              .modified_ms = now_ms,
              .used_ms = now_ms,
              .idle_timeout = mod.idle_timeout,
              .hard_timeout = mod.hard_timeout,
              .flags = static_cast<std::uint16_t>(mod.flags & kKeptFlags),
              .importance = mod.importance,
              .bridge = bridge_,
              .state = Rule::State::kLive};
  std::shared_ptr<const Instructions> old_instructions;
  if (old_id == RuleId::kNone) {
    append(id, hash);
  } else {
    const Rule& old = slab_[old_id];
    old_instructions = old.spec->instructions;
    if ((mod.flags & FlowMod::kResetCounts) == 0) {
      rule.count = old.count;
      rule.used_ms = old.used_ms;
    }
    replace(old_id, id, hash);
    // Counts that the planes still hold for the old rule follow only if they are kept.
    if ((mod.flags & FlowMod::kResetCounts) != 0) slab_[old_id].link = 0;
  }
  expiry_.add(id, rule);
  note(RuleEvent::Kind::kAdded, id, origin, {}, std::move(old_instructions));
  return {};
}

Decoded<void> RuleStore::modify(FlowMod&& mod, std::uint64_t now_ms, Origin origin) {
  const RuleFilter filter = RuleFilter::of_modification(mod);
  const bool is_strict = mod.command == FlowMod::Command::kModifyStrict;
  const std::vector<RuleId> old_ids = is_strict ? select_strictly(mod, filter) : select(filter);
  if (old_ids.empty()) {
    if (!mod.modify_adds_when_missing || mod.cookie_mask != 0) return {};
    mod.cookie = mod.new_cookie.value_or(0);
    return add(std::move(mod), now_ms, origin);
  }
  if (slab_.free_count() < old_ids.size()) {
    return fault(ErrorName::kFlowModTableFull, "no room for the modified rules");
  }

  const auto instructions = instructions_.intern(std::move(mod.instructions));
  std::vector<std::shared_ptr<const RuleSpec>> specs;
  specs.reserve(old_ids.size());
  Decoded<void> verdict;
  for (const RuleId old_id : old_ids) {
    const RuleSpec& old = *slab_[old_id].spec;
    specs.push_back(with_instructions(old, slab_.allocate(), mod.new_cookie.value_or(old.cookie),
                                      instructions));
    verdict = check_(*specs.back());
    if (!verdict) break;
  }
  if (!verdict) {
    for (const auto& spec : specs) slab_.release(spec->id);
    return verdict;
  }

  for (std::size_t i = 0; i < specs.size(); ++i) {
    const RuleId id = specs[i]->id;
    const Rule& old = slab_[old_ids[i]];
    auto old_instructions = old.spec->instructions;
    Rule& rule = slab_[id];
    rule = Rule{.spec = std::move(specs[i]),
                .count = old.count,
                .created_ms = old.created_ms,
                .modified_ms = now_ms,
                .used_ms = old.used_ms,
                .idle_timeout = old.idle_timeout,
                .hard_timeout = old.hard_timeout,
                .flags = old.flags,
                .importance = old.importance,
                .bridge = bridge_,
                .state = Rule::State::kLive};
    replace(old_ids[i], id, RuleIndex::hash(*rule.spec));
    if ((mod.flags & FlowMod::kResetCounts) != 0) {
      rule.count = {};
      slab_[old_ids[i]].link = 0;
    }
    expiry_.add(id, rule);
    note(RuleEvent::Kind::kModified, id, origin, {}, std::move(old_instructions));
  }
  return {};
}

Decoded<void> RuleStore::remove(const FlowMod& mod, Origin origin) {
  const RuleFilter filter = RuleFilter::of_deletion(mod);
  const bool is_strict = mod.command == FlowMod::Command::kDeleteStrict;
  for (const RuleId id : is_strict ? select_strictly(mod, filter) : select(filter)) {
    retire(id, RemovedReason::kDelete, origin);
  }
  return {};
}

void RuleStore::remove_users(MeterId meter, Origin origin) {
  for (const RuleId id : meter_users_.of(meter)) retire(id, RemovedReason::kMeterDelete, origin);
}

void RuleStore::expire(std::uint64_t now_ms) {
  for (RuleId id; (id = expiry_.pop(slab_, bridge_, now_ms)) != RuleId::kNone;) {
    const bool is_hard = hard_deadline_ms(slab_[id]) <= now_ms;
    retire(id, is_hard ? RemovedReason::kHardTimeout : RemovedReason::kIdleTimeout, {});
  }
}

std::vector<RuleId> RuleStore::ids(std::uint8_t table_id) const {
  std::vector<RuleId> out;
  if (table_id == RuleFilter::kAllTables) out.reserve(rule_count());
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    if (table_id != RuleFilter::kAllTables && table_id != t) continue;
    for (const std::uint32_t id : tables_[t].ids) {
      if (id != 0) out.push_back(RuleId{id});
    }
  }
  return out;
}

std::vector<RuleId> RuleStore::select(const RuleFilter& filter) const {
  std::vector<RuleId> out = ids(filter.table_id);
  std::erase_if(out, [&](RuleId id) { return !filter.selects(*slab_[id].spec); });
  return out;
}

std::vector<RuleId> RuleStore::select_strictly(const FlowMod& mod, const RuleFilter& filter) const {
  std::vector<RuleId> out;
  const bool is_all = mod.table_id == RuleFilter::kAllTables;
  for (std::uint8_t t = is_all ? 0 : mod.table_id; t < kTableCount; ++t) {
    if (tables_[t].live_count != 0) {
      const RuleId id = index_.find(RuleIndex::hash(t, mod.priority, filter.match), t, mod.priority,
                                    filter.match);
      if (id != RuleId::kNone && filter.selects_strictly(*slab_[id].spec)) out.push_back(id);
    }
    if (!is_all) break;
  }
  return out;
}

bool RuleStore::overlaps_another(const RuleSpec& rule) const {
  return std::ranges::any_of(tables_[rule.table_id].ids, [&](std::uint32_t id) {
    if (id == 0) return false;
    const RuleSpec& other = *slab_[RuleId{id}].spec;
    return other.priority == rule.priority && overlaps(other.match, rule.match);
  });
}

}  // namespace hoist::openflow

// SPDX-License-Identifier: BSD-3-Clause
// What can be said of a rule beyond its placement, and of a NIC beyond what it can do.
#include <set>
#include <utility>

#include "install/bridge_domain.hpp"
#include "install/engine.hpp"
#include "install/hw_text.hpp"
#include "nic/report.hpp"
#include "plan/remedy.hpp"
#include "translate/assess.hpp"
#include "translate/lower.hpp"

namespace hoist::offload {

std::optional<Explanation::Part> BridgeDomain::explain(RuleId rule) const {
  const auto placed = placement(rule);
  if (!placed) return std::nullopt;
  const Entry& entry = *planner_->find(rule);
  Explanation::Part out{.domain = ports_.label,
                        .tier = placed->tier,
                        .refusal = placed->refusal,
                        .reason = placed->reason,
                        .shadowed_by = entry.shadowed_by};
  if (has_waiting()) {
    const Planner::Rank rank = planner_->rank_of(entry);
    out.rank = rank.place;
    out.ranked_count = rank.of;
  }
  const auto it = standing_.find(rule);
  if (it == standing_.end()) return out;
  for (const HwRule& hw_rule : as_made(entry, it->second)) {
    out.hardware.push_back(hw_text(hw_rule));
  }
  return out;
}

/// The hardware rules that make() has put there.
std::vector<HwRule> BridgeDomain::as_made(const Entry& entry, const Standing& standing) const {
  const RuleSpec& rule = *entry.rule;
  const Position position{layout_, rule.table_id, standing.desired.level,
                          table_marks_[rule.table_id]};
  if (standing.desired.form == Form::kFull) {
    const auto form = translate(rule, context(), layout_);
    const auto* full = std::get_if<HwForm>(&form);
    if (full == nullptr) return {};
    return lower_full(full->matches, full->program, context(), position);
  }
  const HwMatches matches = guard_match(rule, context());
  return standing.desired.form == Form::kGuard
             ? lower_guard(matches, context(), position)
             : lower_partial(matches, context(), position, standing.mark);
}

void BridgeDomain::describe(NicReport& report) const {
  report.table_count = layout_.table_count;
  report.level_count = layout_.level_count;
  report.rule_count = installed_count();
  report.capacity = capacity_;
  report.waiting_count = planner_->waiting_count();
  std::set<std::pair<std::uint8_t, std::uint32_t>> levels;
  std::set<std::uint8_t> tables;
  for (const auto& [rule, standing] : standing_) {
    const std::uint8_t table_id = planner_->find(rule)->rule->table_id;
    tables.insert(table_id);
    levels.emplace(table_id, standing.desired.level);
  }
  report.tables_used = static_cast<std::uint32_t>(tables.size());
  report.levels_used = static_cast<std::uint32_t>(levels.size());
  meters_.for_each_in_hardware([&](MeterId, std::uint32_t) { ++report.meters_used; });
}

std::vector<Explanation> Engine::explain(const std::vector<RuleId>& rules) const {
  std::vector<Explanation> out;
  for (const auto& [id, bridge] : bridges_) {
    for (const RuleId rule : rules) {
      if (!bridge.rules.contains(rule)) continue;
      Explanation one{.placement = describe(bridge, rule), .remedy = {}, .parts = {}};
      if (one.placement.tier != Tier::kFull) one.remedy = remedy(one.placement.refusal);
      for (const auto& domain : bridge.domains) {
        if (auto part = domain->explain(rule)) one.parts.push_back(std::move(*part));
      }
      out.push_back(std::move(one));
    }
  }
  return out;
}

std::vector<NicReport> Engine::describe_nics() const {
  std::vector<NicReport> out;
  for (const auto& [id, bridge] : bridges_) {
    std::vector<NicReport> reports;
    for (const auto& domain : bridge.domains) {
      reports.push_back(report(domain->identity(), domain->capabilities()));
      domain->describe(reports.back());
    }
    for (const BridgePort& port : bridge.ports) {
      std::size_t at = 0;
      while (at < bridge.domains.size() && !serves(*bridge.domains[at], port.identity)) ++at;
      if (at == bridge.domains.size()) {
        reports.push_back(report(port.identity, probe(port.identity)));
        at = reports.size() - 1;
      }
      NicReport::Port told = describe_port(port.status);
      told.is_enabled = is_enabled_ && !bridge.disabled.contains(port.status.number);
      reports[at].ports.push_back(std::move(told));
    }
    for (NicReport& one : reports) {
      one.bridge = id;
      out.push_back(std::move(one));
    }
  }
  return out;
}

}  // namespace hoist::offload

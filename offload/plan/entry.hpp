// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>

#include "hoist/flow_manager.hpp"
#include "hoist/rule.hpp"
#include "plan/overlap_index.hpp"
#include "translate/assess.hpp"

namespace hoist::offload {

/// How hardware carries a rule.
enum class Form : std::uint8_t {
  kNone,
  kGuard,    ///< Hands its packets to software, to be looked up there.
  kPartial,  ///< Matches and counts; software executes.
  kFull,
};

/// What the planner wants to stand in hardware for a rule.
struct Desired {
  Form form = Form::kNone;
  std::uint32_t level = 0;  ///< 0 is asked first.
  bool operator==(const Desired&) const = default;
};

/// One rule as the planner keeps it, where it does not move: `match`, which is what hardware would
/// match for it, may point into it.
struct Entry : OverlapItem {
  std::shared_ptr<const RuleSpec> rule;
  Assessment assessment;
  std::uint64_t age = 0;    ///< Order of arrival.
  bool is_indexed = false;  ///< Its turn has come: neighbours see it.
  RuleId shadowed_by = RuleId::kNone;
  Desired desired;
  double rate = 0;           ///< Packets a second in both planes, see Planner::rank().
  std::uint64_t gained = 0;  ///< Packets since the last rank().
  Refused why;               ///< Why not tier full; kNone if it is.

  /// It must not be in tier full, although it has a form.
  [[nodiscard]] bool is_withdrawn() const noexcept {
    return assessment.full && assessment.refused.refusal != Refusal::kNone;
  }

  /// Keeps the assessment, and the match that hardware has for the rule: once, if it is the rule's.
  void assess(Assessment now) {
    assessment = std::move(now);
    match = &assessment.matched;
    if (assessment.matched != rule->match) return;
    match = &rule->match;
    assessment.matched = MiniMatch();
  }
  [[nodiscard]] bool acts() const noexcept {
    return desired.form == Form::kFull || desired.form == Form::kPartial;
  }
  [[nodiscard]] const Cost* cost(Form form) const noexcept {
    const auto get = [](const std::optional<Cost>& c) { return c ? &*c : nullptr; };
    switch (form) {
      case Form::kFull:
        return get(assessment.full);
      case Form::kPartial:
        return get(assessment.partial);
      case Form::kGuard:
        return get(assessment.guard);
      case Form::kNone:
        break;
    }
    return nullptr;
  }
};

/// The same match at the same priority: a modification under way. Either order is right.
[[nodiscard]] inline bool are_twins(const Entry& a, const Entry& b) noexcept {
  return a.rule->priority == b.rule->priority && a.rule->match == b.rule->match;
}
/// Says whether a packet that matches both belongs to `a`. OpenFlow leaves equal priorities open;
/// the older wins here.
[[nodiscard]] inline bool goes_before(const Entry& a, const Entry& b) noexcept {
  if (a.rule->priority != b.rule->priority) return a.rule->priority > b.rule->priority;
  return a.age < b.age;
}

}  // namespace hoist::offload

// SPDX-License-Identifier: BSD-3-Clause
#include "openflow/implicit_miss.hpp"

#include <utility>

namespace hoist::openflow {
namespace {

std::shared_ptr<const RuleSpec> make_spec(RuleId id) {
  auto spec = std::make_shared<RuleSpec>();
  spec->id = id;
  spec->cookie = ImplicitMiss::kCookie;
  Instructions instructions;
  instructions.apply_actions.emplace_back(OutputAction{PortNo::kController, 0xffff});
  spec->instructions = std::make_shared<const Instructions>(std::move(instructions));
  return spec;
}

}  // namespace

void ImplicitMiss::follow(bool is_wanted, Commit& commit) {
  if (is_wanted == (rule_ != nullptr)) return;
  if (!is_wanted) {
    slab_[rule_->id].state = Rule::State::kRetired;
    commit.retired.push_back(rule_->id);
    commit.changes.push_back({RuleChange::Kind::kRemove, std::exchange(rule_, nullptr)});
    return;
  }
  const RuleId id = slab_.allocate();
  if (id == RuleId::kNone) return;  // No room for a rule: then none for this one either.
  rule_ = make_spec(id);
  Rule& rule = slab_[id];
  rule = {};
  rule.spec = rule_;
  rule.bridge = bridge_;
  rule.state = Rule::State::kLive;
  commit.changes.push_back({RuleChange::Kind::kAdd, rule_});
}

}  // namespace hoist::openflow

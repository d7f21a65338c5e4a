// SPDX-License-Identifier: BSD-3-Clause
#include "support/reference/action_set.hpp"

#include <algorithm>

namespace hoist::reference {
namespace {

/// Place in the order of OpenFlow 1.3, 5.10.
struct Rank {
  int operator()(const CopyTtlInAction&) const { return 1; }
  int operator()(const PopVlanAction&) const { return 2; }
  int operator()(const PopMplsAction&) const { return 2; }
  int operator()(const PushMplsAction&) const { return 3; }
  int operator()(const PushVlanAction&) const { return 5; }
  int operator()(const CopyTtlOutAction&) const { return 6; }
  int operator()(const DecMplsTtlAction&) const { return 7; }
  int operator()(const DecNwTtlAction&) const { return 7; }
  int operator()(const SetFieldAction&) const { return 8; }
  int operator()(const MoveAction&) const { return 8; }
  int operator()(const SetVlanVidAction&) const { return 8; }
  int operator()(const SetVlanPcpAction&) const { return 8; }
  int operator()(const SetMplsTtlAction&) const { return 8; }
  int operator()(const SetNwTtlAction&) const { return 8; }
  int operator()(const SetQueueAction&) const { return 9; }
  int operator()(const GroupAction&) const { return 10; }
  template <class Output>
  int operator()(const Output&) const {
    return 11;
  }
};

int rank(const Action& action) { return std::visit(Rank{}, action); }

bool is_same_kind(const Action& a, const Action& b) {
  if (a.index() != b.index()) return rank(a) == 11 && rank(b) == 11;
  const auto* field_a = std::get_if<SetFieldAction>(&a);
  const auto* field_b = std::get_if<SetFieldAction>(&b);
  return field_a == nullptr || field_a->field == field_b->field;
}

}  // namespace

void ActionSet::write(const Action& action) {
  const auto is_it = [&](const Action& other) { return is_same_kind(action, other); };
  if (!std::holds_alternative<MoveAction>(action)) std::erase_if(actions_, is_it);
  actions_.push_back(action);
}

std::vector<Action> ActionSet::in_order() const {
  std::vector<Action> ordered = actions_;
  std::ranges::stable_sort(ordered, {}, rank);
  return ordered;
}

}  // namespace hoist::reference

// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "translate/actions.hpp"

namespace hoist::offload {
namespace {

/// Place in the order of execution (OpenFlow 1.3, 5.10).
int rank(const Action& action) {
  return std::visit(
      [](const auto& a) {
        using T = std::decay_t<decltype(a)>;
        if constexpr (std::is_same_v<T, CopyTtlInAction>) return 0;
        if constexpr (std::is_same_v<T, PopVlanAction> || std::is_same_v<T, PopMplsAction>)
          return 1;
        if constexpr (std::is_same_v<T, PushMplsAction>) return 2;
        if constexpr (std::is_same_v<T, PushVlanAction>) return 3;
        if constexpr (std::is_same_v<T, CopyTtlOutAction>) return 4;
        if constexpr (std::is_same_v<T, DecNwTtlAction> || std::is_same_v<T, DecMplsTtlAction>)
          return 5;
        if constexpr (std::is_same_v<T, EnqueueAction> || std::is_same_v<T, SetQueueAction>)
          return 7;
        if constexpr (std::is_same_v<T, GroupAction>) return 8;
        if constexpr (std::is_same_v<T, OutputAction>) return 9;
        return 6;  // set
      },
      action);
}

bool replaces(const Action& newer, const Action& older) {
  if (newer.index() != older.index()) return false;
  const auto* a = std::get_if<SetFieldAction>(&newer);
  const auto* b = std::get_if<SetFieldAction>(&older);
  return a == nullptr || b == nullptr || a->field == b->field;
}

}  // namespace

std::vector<Action> ordered_action_set(const ActionList& write_actions) {
  std::vector<Action> set;
  for (const Action& action : write_actions) {
    std::erase_if(set, [&](const Action& older) { return replaces(action, older); });
    set.push_back(action);
  }
  std::ranges::stable_sort(set, {}, rank);
  return set;
}

}  // namespace hoist::offload

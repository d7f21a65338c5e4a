// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <variant>

#include "hoist/instructions.hpp"
#include "hoist/meter.hpp"

namespace hoist {

/// Calls visit(MeterId) for each meter that instructions name, in the order in which packets meet
/// them; once, however often it is named.
template <class Visit>
void for_each_meter(const Instructions& instructions, Visit visit) {
  if (instructions.meter_id) visit(MeterId{*instructions.meter_id});
  const auto& actions = instructions.apply_actions;
  for (auto it = actions.begin(); it != actions.end(); ++it) {
    const auto* meter = std::get_if<MeterAction>(&*it);
    if (meter == nullptr || instructions.meter_id == meter->meter_id) continue;
    const auto is_same = [&](const Action& other) {
      const auto* m = std::get_if<MeterAction>(&other);
      return m != nullptr && m->meter_id == meter->meter_id;
    };
    if (std::find_if(actions.begin(), it, is_same) == it) visit(MeterId{meter->meter_id});
  }
}

}  // namespace hoist

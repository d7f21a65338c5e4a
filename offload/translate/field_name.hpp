// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "hoist/match.hpp"
#include "translate/hazard.hpp"

namespace hoist::offload {

/// The ovs name of the first field with a bit in `mask`, as the rule's EtherType and protocol read
/// it.
[[nodiscard]] std::string field_name(const FlowKey& mask, const Match& match);

/// What people call the first hazard of a set.
[[nodiscard]] std::string_view hazard_name(const HazardSet& hazards);

}  // namespace hoist::offload

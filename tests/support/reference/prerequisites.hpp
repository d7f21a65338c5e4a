// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hoist/field.hpp"
#include "hoist/match.hpp"

namespace hoist::reference {

/// Says whether a packet has what a field needs (OpenFlow 1.3, 7.2.3.8).
[[nodiscard]] bool is_met(Prerequisite prerequisite, const FlowKey& key);

}  // namespace hoist::reference

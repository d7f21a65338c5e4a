// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_flow.h>

#include <bitset>
#include <optional>
#include <string_view>

namespace emulated_nic {

using ActionSet = std::bitset<96>;  ///< Index: rte_flow_action_type.

/// Those that the emulation knows.
[[nodiscard]] ActionSet all_actions();
/// Names as in profiles and in testpmd's flow syntax.
[[nodiscard]] std::optional<rte_flow_action_type> find_action(std::string_view name);
[[nodiscard]] std::string_view action_name(rte_flow_action_type type);

}  // namespace emulated_nic

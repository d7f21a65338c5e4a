// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace hoist::ctl {

// What the answers about rules in hardware look like to people. Pure.
[[nodiscard]] std::string view_explanations(const nlohmann::json& rules, bool has_colours);
[[nodiscard]] std::string view_drift(const nlohmann::json& domains, bool has_colours);
/// One line a port.
[[nodiscard]] std::string view_nic_list(const nlohmann::json& nics, bool has_colours);
/// All that each NIC can do.
[[nodiscard]] std::string view_nics(const nlohmann::json& nics, bool has_colours);
/// The sums of `offload plan`, and why rules stay in software.
[[nodiscard]] std::string view_plan(const nlohmann::json& plan, bool has_colours);

}  // namespace hoist::ctl

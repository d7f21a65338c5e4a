// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace hoist::ctl {

/// What the daemon's JSON answers look like to people. Pure.
[[nodiscard]] std::string view_status(const nlohmann::json& status, bool has_colours);
[[nodiscard]] std::string view_ports(const nlohmann::json& ports, bool has_colours);
[[nodiscard]] std::string view_workers(const nlohmann::json& workers, bool has_colours);
[[nodiscard]] std::string view_drops(const nlohmann::json& drops, bool has_colours);
[[nodiscard]] std::string view_ct(const nlohmann::json& status, bool has_colours);
[[nodiscard]] std::string view_fdb(const nlohmann::json& entries, bool has_colours);
/// One line a rule, and the sums.
[[nodiscard]] std::string view_offload(const nlohmann::json& placements, bool has_colours);

}  // namespace hoist::ctl

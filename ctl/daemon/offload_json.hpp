// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "hoist/offload_report.hpp"

namespace hoist::ctl {

/// What the flow manager tells, as JSON. Pure. Rules are left to the caller, who knows their words.
[[nodiscard]] nlohmann::json to_json(const Placement& placement);
[[nodiscard]] nlohmann::json to_json(const Explanation::Part& part);
[[nodiscard]] nlohmann::json to_json(const NicReport& report);
[[nodiscard]] nlohmann::json to_json(const DriftReport& report);
[[nodiscard]] std::string_view tier_name(Tier tier) noexcept;
[[nodiscard]] std::string_view refusal_name(Refusal refusal) noexcept;

}  // namespace hoist::ctl

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "hoist/error.hpp"

namespace hoist::ctl {

struct PlanRequest {
  std::string profile;
  unsigned port_count = 0;  ///< 0: as many as the rules name.
  std::string meters;       ///< File; empty: none.
  std::vector<std::string> rules;
};

/// Has hoist-plan, which lies beside this program, work out the plan. Fails with its words.
[[nodiscard]] Result<nlohmann::json> plan(const PlanRequest& request);

}  // namespace hoist::ctl

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "hoist/connections.hpp"
#include "hoist/expectations.hpp"

namespace hoist::ctl {

/// Tracked connections as `hoistctl --json ct` shows them.
[[nodiscard]] nlohmann::json to_json(const ConnectionReport& connection);
[[nodiscard]] nlohmann::json to_json(const ExpectationReport& expectation);
/// Counts, bounds and switches of the tracker.
[[nodiscard]] nlohmann::json status_of(const Connections& connections);

}  // namespace hoist::ctl

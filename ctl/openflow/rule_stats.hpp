// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "openflow/message.hpp"
#include "openflow/rule_slab.hpp"

namespace hoist::openflow {

/// A rule as statistics, flow-removed and monitors show it. The result points into `rule`.
[[nodiscard]] FlowStats stats_of(const Rule& rule, std::uint64_t now_ms) noexcept;

}  // namespace hoist::openflow

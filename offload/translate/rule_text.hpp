// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "hoist/rule.hpp"

namespace hoist::offload {

/// "table=0,priority=100,in_port=1,eth_type=0x0800,nw_dst=10.0.0.0/0xff000000": enough to find the
/// rule.
[[nodiscard]] std::string rule_text(const RuleSpec& rule);

}  // namespace hoist::offload

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "translate/hw_rule.hpp"

namespace hoist::offload {

/// For people: "group 2 priority 21839 transfer: ETH / IPV4 nw_dst=0a000002 -> COUNT, JUMP 4".
/// Values are hexadecimal, in the packet's order; bytes of an item that no field covers are named
/// by their place, "+12=0800".
[[nodiscard]] std::string hw_text(const HwRule& rule);

}  // namespace hoist::offload

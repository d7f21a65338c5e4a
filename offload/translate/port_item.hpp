// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "nic/capabilities.hpp"
#include "translate/hw_match.hpp"
#include "hoist/types.hpp"

namespace hoist::offload {

/// Adds "came from this port" to a pattern of the embedded switch.
void put_port(HwMatch& pattern, PortMatch form, EthdevId ethdev) noexcept;

}  // namespace hoist::offload

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hoist/types.hpp"
#include "nic/capabilities.hpp"
#include "translate/hw_match.hpp"

namespace hoist::offload {

/// Adds "came from this port" to a pattern of the embedded switch.
void put_port(HwMatch& pattern, PortMatch form, EthdevId ethdev) noexcept;
/// Adds "came from any port" where the pattern says nothing of it: without a port item a transfer
/// rule means the port it was created on to some NICs.
void put_any_port(HwMatch& pattern, PortMatch form) noexcept;

}  // namespace hoist::offload

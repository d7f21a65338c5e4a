// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "hoist/error.hpp"

namespace hoist::ctl {

/// Starts DPDK's environment with so many null ports, ethdevs from 0 on, all started. Fails with
/// kDevice.
Result<void> start_null_ports(std::uint32_t count);
void stop_null_ports(std::uint32_t count);

}  // namespace hoist::ctl

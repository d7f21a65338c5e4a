// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hoist/datapath.hpp"
#include "hoist/offload_report.hpp"
#include "nic/capabilities.hpp"
#include "nic/probe.hpp"

namespace hoist::offload {

/// For people: what was found by probe(). What stands in the NIC, and its ports, are left out.
/// Offload thread.
[[nodiscard]] NicReport report(const PortIdentity& identity, const Capabilities& capabilities);
/// What DPDK tells of one port.
[[nodiscard]] NicReport::Port describe_port(const PortStatus& port);

}  // namespace hoist::offload

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "openflow/codec.hpp"

namespace hoist::openflow {

/// Appends an ofp_port (OpenFlow 1.0: ofp_phy_port).
void put_port_desc(Bytes& out, Version version, const PortDesc& port);
/// Appends an ofp_port_stats.
void put_port_stats(Bytes& out, Version version, const PortStats& stats);

}  // namespace hoist::openflow

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "nic/capabilities.hpp"
#include "translate/port_map.hpp"

namespace hoist::offload {

/// A NIC that can do everything there is a row for.
inline Capabilities able_nic() {
  Capabilities c;
  c.features.set();
  c.match_port = PortMatch::kRepresentedPort;
  c.output_port = PortOutput::kRepresentedPort;
  c.punt = Punt::kPortRepresentor;
  c.match_exact.set();
  c.match_masked.set();
  c.actions.set();
  c.admissible.set();
  c.group_count = 65531;
  c.priority_count = c.root_priority_count = 21844;
  c.mark_max = 0xffffef;
  return c;
}

/// Ports 1 and 2 of one domain, and 3 outside it.
inline PortMap three_ports() {
  return PortMap{.ports = {{PortNo{1}, EthdevId{10}, "p1", true, true},
                           {PortNo{2}, EthdevId{11}, "p2", true, true},
                           {PortNo{3}, EthdevId{12}, "p3", false, true}},
                 .label = "p1,p2"};
}

}  // namespace hoist::offload

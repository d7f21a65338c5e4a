// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "hoist/types.hpp"

namespace hoist::offload {

/// One port of a bridge, as the translator of one domain sees it.
struct DomainPort {
  PortNo number;
  EthdevId ethdev = EthdevId::kNone;
  std::string name;
  bool is_member = false;    ///< Its packets pass through this domain's rules.
  bool can_egress = false;   ///< Rules may send to it.
  bool can_ingress = false;  ///< Packets from it may run in hardware.
  bool operator==(const DomainPort&) const = default;
};

/// All ports of one bridge, and which of them one domain serves.
struct PortMap {
  std::vector<DomainPort> ports;
  std::string label;  ///< For people: the members' names, "p1,p2".

  /// The ports that hardware rules depend on.
  [[nodiscard]] std::vector<DomainPort> members() const {
    std::vector<DomainPort> out;
    for (const DomainPort& port : ports) {
      if (port.is_member) out.push_back(port);
    }
    return out;
  }
  [[nodiscard]] const DomainPort* find(PortNo number) const noexcept {
    for (const DomainPort& port : ports) {
      if (port.number == number) return &port;
    }
    return nullptr;
  }
};

}  // namespace hoist::offload

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

#include "hoist/types.hpp"
#include "nic/capabilities.hpp"

namespace hoist::offload {

/// Who takes a port's rules, and which ports share a switch with it.
struct PortIdentity {
  EthdevId ethdev = EthdevId::kNone;
  EthdevId proxy = EthdevId::kNone;        ///< Takes transfer rules for it.
  std::optional<std::uint16_t> domain_id;  ///< Of its switch, if it is in one.
  std::uint16_t queue_count = 0;
  bool operator==(const PortIdentity&) const = default;
};

/// Offload thread. The port must be started.
[[nodiscard]] PortIdentity identify(EthdevId ethdev);

/// Asks the port, with rte_flow_validate of small rules, what it can do. Installs nothing. Cost:
/// some hundred calls.
[[nodiscard]] Capabilities probe(const PortIdentity& port);

}  // namespace hoist::offload

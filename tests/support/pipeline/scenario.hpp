// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "hoist/meter.hpp"
#include "hoist/rule.hpp"
#include "support/packet_builder.hpp"

namespace hoist::test {

/// A packet that comes in. Packets of one flow must leave in their order.
struct Arrival {
  PortNo in_port;
  Bytes frame;
  std::uint32_t flow = 0;
};

/// Changes published as one step.
using Changes = std::vector<RuleChange>;
/// Packets that come in one after the other without a pause.
using Burst = std::vector<Arrival>;
/// New PortFlags of a port.
struct PortChange {
  PortNo port;
  std::uint32_t flags;
};
/// A packet that a controller sends.
struct PacketOut {
  PortNo in_port;
  Bytes frame;
  ActionList actions;
};
/// Time that passes: only meters and connections notice.
struct Pause {
  std::uint64_t ns;
};
using Step = std::variant<Changes, Burst, PortChange, PacketOut, Pause>;

/// What a differential test runs: a bridge with ports 1 to port_count, changes and packets in turn.
/// Rule ids are unique within it. A removal of a rule that was never added is to be passed over, so
/// that any part of a scenario is a scenario. Ports begin without flags.
struct Scenario {
  std::uint64_t seed = 0;
  std::uint32_t port_count = 4;
  bool learns = false;  ///< Some rule says NORMAL: packets must come one by one to be predictable.
  bool tracks = false;  ///< Some rule says ct: likewise. There is no TCP then.
  std::vector<MeterConfig> meters;  ///< There from the start.
  std::vector<Step> steps;
};

/// For people: rules in ovs-ofctl's syntax as far as it goes, packets in hex.
[[nodiscard]] std::string describe(const Scenario& scenario);
[[nodiscard]] std::string describe(const RuleSpec& rule);
[[nodiscard]] std::string hex(const Bytes& frame);

}  // namespace hoist::test

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/pipeline/scenario.hpp"
#include "support/random_packet.hpp"

namespace hoist::test {

struct ScenarioSize {
  unsigned rules_max = 24;  ///< Added at the start.
  unsigned bursts = 5;      ///< With changes between them.
  unsigned burst_packets_max = 40;
};

/// The same scenario for the same seed. Rules of equal priority in one table never overlap: what
/// happens then, OpenFlow leaves open.
[[nodiscard]] Scenario random_scenario(std::uint64_t seed, const ScenarioSize& size = {});

}  // namespace hoist::test

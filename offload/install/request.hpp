// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <variant>
#include <vector>

#include "hoist/flow_manager.hpp"

namespace hoist::offload {

// What control asks of the offload thread; values, moved through a ring.
struct AttachPort {
  BridgeId bridge;
  PortStatus port;
};
struct DetachPort {
  BridgeId bridge;
  PortNo number;
};
struct UpdateRules {
  BridgeId bridge;
  std::vector<RuleChange> changes;
};
struct Observe {
  std::vector<RuleHit> hits;
};
struct UpdateMeters {
  BridgeId bridge;
  std::vector<MeterChange> changes;
};
struct RefreshCounters {};
struct SetEnabled {
  bool is_enabled;
};
struct Describe {
  std::vector<RuleId> rules;
  std::function<void(std::vector<Placement>)> done;
};

struct Request {
  FlowManager::Sequence sequence = 0;
  std::variant<AttachPort, DetachPort, UpdateRules, UpdateMeters, Observe, RefreshCounters,
               SetEnabled, Describe>
      what;
};

/// An answer on its way back to control.
struct Answer {
  std::function<void(std::vector<Placement>)> done;
  std::vector<Placement> placements;
};

}  // namespace hoist::offload

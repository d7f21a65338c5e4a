// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <variant>
#include <vector>

#include "hoist/flow_manager.hpp"

namespace hoist::offload {

class Engine;

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
struct SetPortEnabled {
  BridgeId bridge;
  PortNo number;
  bool is_enabled;
};
/// An answer on its way back: run by the control thread.
using Answer = std::function<void()>;
/// Something to find out. Offload thread; the answer goes back to control.
struct Question {
  std::function<Answer(Engine&)> answer;
};

struct Request {
  FlowManager::Sequence sequence = 0;
  std::variant<AttachPort, DetachPort, UpdateRules, UpdateMeters, Observe, RefreshCounters,
               SetEnabled, SetPortEnabled, Question>
      what;
  std::chrono::steady_clock::time_point asked_at{};
};

}  // namespace hoist::offload

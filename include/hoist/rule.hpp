// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>

#include "hoist/instructions.hpp"
#include "hoist/match.hpp"

namespace hoist {

/// A rule as both planes see it. Immutable, shared between the control and the offload thread
/// (never with workers). A modification that changes instructions makes a new RuleSpec with a new
/// id.
struct RuleSpec {
  RuleId id;
  std::uint8_t table_id;
  std::uint16_t priority;
  std::uint64_t cookie;
  MiniMatch match;
  std::shared_ptr<const Instructions> instructions;  ///< Never null; equal ones may be shared.
};

struct RuleChange {
  enum class Kind : std::uint8_t { kAdd, kRemove };
  Kind kind;
  std::shared_ptr<const RuleSpec> rule;
};

/// Packets and frame bytes (without FCS).
struct TrafficCount {
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
  TrafficCount& operator+=(const TrafficCount& other) noexcept {
    packets += other.packets;
    bytes += other.bytes;
    return *this;
  }
  bool operator==(const TrafficCount&) const = default;
};

}  // namespace hoist

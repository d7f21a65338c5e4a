// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hoist/datapath.hpp"
#include "support/pipeline/scenario.hpp"

namespace hoist::test {

/// What came of one burst.
struct BurstResult {
  std::map<PortNo, std::vector<Bytes>> sent;  ///< In order, per port.
  std::vector<PacketIn> packet_ins;
  std::array<std::uint64_t, kDropReasonCount> drops{};
};

/// What was counted since the start of a scenario.
struct Counts {
  std::map<RuleId, TrafficCount> rules;
  std::map<std::uint8_t, TableCount> tables;
  std::map<MeterId, MeterStats> meters;
};

/// Something that runs a scenario, one step at a time.
class Plane {
 public:
  virtual ~Plane() = default;
  virtual void start(const Scenario& scenario) = 0;
  /// Removals of rules that are not there are passed over.
  virtual void apply(const Changes& changes) = 0;
  virtual BurstResult run(const Burst& burst) = 0;
  virtual void change_port(const PortChange& change) = 0;
  virtual void pass(const Pause& pause) = 0;
  virtual BurstResult send(const PacketOut& packet) = 0;
  virtual Counts counts() = 0;
  /// What may help to understand a difference, for people.
  virtual std::string explain() { return ""; }
};

}  // namespace hoist::test

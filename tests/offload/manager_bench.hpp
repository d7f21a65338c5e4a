// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "hoist/flow_manager.hpp"
#include "hwtests/nic_bench.hpp"
#include "rules.hpp"

namespace hoist::offload {

/// A flow manager over the emulated NIC's bench: port n of the bridge is ethdev n - 1. Driven by
/// hand.
class ManagerBench : public emulated_nic::test::NicBench {
 protected:
  static constexpr BridgeId kBridge{0};

  void SetUp() override { begin("connectx"); }
  void TearDown() override {
    manager_.reset();
    EXPECT_EQ(rule_count(), 0u) << "rules left in the NIC";
    EXPECT_EQ(book("stale_touches"), 0u);
    NicBench::TearDown();
  }

  /// A manager on a NIC of this profile, with ports 1 to `ports` attached.
  void begin(const std::string& profile, unsigned ports = 2);
  FlowManager::Sequence attach(unsigned number, std::uint32_t flags = 0, BridgeId bridge = kBridge);

  void add(const Rule& rule) { add(std::vector{rule.spec()}); }
  void add(const std::vector<std::shared_ptr<const RuleSpec>>& rules);
  void remove(std::uint32_t id);
  /// The rule under a new id, in one step.
  void replace(std::uint32_t old_id, const Rule& rule);
  void settle(FlowManager::Sequence sequence);
  Placement placement(std::uint32_t id);
  /// Reads the NIC, and what came together since the last call.
  TrafficCount carried(std::uint32_t id);
  static std::uint64_t rule_count();

  /// What software gets of a frame that comes in on a port: nothing, or the packet with its mark.
  std::vector<emulated_nic::test::Received> in(unsigned port, const test::Bytes& frame) {
    return pass(static_cast<std::uint16_t>(port - 1), frame);
  }
  std::vector<test::Bytes> out(unsigned port) { return sent(static_cast<std::uint16_t>(port - 1)); }
  /// The port that hardware sent the frame to: 0 if software got it, -1 if it was dropped.
  int fate(unsigned port, const test::Bytes& frame);

  FlowManager::Config config_{.has_thread = false};  ///< Of the next begin().
  std::uint64_t now_ms_ = 1000;
  std::unique_ptr<ResumeTable> marks_;
  std::unique_ptr<FlowManager> manager_;
  std::map<std::uint32_t, std::shared_ptr<const RuleSpec>> rules_;
  std::map<RuleId, TrafficCount> hits_;
};

}  // namespace hoist::offload

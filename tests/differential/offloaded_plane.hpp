// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "datapath_plane.hpp"
#include "hoist/flow_manager.hpp"

namespace hoist::test {

/// The software pipeline with the flow manager beside it, over ports that take rules: the emulated
/// NIC is linked ahead of DPDK and has its profile from the environment.
class OffloadedPlane : public DatapathPlane {
 public:
  OffloadedPlane(const std::string& name, const Options& options);
  ~OffloadedPlane() override;

  /// Publishes changes without waiting for the NIC; settle_one() lets the offload thread have one
  /// turn and says whether both planes now agree.
  void begin(const Changes& changes);
  [[nodiscard]] bool settle_one();
  /// The same for hardware's part of a port that leaves or returns; software keeps it.
  void begin_detach(PortNo port);
  void begin_attach(PortNo port);

  /// Packets counted by hardware rules since the start.
  [[nodiscard]] std::uint64_t hardware_packets() const { return hardware_packets_; }
  /// Packets that hardware meters saw since the start.
  [[nodiscard]] std::uint64_t metered_packets() const { return metered_packets_; }
  /// Where the live rules are, and why: a line a rule.
  std::string explain() override;
  /// Tells the flow manager too.
  void change_port(const PortChange& change) override;

 protected:
  void tell(const Changes& changes) override;
  void tell(const std::vector<MeterChange>& changes) override;
  void turn_others() override;
  void collect(const std::function<void(const RuleHit&)>& visit) override;
  void add_hardware(std::map<MeterId, MeterStats>& meters) override;

 private:
  void turn();
  void settle(FlowManager::Sequence sequence);

  std::uint64_t flow_manager_ms_ = 0;
  std::unique_ptr<FlowManager> flow_manager_;
  FlowManager::Sequence pending_ = 0;
  bool is_racing_ = false;  ///< Only settle_one() moves the offload thread on.
  std::uint64_t hardware_packets_ = 0;
  std::map<MeterId, MeterHit> meter_hits_;  ///< Since the start of the scenario.
  std::uint64_t metered_packets_ = 0;
};

}  // namespace hoist::test

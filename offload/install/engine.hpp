// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "hoist/flow_manager.hpp"
#include "install/bridge_domain.hpp"
#include "install/hits.hpp"
#include "install/request.hpp"
#include "install/token_pool.hpp"

namespace hoist::offload {

/// The offload thread's state: all bridges, their rules and ports, and the domains they run in.
/// Answers requests one at a time, each to the end.
class Engine {
 public:
  Engine(const FlowManager::Config& config, ResumeTable& resume_table, Hits& hits,
         std::function<std::uint64_t()> now_ms);
  /// Takes everything out of the NICs.
  ~Engine();

  void attach(const AttachPort& request);
  void detach(const DetachPort& request);
  void update(const UpdateRules& request);
  /// What software carried, for the ranking of rules that wait for room.
  void observe(const std::vector<RuleHit>& hits);
  [[nodiscard]] bool has_waiting() const;
  void update_meters(const UpdateMeters& request);
  void refresh();
  void set_enabled(bool is_enabled);
  void set_port_enabled(const SetPortEnabled& request);
  [[nodiscard]] std::vector<Placement> describe(const std::vector<RuleId>& rules) const;
  [[nodiscard]] std::vector<Explanation> explain(const std::vector<RuleId>& rules) const;
  /// Asks ports that no domain serves once more.
  [[nodiscard]] std::vector<NicReport> describe_nics() const;
  std::vector<DriftReport> verify(bool repairs);
  /// Hardware rules that stand.
  [[nodiscard]] std::uint64_t installed_count() const;

  /// Lets go, without a touch, of what a port that was reset or has gone had. To be called before
  /// anything else is.
  void drop_lost();
  /// Retries what is due.
  void tick();
  /// Nothing is left in a NIC that should have gone.
  [[nodiscard]] bool is_clean() const;
  /// Whether a rule that comes or goes can be a NIC's concern.
  [[nodiscard]] bool may_hold_rules() const;

 private:
  struct BridgePort {
    PortStatus status;
    PortIdentity identity;
  };
  struct Bridge {
    RuleMap<RuleRef> rules;
    MeterConfigs meters;
    std::vector<BridgePort> ports;
    RuleMap<TrafficCount> carried;  ///< By hardware, for rules that are there.
    std::set<PortNo> disabled;      ///< Ports whose packets stay in software.
    std::vector<std::unique_ptr<BridgeDomain>> domains;
    std::uint64_t replay_at_ms = 0;  ///< A port has lost its rules: when to try it again; 0: none.
    std::uint64_t back_off_ms = 0;
  };

  void rebuild(BridgeId id, Bridge& bridge, bool is_anew = false);
  [[nodiscard]] PortIdentity identity_of(const PortStatus& port) const;
  [[nodiscard]] static bool is_current(const Bridge& bridge, const BridgeDomain& domain);
  void drop_lost(Bridge& bridge);
  void replay(BridgeId id, Bridge& bridge);
  void retire(std::unique_ptr<BridgeDomain> domain);
  BridgeDomain* domain_for(BridgeId id, Bridge& bridge, const BridgePort& port);
  [[nodiscard]] std::uint32_t free_slot(const PortIdentity& identity, bool is_transfer) const;
  [[nodiscard]] static PortMap port_map(const Bridge& bridge, const BridgeDomain& domain);
  [[nodiscard]] static bool serves(const BridgeDomain& domain, const PortIdentity& port);
  [[nodiscard]] Placement describe(const Bridge& bridge, RuleId rule) const;
  [[nodiscard]] Placement placed(const Bridge& bridge, RuleId rule) const;
  [[nodiscard]] std::optional<Placement> switched_off(const Bridge& bridge, RuleId rule) const;

  TokenPool tokens_;
  Hits& hits_;
  std::function<std::uint64_t()> now_ms_;
  Budget budget_;
  bool is_enabled_;
  std::map<BridgeId, Bridge> bridges_;
  /// Domains that have ended, but whose NIC did not give everything back.
  std::vector<std::unique_ptr<BridgeDomain>> leaving_;
};

}  // namespace hoist::offload

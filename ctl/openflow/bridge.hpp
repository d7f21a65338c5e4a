// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "openflow/implicit_miss.hpp"
#include "openflow/meter_registry.hpp"
#include "openflow/planes.hpp"
#include "openflow/rule_store.hpp"

namespace hoist::openflow {

class Session;

/// One bridge as its controllers see it: its rules, its ports, its sessions. Control thread.
class Bridge {
 public:
  struct Config {
    std::string name;
    BridgeId id{};
    std::uint64_t datapath_id = 0;
  };

  Bridge(Config config, Planes& planes, RuleSlab& slab, InstructionPool& instructions);
  Bridge(const Bridge&) = delete;
  Bridge& operator=(const Bridge&) = delete;

  [[nodiscard]] const Config& config() const noexcept { return config_; }
  void set_datapath_id(std::uint64_t datapath_id) noexcept { config_.datapath_id = datapath_id; }
  [[nodiscard]] BridgeId id() const noexcept { return config_.id; }
  [[nodiscard]] RuleStore& rules() noexcept { return rules_; }
  [[nodiscard]] const RuleStore& rules() const noexcept { return rules_; }
  [[nodiscard]] const MeterRegistry& meters() const noexcept { return meters_; }
  [[nodiscard]] Planes& planes() noexcept { return planes_; }
  [[nodiscard]] std::uint64_t now_ms() const { return planes_.datapath().now_ms(); }

  /// Publishes the flow mods since the last flush as one step and tells flow monitors.
  void flush();
  /// Carries out a meter mod at once. Deletion takes the rules that use the meter along, in one
  /// step with them.
  Decoded<void> apply(MeterMod&& mod, Origin origin);
  /// Which bytes a meter counts. Fails with kNotFound.
  Result<void> set_accounting(MeterId id, MeterConfig::Accounting accounting);
  /// What both planes counted; false: there is no such meter. `stats` is overwritten.
  [[nodiscard]] bool meter_stats(MeterId id, MeterStats& stats) const;
  void count(const MeterHit& hit) { meters_.count(hit); }

  /// Removes rules that have timed out, once hardware's counters are in.
  void expire();

  [[nodiscard]] std::vector<PortDesc> ports() const;
  [[nodiscard]] std::optional<PortDesc> port(PortNo number) const;
  /// Sets the bits under `mask` of a port's flags and tells all sessions. Fails with kNotFound or
  /// as Datapath::set_port_flags().
  Result<void> set_port_flags(PortNo number, std::uint32_t flags, std::uint32_t mask);
  /// Milliseconds that a port has been in the bridge.
  [[nodiscard]] std::uint64_t port_age_ms(PortNo number) const;
  /// To be told of each port that has come.
  void port_added(const PortStatus& status);

  /// Deliver to the sessions that want it.
  void packet_in(const PacketIn& packet);
  void flow_removed(const Rule& rule);
  void port_changed(PortChange change, const PortStatus& status);

  /// Says whether actions can run here: groups and meters they name must exist.
  [[nodiscard]] Decoded<void> check_actions(const ActionList& actions) const;

  // --- For sessions.
  void add_session(Session& session);
  void remove_session(Session& session);
  /// A new master: whoever was master becomes slave.
  void set_master(Session& session);
  /// Compares and takes a master election's number; false: it is stale (OpenFlow 1.3, 6.3.5).
  bool take_generation(std::uint64_t generation_id);
  [[nodiscard]] std::uint64_t generation_id() const noexcept {
    return generation_id_.value_or(UINT64_MAX);
  }
  /// A session's flow monitors came or went.
  void monitors_changed();
  /// A session came, went, or now hears of other things unasked.
  void wishes_changed();

 private:
  struct PortBirth {
    PortNo number;
    std::uint64_t ms;
  };
  struct PendingExpiry {
    FlowManager::Sequence refresh;
    std::uint64_t asked_ms;
  };
  [[nodiscard]] Decoded<void> check(const RuleSpec& rule) const;
  [[nodiscard]] bool wants_misses() const;
  [[nodiscard]] Decoded<void> check_meter(std::uint32_t meter_id) const;
  Decoded<void> set_meter(MeterConfig&& config);
  void remove_meters(MeterId id, Origin origin);
  void submit_meters();

  Config config_;
  Planes& planes_;
  RuleStore rules_;
  ImplicitMiss implicit_miss_;
  MeterRegistry meters_;
  std::vector<MeterChange> pending_meters_;  ///< That hardware has not heard of.
  std::vector<Session*> sessions_;
  std::vector<PortBirth> births_;
  std::optional<std::uint64_t> generation_id_;
  std::optional<PendingExpiry> expiry_;
};

/// A refusal by the datapath as an OpenFlow fault.
[[nodiscard]] Fault fault_of(const Error& error);

}  // namespace hoist::openflow

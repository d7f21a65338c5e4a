// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "daemon/daemon.hpp"

namespace hoist::ctl {

/// hoistd's commands. Those that OVS has too answer in its words; each `hoist/...` command answers
/// in JSON, for hoistctl. Control thread.
class Commands {
 public:
  /// Adds them all to the daemon's table.
  static void add_all(Daemon& daemon);

 private:
  using Arguments = std::vector<std::string>;

  explicit Commands(Daemon& daemon) : daemon_(daemon) {}
  void add_switch_commands(CommandTable& table);
  void add_offload_commands(CommandTable& table);
  void add_dpctl_commands(CommandTable& table);
  void add_worker_commands(CommandTable& table);
  void add_bulk_commands(CommandTable& table);
  void add_meter_commands(CommandTable& table);

  [[nodiscard]] nlohmann::json status() const;
  [[nodiscard]] nlohmann::json ports() const;
  [[nodiscard]] nlohmann::json drops() const;
  [[nodiscard]] nlohmann::json workers() const;
  [[nodiscard]] Result<nlohmann::json> fdb(const std::string& bridge) const;
  [[nodiscard]] std::string dpif_show() const;
  Result<std::string> flush_fdb(const Arguments& arguments);
  [[nodiscard]] Result<openflow::Bridge*> bridge(const std::string& name) const;
  [[nodiscard]] Result<std::vector<RuleId>> chosen_rules(const Arguments& arguments) const;
  /// Answers with the placement of the rules that `arguments` name, once the offload thread has
  /// said.
  void show_offload(const Arguments& arguments, bool is_json, const CommandTable::Answer& answer);
  void explain_offload(const Arguments& arguments, const CommandTable::Answer& answer);
  void show_nics(const Arguments& arguments, const CommandTable::Answer& answer);
  void verify_offload(const Arguments& arguments, const CommandTable::Answer& answer);
  Result<std::string> switch_offload(const Arguments& arguments, bool is_enabled);
  void dump_datapath_flows(const Arguments& arguments, const CommandTable::Answer& answer);
  [[nodiscard]] std::string bridge_name(BridgeId id) const;
  [[nodiscard]] nlohmann::json placement_json(const Placement& placement) const;

  Daemon& daemon_;
};

}  // namespace hoist::ctl

// SPDX-License-Identifier: BSD-3-Clause
// How a running hoistd comes in line with its configuration file.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "daemon/daemon.hpp"

namespace hoist::ctl {
namespace {

openflow::FlowMod normal_rule() {
  openflow::FlowMod mod;
  mod.priority = 0;
  mod.instructions.apply_actions.emplace_back(OutputAction{PortNo::kNormal, 0});
  return mod;
}

bool is_same(const PortConfig& a, const PortConfig& b) {
  return a.name == b.name && a.number == b.number && a.devargs == b.devargs && a.queues == b.queues;
}

bool has(const std::vector<PortConfig>& ports, const PortConfig& port) {
  return std::ranges::any_of(ports, [&](const PortConfig& p) { return is_same(p, port); });
}

/// What only a new start can change.
void warn_of_what_stays(const Config& now, const Config& wanted) {
  const auto check = [](bool is_same_as_now, const char* what) {
    if (!is_same_as_now) spdlog::warn("{}: changed, which takes effect at the next start", what);
  };
  check(now.dpdk_args == wanted.dpdk_args, "dpdk.args");
  check(now.workers == wanted.workers, "datapath.workers");
  check(now.flow_cache_entries == wanted.flow_cache_entries, "datapath.flow_cache_entries");
  check(now.mbuf_count == wanted.mbuf_count, "datapath.mbuf_count");
  check(now.max_rules == wanted.max_rules, "datapath.max_rules");
  for (const Config::Bridge& bridge : now.bridges) {
    const bool stays = std::ranges::find(wanted.bridges, bridge.name, &Config::Bridge::name) !=
                       wanted.bridges.end();
    check(stays, bridge.name.c_str());
  }
}

}  // namespace

void Daemon::add_normal_rule(openflow::Bridge& bridge) {
  if (const auto added = bridge.rules().apply(normal_rule(), bridge.now_ms(), {}); !added) {
    spdlog::error("{}: cannot add the rule actions=NORMAL: {}", bridge.config().name,
                  added.error().detail);
  }
  bridge.flush();
}

Result<void> Daemon::reload() {
  Result<Config> config = Config::load(parts_.config_path);
  if (!config) return tl::unexpected<Error>(config.error());
  warn_of_what_stays(parts_.config, *config);
  for (const Config::Bridge& wanted : config->bridges) {
    const auto found = std::ranges::find_if(
        bridges_, [&](const BridgeState& state) { return state.config.name == wanted.name; });
    if (found == bridges_.end()) {
      if (Result<void> started = start_bridge(wanted); !started) return started;
    } else {
      follow(*found, wanted);
    }
  }
  if (config->is_offload_enabled != parts_.config.is_offload_enabled) {
    parts_.flow_manager->set_enabled(config->is_offload_enabled);
  }
  if (Workers* workers = workers_of(*parts_.datapath)) {
    workers->set_auto_balance(config->auto_balance);
  }
  follow_connections(parts_.config.conntrack, config->conntrack);
  parts_.config = *std::move(config);
  spdlog::info("configuration read again from {}", parts_.config_path);
  return {};
}

void Daemon::follow_connections(const ConnectionConfig& now, const ConnectionConfig& wanted) {
  Connections* connections = connections_of(*parts_.datapath);
  if (connections == nullptr) return;
  if (const auto followed = ctl::follow(now, wanted, *connections); !followed) {
    spdlog::warn("conntrack: kept until the next start: {}", followed.error().message);
  }
}

void Daemon::follow(BridgeState& state, const Config::Bridge& wanted) {
  follow_ports(state, wanted);
  pin_queues(state, wanted);
  follow_targets(state, state.config.listen, wanted.listen);
  follow_targets(state, state.config.controllers, wanted.controllers);
  follow_fail_mode(state, wanted.fail_mode);
  state.config = wanted;
}

/// Ports that the file no longer has, or has otherwise, go; then those that are missing come.
void Daemon::follow_ports(BridgeState& state, const Config::Bridge& wanted) {
  for (const PortConfig& port : state.config.ports) {
    if (!has(wanted.ports, port)) remove_port(state, port.number);
  }
  const std::vector<PortConfig> failed = std::exchange(state.failed, {});
  for (const PortConfig& port : wanted.ports) {
    if (!has(state.config.ports, port) || has(failed, port)) add_port(state, port);
  }
}

void Daemon::pin_queues(BridgeState& state, const Config::Bridge& wanted) {
  Workers* workers = workers_of(*parts_.datapath);
  if (workers == nullptr) return;
  for (const Config::Bridge::Affinity& affinity : wanted.affinities) {
    const bool is_there = state.bridge->port(affinity.port).has_value();
    if (!is_there) continue;
    if (const auto pinned = workers->pin_queues(state.bridge->id(), affinity.port, affinity.pins);
        !pinned) {
      spdlog::error("{}: rxq_affinity of port {}: {}", wanted.name, to_integer(affinity.port),
                    pinned.error().message);
    }
  }
}

/// A target that cannot be opened is logged: the others are followed all the same.
void Daemon::follow_targets(BridgeState& state, const std::vector<openflow::Target>& now,
                            const std::vector<openflow::Target>& wanted) {
  const auto lacks = [](const std::vector<openflow::Target>& list, const openflow::Target& t) {
    return std::ranges::find(list, t) == list.end();
  };
  for (const openflow::Target& target : now) {
    if (lacks(wanted, target)) agent_.forget(*state.bridge, target);
  }
  for (const openflow::Target& target : wanted) {
    if (!lacks(now, target)) continue;
    const Result<void> opened = target.is_listener() ? agent_.listen(*state.bridge, target)
                                                     : agent_.connect(*state.bridge, target);
    if (!opened) spdlog::error("{}: {}", state.config.name, opened.error().message);
  }
}

/// Standalone brings the rule actions=NORMAL; secure takes it away if it still is what it was.
void Daemon::follow_fail_mode(BridgeState& state, Config::Bridge::FailMode wanted) {
  if (state.config.fail_mode == wanted) return;
  if (wanted == Config::Bridge::FailMode::kStandalone) return add_normal_rule(*state.bridge);
  openflow::FlowMod mod;
  mod.command = openflow::FlowMod::Command::kDeleteStrict;
  mod.priority = 0;
  mod.out_port = PortNo::kNormal;
  if (const auto gone = state.bridge->rules().apply(std::move(mod), state.bridge->now_ms(), {});
      !gone) {
    spdlog::error("{}: cannot remove the rule actions=NORMAL: {}", state.config.name,
                  gone.error().detail);
  }
  state.bridge->flush();
}

}  // namespace hoist::ctl

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daemon/config.hpp"
#include "daemon/run_dir.hpp"
#include "hoist/datapath.hpp"
#include "hoist/flow_manager.hpp"
#include "hoist/workers.hpp"
#include "openflow/agent.hpp"
#include "rpc/command_table.hpp"
#include "rpc/rpc_server.hpp"

namespace hoist::ctl {

/// hoistd without EAL and command line: both planes, the OpenFlow agent and the RPC server, wired.
/// Control thread.
class Daemon {
 public:
  struct Parts {
    Config config;
    RunDir run_dir;
    std::string config_path;
    std::unique_ptr<Datapath> datapath;
    std::unique_ptr<FlowManager> flow_manager;
  };

  explicit Daemon(Parts parts);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  /// Opens the RPC socket, makes the bridges, starts the workers, then adds the ports: one that
  /// cannot start is logged and left out. Fails with kIo if a socket cannot be opened.
  Result<void> start();
  /// Serves until SIGTERM, SIGINT or `exit`, then stops cleanly. `on_ready` is called first.
  void run(const std::function<void()>& on_ready);

  /// Reads the configuration again: bridges stay; their ports, pinned queues, listeners,
  /// controllers and fail mode, offload's switch, automatic balance and conntrack follow it. The
  /// rest is logged as waiting for the next start.
  Result<void> reload();

 private:
  friend class Commands;
  struct BridgeState {
    Config::Bridge config;
    openflow::Bridge* bridge;
    std::vector<PortConfig> failed;  ///< Ports that could not start.
  };

  Result<void> start_bridge(const Config::Bridge& config);
  void add_port(BridgeState& state, const PortConfig& port);
  void remove_port(BridgeState& state, PortNo number);

  // reload.cpp
  static void add_normal_rule(openflow::Bridge& bridge);
  void follow_connections(const ConnectionConfig& now, const ConnectionConfig& wanted);
  void follow(BridgeState& state, const Config::Bridge& wanted);
  void follow_ports(BridgeState& state, const Config::Bridge& wanted);
  void pin_queues(BridgeState& state, const Config::Bridge& wanted);
  void follow_targets(BridgeState& state, const std::vector<openflow::Target>& now,
                      const std::vector<openflow::Target>& wanted);
  void follow_fail_mode(BridgeState& state, Config::Bridge::FailMode wanted);

  void wait_signal();
  void stop();
  /// Lets the flow manager go on until `sequence` has settled, or a few seconds have gone.
  void drain(FlowManager::Sequence sequence);

  Parts parts_;
  asio::io_context io_{1};
  asio::signal_set signals_{io_};
  CommandTable commands_;
  openflow::Agent agent_;
  std::vector<BridgeState> bridges_;
  std::unique_ptr<RpcServer> rpc_;
};

}  // namespace hoist::ctl

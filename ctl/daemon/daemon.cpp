// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/daemon.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

#include "daemon/commands.hpp"

namespace hoist::ctl {
namespace {

constexpr std::chrono::seconds kDrainTimeout{5};

/// Stable for a port's address; without ports, for the bridge's name (locally administered).
std::uint64_t datapath_id_of(const Config::Bridge& config, const std::vector<PortStatus>& ports) {
  if (config.datapath_id) return *config.datapath_id;
  std::uint64_t id = 0;
  for (const PortStatus& port : ports) {
    std::uint64_t mac = 0;
    for (const std::uint8_t byte : port.mac) mac = mac << 8 | byte;
    if (mac != 0 && (id == 0 || port.number == PortNo::kLocal)) id = mac;
  }
  if (id != 0) return id;
  for (const char c : config.name) id = id * 31 + static_cast<unsigned char>(c);
  constexpr std::uint64_t kLocallyAdministered = std::uint64_t{0x02} << 40;
  return (id & 0xffffffff) | kLocallyAdministered;
}

}  // namespace

Daemon::Daemon(Parts parts)
    : parts_(std::move(parts)),
      agent_(io_, *parts_.datapath, *parts_.flow_manager, parts_.config.max_rules) {
  Commands::add_all(*this);
}

Daemon::~Daemon() = default;

Result<void> Daemon::start() {
  auto rpc = RpcServer::create(io_, parts_.run_dir.file("hoistd.ctl"), commands_);
  if (!rpc) return tl::unexpected<Error>(rpc.error());
  rpc_ = std::move(*rpc);
  if (Workers* workers = workers_of(*parts_.datapath)) {
    workers->set_auto_balance(parts_.config.auto_balance);
  }
  follow_connections({.max_connections = parts_.config.conntrack.max_connections},
                     parts_.config.conntrack);
  parts_.datapath->start();
  for (const Config::Bridge& bridge : parts_.config.bridges) {
    if (Result<void> started = start_bridge(bridge); !started) return started;
  }
  return {};
}

Result<void> Daemon::start_bridge(const Config::Bridge& config) {
  const Result<BridgeId> id = parts_.datapath->add_bridge(config.name);
  if (!id) return tl::unexpected<Error>(id.error());
  openflow::Bridge& bridge = agent_.add_bridge({.name = config.name, .id = *id});
  bridges_.push_back({.config = config, .bridge = &bridge, .failed = {}});
  BridgeState& state = bridges_.back();
  if (config.fail_mode == Config::Bridge::FailMode::kStandalone) add_normal_rule(bridge);
  for (const PortConfig& port : config.ports) add_port(state, port);
  pin_queues(state, config);
  bridge.set_datapath_id(datapath_id_of(config, parts_.datapath->ports(*id)));

  const openflow::Target management{.kind = openflow::Target::Kind::kListenUnix,
                                    .address = parts_.run_dir.file(config.name + ".mgmt")};
  if (Result<void> listening = agent_.listen(bridge, management); !listening) return listening;
  for (const openflow::Target& target : config.listen) {
    if (Result<void> listening = agent_.listen(bridge, target); !listening) return listening;
  }
  for (const openflow::Target& target : config.controllers) {
    if (Result<void> connecting = agent_.connect(bridge, target); !connecting) return connecting;
  }
  return {};
}

void Daemon::add_port(BridgeState& state, const PortConfig& port) {
  const Result<PortStatus> added = parts_.datapath->add_port(state.bridge->id(), port);
  if (!added) {
    spdlog::error("{}: port {} ({}) cannot start: {}", state.config.name, port.name, port.devargs,
                  added.error().message);
    state.failed.push_back(port);
    return;
  }
  parts_.flow_manager->attach_port(state.bridge->id(), *added);
  state.bridge->port_added(*added);
  spdlog::info("{}: port {} is number {} ({}, {})", state.config.name, port.name,
               to_integer(added->number), port.devargs, added->driver);
}

void Daemon::remove_port(BridgeState& state, PortNo number) {
  const std::optional<openflow::PortDesc> port = state.bridge->port(number);
  if (!port) return;
  drain(parts_.flow_manager->detach_port(state.bridge->id(), number));
  const Result<void> removed = parts_.datapath->remove_port(state.bridge->id(), number);
  if (!removed) {
    spdlog::error("{}: port {}: {}", state.config.name, port->status.name, removed.error().message);
    return;
  }
  state.bridge->port_changed(openflow::PortChange::kDelete, port->status);
  spdlog::info("{}: port {} is gone", state.config.name, port->status.name);
}

void Daemon::drain(FlowManager::Sequence sequence) {
  const auto deadline = std::chrono::steady_clock::now() + kDrainTimeout;
  while (!parts_.flow_manager->is_settled(sequence)) {
    if (std::chrono::steady_clock::now() > deadline) {
      spdlog::warn("the flow manager did not drain in time");
      return;
    }
    parts_.flow_manager->poll();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void Daemon::run(const std::function<void()>& on_ready) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) signals_.add(signal);
  wait_signal();
  agent_.start();
  on_ready();
  io_.run();
  stop();
}

void Daemon::wait_signal() {
  signals_.async_wait([this](asio::error_code error, int signal) {
    if (error) return;
    if (signal == SIGHUP) {
      if (const Result<void> reloaded = reload(); !reloaded) {
        spdlog::error("configuration kept as it was: {}", reloaded.error().message);
      }
      return wait_signal();
    }
    spdlog::info("{}: stopping", signal == SIGINT ? "SIGINT" : "SIGTERM");
    io_.stop();
  });
}

/// Hardware first, while software still runs and no packet is without a switch; then the workers.
void Daemon::stop() {
  agent_.stop();
  rpc_.reset();
  for (const BridgeState& state : bridges_) {
    for (const PortStatus& port : parts_.datapath->ports(state.bridge->id())) {
      drain(parts_.flow_manager->detach_port(state.bridge->id(), port.number));
    }
  }
  parts_.datapath->stop();
  for (const BridgeState& state : bridges_) {
    for (const PortStatus& port : parts_.datapath->ports(state.bridge->id())) {
      if (const auto r = parts_.datapath->remove_port(state.bridge->id(), port.number); !r) {
        spdlog::warn("{}: port {}: {}", state.config.name, port.name, r.error().message);
      }
    }
  }
  io_.restart();
  io_.poll();  // Closed connections say goodbye.
  spdlog::info("hoistd has stopped");
}

}  // namespace hoist::ctl

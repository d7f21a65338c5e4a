// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <asio/basic_socket_acceptor.hpp>
#include <asio/generic/stream_protocol.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "openflow/bridge.hpp"
#include "openflow/connection.hpp"
#include "openflow/target.hpp"

namespace hoist::openflow {

/// The OpenFlow side of the daemon: bridges, listeners, controllers, and the clock that drives the
/// planes' polling. Control thread.
class Agent {
 public:
  /// `datapath` and `flow_manager` must outlive the agent.
  Agent(asio::io_context& io, Datapath& datapath, FlowManager& flow_manager,
        std::uint32_t max_rules);
  ~Agent();
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  Bridge& add_bridge(Bridge::Config config);
  [[nodiscard]] const std::vector<std::unique_ptr<Bridge>>& bridges() const noexcept {
    return bridges_;
  }
  /// Null if there is none of that name.
  [[nodiscard]] Bridge* find_bridge(std::string_view name) noexcept;
  [[nodiscard]] Planes& planes() noexcept { return planes_; }
  [[nodiscard]] const RuleSlab& slab() const noexcept { return slab_; }

  /// Listens; a stale unix socket is replaced. Fails with kIo or kInvalidArgument.
  Result<void> listen(Bridge& bridge, const Target& target);
  /// Keeps a connection to a controller, with back-off (1 to 8 s) where it fails.
  Result<void> connect(Bridge& bridge, const Target& target);
  /// Ends what listen() or connect() began. Who has connected to a listener stays; the connection
  /// to a controller is closed.
  void forget(const Bridge& bridge, const Target& target);

  /// Starts the ticking. The agent ticks until stop().
  void start();
  /// Closes all sockets.
  void stop();
  /// One turn: packet-ins, counters, timeouts, whatever waits. Returns when to come back.
  std::chrono::microseconds poll();
  /// Called once a tick, for others that poll.
  void on_tick(std::function<void()> callback) { on_tick_ = std::move(callback); }

  [[nodiscard]] std::size_t connection_count() const noexcept { return connections_.size(); }

 private:
  using Protocol = asio::generic::stream_protocol;
  using Acceptor = asio::basic_socket_acceptor<Protocol>;
  struct Listener {
    Acceptor acceptor;
    Bridge& bridge;
    Target target;
  };
  struct Controller {
    Bridge& bridge;
    Target target;
    std::string name;
    asio::steady_timer timer;
    int backoff_s = 1;
    std::weak_ptr<Connection> connection = {};
  };

  // Handlers hold listeners and controllers weakly: one that has been forgotten is let be.
  void accept(const std::shared_ptr<Listener>& listener);
  void close_listeners();
  void dial(const std::shared_ptr<Controller>& controller);
  void redial(const std::shared_ptr<Controller>& controller, const std::string& reason);
  std::shared_ptr<Connection> add_connection(Connection::Socket socket, Bridge& bridge,
                                             Connection::Options options,
                                             std::function<void(const std::string&)> on_closed);
  void tick();

  asio::io_context& io_;
  RuleSlab slab_;
  InstructionPool instructions_;
  Planes planes_;
  std::vector<std::unique_ptr<Bridge>> bridges_;
  std::vector<std::shared_ptr<Listener>> listeners_;
  std::vector<std::shared_ptr<Controller>> controllers_;
  std::vector<std::shared_ptr<Connection>> connections_;
  asio::steady_timer timer_;
  std::function<void()> on_tick_;
  bool is_stopped_ = false;
};

}  // namespace hoist::openflow

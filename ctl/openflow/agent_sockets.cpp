// SPDX-License-Identifier: BSD-3-Clause
// The agent's listeners and its connections to controllers.
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <asio/ip/tcp.hpp>
#include <asio/local/stream_protocol.hpp>
#include <chrono>
#include <utility>

#include "openflow/agent.hpp"

namespace hoist::openflow {
namespace {

using Protocol = asio::generic::stream_protocol;

constexpr int kBackoffMaxS = 8;
constexpr std::chrono::seconds kControllerProbe{5};
constexpr std::chrono::seconds kListenerProbe{60};  ///< TCP only: a peer may vanish silently.

Result<Protocol::endpoint> endpoint_of(const Target& target) {
  if (target.kind == Target::Kind::kListenUnix || target.kind == Target::Kind::kConnectUnix) {
    constexpr std::size_t kPathMax = 107;  // sockaddr_un
    if (target.address.size() > kPathMax) {
      return failure(Errc::kInvalidArgument,
                     target.address + ": longer than a socket's path may be");
    }
    return Protocol::endpoint(asio::local::stream_protocol::endpoint(target.address));
  }
  asio::error_code error;
  const std::string address = target.address.empty() ? "0.0.0.0" : target.address;
  const asio::ip::address ip = asio::ip::make_address(address, error);
  if (error) return failure(Errc::kInvalidArgument, address + ": not an IP address");
  return Protocol::endpoint(asio::ip::tcp::endpoint(ip, target.port));
}

bool is_unix(const Target& target) {
  return target.kind == Target::Kind::kListenUnix || target.kind == Target::Kind::kConnectUnix;
}

std::string name_of(const Target& target) {
  return is_unix(target) ? target.address : fmt::format("{}:{}", target.address, target.port);
}

void send_at_once(Connection::Socket& socket, const Target& target) {
  if (is_unix(target)) return;
  asio::error_code ignored;
  socket.set_option(asio::ip::tcp::no_delay(true), ignored);
}

}  // namespace

Result<void> Agent::listen(Bridge& bridge, const Target& target) {
  const Result<Protocol::endpoint> endpoint = endpoint_of(target);
  if (!endpoint) return tl::unexpected<Error>(endpoint.error());
  if (is_unix(target)) ::unlink(target.address.c_str());
  asio::error_code error;
  Acceptor acceptor(io_);
  acceptor.open(endpoint->protocol(), error);
  if (!error && !is_unix(target)) {
    acceptor.set_option(asio::socket_base::reuse_address(true), error);
  }
  if (!error) acceptor.bind(*endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    return failure(Errc::kIo,
                   fmt::format("cannot listen on {}: {}", name_of(target), error.message()));
  }
  listeners_.push_back(std::make_unique<Listener>(Listener{std::move(acceptor), bridge, target}));
  accept(*listeners_.back());
  return {};
}

void Agent::close_listeners() {
  for (const auto& listener : listeners_) {
    if (is_unix(listener->target)) ::unlink(listener->target.address.c_str());
  }
  listeners_.clear();
}

void Agent::accept(Listener& listener) {
  listener.acceptor.async_accept([this, &listener](asio::error_code error,
                                                   Connection::Socket socket) {
    if (is_stopped_ || error == asio::error::operation_aborted) return;
    if (error) {
      spdlog::warn("{}: cannot accept a connection: {}", listener.bridge.config().name,
                   error.message());
    } else {
      send_at_once(socket, listener.target);
      const std::string peer =
          listener.bridge.config().name + "<->" + (is_unix(listener.target) ? "unix" : "tcp");
      spdlog::debug("{}: connected", peer);
      add_connection(
          std::move(socket), listener.bridge,
          {.peer = peer,
           .probe_interval = is_unix(listener.target) ? std::chrono::seconds{0} : kListenerProbe},
          [peer](const std::string& reason) { spdlog::debug("{}: {}", peer, reason); });
    }
    accept(listener);
  });
}

Result<void> Agent::connect(Bridge& bridge, const Target& target) {
  if (const auto endpoint = endpoint_of(target); !endpoint) {
    return tl::unexpected<Error>(endpoint.error());
  }
  controllers_.push_back(std::make_unique<Controller>(
      Controller{bridge, target, fmt::format("{}<->{}", bridge.config().name, name_of(target)),
                 asio::steady_timer(io_)}));
  dial(*controllers_.back());
  return {};
}

void Agent::dial(Controller& controller) {
  auto socket = std::make_shared<Connection::Socket>(io_);
  const auto endpoint = endpoint_of(controller.target);
  socket->async_connect(*endpoint, [this, &controller, socket](asio::error_code error) {
    if (is_stopped_) return;
    if (error) return redial(controller, error.message());
    send_at_once(*socket, controller.target);
    spdlog::info("{}: connected", controller.name);
    controller.backoff_s = 1;
    Connection::Options options{.peer = controller.name, .probe_interval = kControllerProbe};
    options.session.is_service = false;
    add_connection(std::move(*socket), controller.bridge, std::move(options),
                   [this, &controller](const std::string& reason) {
                     if (!is_stopped_) redial(controller, reason);
                   });
  });
}

void Agent::redial(Controller& controller, const std::string& reason) {
  spdlog::warn("{}: {}; next try in {} s", controller.name, reason, controller.backoff_s);
  controller.timer.expires_after(std::chrono::seconds(controller.backoff_s));
  controller.backoff_s = std::min(controller.backoff_s * 2, kBackoffMaxS);
  controller.timer.async_wait([this, &controller](asio::error_code error) {
    if (!error && !is_stopped_) dial(controller);
  });
}

}  // namespace hoist::openflow

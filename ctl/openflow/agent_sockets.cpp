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
  listeners_.push_back(std::make_shared<Listener>(Listener{std::move(acceptor), bridge, target}));
  accept(listeners_.back());
  return {};
}

void Agent::close_listeners() {
  for (const auto& listener : listeners_) {
    if (is_unix(listener->target)) ::unlink(listener->target.address.c_str());
  }
  listeners_.clear();
}

void Agent::accept(const std::shared_ptr<Listener>& listener) {
  listener->acceptor.async_accept(
      [this, weak = std::weak_ptr(listener)](asio::error_code error, Connection::Socket socket) {
        const std::shared_ptr<Listener> self = weak.lock();
        if (is_stopped_ || !self || error == asio::error::operation_aborted) return;
        const std::string& bridge = self->bridge.config().name;
        if (error) {
          spdlog::warn("{}: cannot accept a connection: {}", bridge, error.message());
          return accept(self);
        }
        send_at_once(socket, self->target);
        const bool is_local = is_unix(self->target);
        const std::string peer = bridge + "<->" + (is_local ? "unix" : "tcp");
        spdlog::debug("{}: connected", peer);
        add_connection(
            std::move(socket), self->bridge,
            {.peer = peer, .probe_interval = is_local ? std::chrono::seconds{0} : kListenerProbe},
            [peer](const std::string& reason) { spdlog::debug("{}: {}", peer, reason); });
        accept(self);
      });
}

Result<void> Agent::connect(Bridge& bridge, const Target& target) {
  if (const auto endpoint = endpoint_of(target); !endpoint) {
    return tl::unexpected<Error>(endpoint.error());
  }
  controllers_.push_back(std::make_shared<Controller>(
      Controller{bridge, target, fmt::format("{}<->{}", bridge.config().name, name_of(target)),
                 asio::steady_timer(io_)}));
  dial(controllers_.back());
  return {};
}

void Agent::forget(const Bridge& bridge, const Target& target) {
  const auto is_meant = [&](const auto& one) {
    return &one->bridge == &bridge && one->target == target;
  };
  std::erase_if(listeners_, [&](const auto& listener) {
    if (!is_meant(listener)) return false;
    if (is_unix(target)) ::unlink(target.address.c_str());
    return true;
  });
  std::erase_if(controllers_, [&](const auto& controller) {
    if (!is_meant(controller)) return false;
    if (const auto connection = controller->connection.lock()) {
      connection->close("no longer configured");
    }
    return true;
  });
}

void Agent::dial(const std::shared_ptr<Controller>& controller) {
  auto socket = std::make_shared<Connection::Socket>(io_);
  const auto endpoint = endpoint_of(controller->target);
  socket->async_connect(
      *endpoint, [this, weak = std::weak_ptr(controller), socket](asio::error_code error) {
        const std::shared_ptr<Controller> self = weak.lock();
        if (is_stopped_ || !self) return;
        if (error) return redial(self, error.message());
        send_at_once(*socket, self->target);
        spdlog::info("{}: connected", self->name);
        self->backoff_s = 1;
        Connection::Options options{.peer = self->name, .probe_interval = kControllerProbe};
        options.session.is_service = false;
        self->connection = add_connection(std::move(*socket), self->bridge, std::move(options),
                                          [this, weak](const std::string& reason) {
                                            const std::shared_ptr<Controller> same = weak.lock();
                                            if (!is_stopped_ && same) redial(same, reason);
                                          });
      });
}

void Agent::redial(const std::shared_ptr<Controller>& controller, const std::string& reason) {
  spdlog::warn("{}: {}; next try in {} s", controller->name, reason, controller->backoff_s);
  controller->timer.expires_after(std::chrono::seconds(controller->backoff_s));
  controller->backoff_s = std::min(controller->backoff_s * 2, kBackoffMaxS);
  controller->timer.async_wait([this, weak = std::weak_ptr(controller)](asio::error_code error) {
    const std::shared_ptr<Controller> self = weak.lock();
    if (!error && !is_stopped_ && self) dial(self);
  });
}

}  // namespace hoist::openflow

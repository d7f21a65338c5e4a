// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <asio/generic/stream_protocol.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "openflow/session.hpp"

namespace hoist::openflow {

/// A Session on a stream socket (TCP or unix). Control thread. Lives until its socket closes.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Socket = asio::generic::stream_protocol::socket;

  struct Options {
    Session::Options session;
    std::string peer;  ///< For the log.
    /// Silence after which the peer is asked for an echo; as long again, and it is given up. 0:
    /// never.
    std::chrono::seconds probe_interval{0};
  };

  Connection(Socket socket, Bridge& bridge, Options options);

  /// Starts to read. `on_closed` is called once, later.
  void start(std::function<void(const std::string& reason)> on_closed);
  /// Goes on with what waits for the planes.
  void poll();
  /// How long the request at hand has waited for the planes. Nothing: none does.
  [[nodiscard]] std::optional<std::chrono::steady_clock::duration> waited() const;
  /// Sends what async events have left in the session's output.
  void send();
  void close(const std::string& reason);
  [[nodiscard]] const std::string& peer() const noexcept { return options_.peer; }

 private:
  void read();
  void on_read(std::size_t count);
  /// Lets the session take what has been read, sends the answers, reads on.
  void pump();
  /// Goes on with `sending_` behind its first `sent` bytes when the socket takes more.
  void send_rest(std::size_t sent);
  void probe();

  Socket socket_;
  Options options_;
  Session session_;
  asio::steady_timer probe_timer_;
  std::function<void(const std::string&)> on_closed_;
  std::vector<std::uint8_t> input_;  ///< Received and not yet taken.
  Bytes sending_;                    ///< Handed to the socket.
  bool is_reading_ = false;
  bool is_sending_ = false;
  bool is_pump_posted_ = false;
  bool is_closed_ = false;
  bool was_heard_ = true;  ///< Since the last probe.
  std::array<std::uint8_t, 65536> chunk_;
};

}  // namespace hoist::openflow

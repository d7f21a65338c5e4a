// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <asio/io_context.hpp>
#include <asio/local/stream_protocol.hpp>
#include <memory>
#include <string>

#include "hoist/error.hpp"
#include "rpc/command_table.hpp"

namespace hoist::ctl {

/// JSON-RPC on a unix socket, as `ovs-appctl -t PATH` speaks it. Control thread.
class RpcServer {
 public:
  /// Replaces a stale socket. Fails with kIo. `commands` must outlive the server.
  static Result<std::unique_ptr<RpcServer>> create(asio::io_context& io, const std::string& path,
                                                   const CommandTable& commands);
  ~RpcServer();
  RpcServer(const RpcServer&) = delete;
  RpcServer& operator=(const RpcServer&) = delete;

 private:
  class Client;
  RpcServer(asio::local::stream_protocol::acceptor acceptor, std::string path,
            const CommandTable& commands);
  void accept();

  asio::local::stream_protocol::acceptor acceptor_;
  std::string path_;
  const CommandTable& commands_;
};

}  // namespace hoist::ctl

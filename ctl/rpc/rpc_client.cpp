// SPDX-License-Identifier: BSD-3-Clause
#include "rpc/rpc_client.hpp"

#include <array>
#include <asio/buffer.hpp>
#include <asio/io_context.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/write.hpp>

#include "rpc/json_stream.hpp"
#include "rpc/rpc_message.hpp"

namespace hoist::ctl {

Result<std::string> call(const std::string& path, const std::string& method,
                         const std::vector<std::string>& params) {
  constexpr std::size_t kPathMax = 107;  // sockaddr_un
  if (path.size() > kPathMax)
    return failure(Errc::kIo, path + ": longer than a socket's path may be");
  asio::io_context io;
  asio::local::stream_protocol::socket socket(io);
  asio::error_code error;
  socket.connect(path, error);
  if (error) {
    return failure(Errc::kIo, path + ": " + error.message() + " (is hoistd running?)");
  }
  asio::write(socket, asio::buffer(RpcRequest{"0", method, params}.to_text()), error);
  JsonStream stream;
  std::array<char, 65536> chunk;
  while (!error && !stream.is_broken()) {
    if (const auto text = stream.next()) return parse_rpc_reply(*text);
    const std::size_t count = socket.read_some(asio::buffer(chunk), error);
    stream.feed({chunk.data(), count});
  }
  return failure(Errc::kIo, path + ": " + (error ? error.message() : "the answer makes no sense"));
}

}  // namespace hoist::ctl

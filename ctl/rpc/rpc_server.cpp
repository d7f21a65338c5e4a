// SPDX-License-Identifier: BSD-3-Clause
#include "rpc/rpc_server.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <asio/buffer.hpp>
#include <asio/post.hpp>
#include <asio/write.hpp>
#include <utility>

#include "rpc/json_stream.hpp"
#include "rpc/rpc_message.hpp"

namespace hoist::ctl {

using Local = asio::local::stream_protocol;

/// One client: requests are answered one after the other.
class RpcServer::Client : public std::enable_shared_from_this<Client> {
 public:
  Client(Local::socket socket, const CommandTable& commands)
      : socket_(std::move(socket)), commands_(commands) {}

  void read() {
    socket_.async_read_some(asio::buffer(chunk_),
                            [self = shared_from_this()](asio::error_code error, std::size_t count) {
                              if (error)
                                return;  // The last reference goes, and the socket with it.
                              self->stream_.feed({self->chunk_.data(), count});
                              self->serve();
                            });
  }

 private:
  void serve() {
    const std::optional<std::string> text = stream_.next();
    if (!text) {
      if (!stream_.is_broken()) read();
      return;
    }
    Result<RpcRequest> request = RpcRequest::parse(*text);
    if (!request) return reply("null", tl::unexpected<Error>(request.error()));
    commands_.run(
        request->method, request->params,
        [self = shared_from_this(), id = request->id_json](Result<std::string> result) {
          self->reply(id, result);
        },
        [self = shared_from_this(), id = request->id_json](CommandTable::Pieces pieces) {
          self->pieces_ = std::move(pieces);
          self->output_ = rpc_reply_head(id);
          self->send_pieces();
        });
  }

  /// One piece at a time, as fast as the client reads; others are served in between.
  void send_pieces() {
    std::string piece;
    const bool is_last = !pieces_(piece);
    output_ += rpc_reply_piece(piece);
    if (is_last) {
      pieces_ = nullptr;
      output_ += rpc_reply_tail();
    }
    if (output_.empty()) {
      return asio::post(socket_.get_executor(),
                        [self = shared_from_this()] { self->send_pieces(); });
    }
    asio::async_write(
        socket_, asio::buffer(output_),
        [self = shared_from_this(), is_last](asio::error_code error, std::size_t /*count*/) {
          if (error) return;
          self->output_.clear();
          return is_last ? self->serve() : self->send_pieces();
        });
  }

  void reply(const std::string& id, const Result<std::string>& result) {
    output_ = rpc_reply(id, result);
    asio::async_write(socket_, asio::buffer(output_),
                      [self = shared_from_this()](asio::error_code error, std::size_t /*count*/) {
                        if (!error) self->serve();
                      });
  }

  Local::socket socket_;
  const CommandTable& commands_;
  JsonStream stream_;
  std::string output_;
  CommandTable::Pieces pieces_;  ///< Of the answer that is being sent.
  std::array<char, 16384> chunk_;
};

Result<std::unique_ptr<RpcServer>> RpcServer::create(asio::io_context& io, const std::string& path,
                                                     const CommandTable& commands) {
  ::unlink(path.c_str());
  asio::error_code error;
  Local::acceptor acceptor(io);
  acceptor.open(Local(), error);
  if (!error) acceptor.bind(Local::endpoint(path), error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) return failure(Errc::kIo, "cannot listen on " + path + ": " + error.message());
  ::chmod(path.c_str(), S_IRUSR | S_IWUSR);
  return std::unique_ptr<RpcServer>(new RpcServer(std::move(acceptor), path, commands));
}

RpcServer::RpcServer(Local::acceptor acceptor, std::string path, const CommandTable& commands)
    : acceptor_(std::move(acceptor)), path_(std::move(path)), commands_(commands) {
  accept();
}

RpcServer::~RpcServer() { ::unlink(path_.c_str()); }

void RpcServer::accept() {
  acceptor_.async_accept([this](asio::error_code error, Local::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (!error) std::make_shared<Client>(std::move(socket), commands_)->read();
    accept();
  });
}

}  // namespace hoist::ctl

// SPDX-License-Identifier: BSD-3-Clause
#include "openflow/connection.hpp"

#include <asio/buffer.hpp>
#include <asio/post.hpp>
#include <asio/write.hpp>
#include <utility>

namespace hoist::openflow {
namespace {

/// How often a barrier that waits for workers is looked at again before the timer takes over, some
/// 20 ns each: a worker reports once a turn, which takes it a few microseconds under load; a timer
/// takes a hundred.
constexpr int kImpatience = 1000;

}  // namespace

Connection::Connection(Socket socket, Bridge& bridge, Options options)
    : socket_(std::move(socket)),
      options_(std::move(options)),
      session_(bridge, options_.session),
      probe_timer_(socket_.get_executor()) {}

void Connection::start(std::function<void(const std::string&)> on_closed) {
  on_closed_ = std::move(on_closed);
  asio::error_code ignored;  // A socket that would block is one that is slow, at worst.
  socket_.non_blocking(true, ignored);
  if (options_.probe_interval.count() != 0) probe();
  pump();
}

void Connection::poll() {
  if (!is_closed_ && session_.is_waiting()) pump();
}

std::optional<std::chrono::steady_clock::duration> Connection::waited() const {
  if (is_closed_ || !session_.is_waiting()) return std::nullopt;
  return std::chrono::steady_clock::now() - session_.waiting_since();
}

void Connection::close(const std::string& reason) {
  if (std::exchange(is_closed_, true)) return;
  probe_timer_.cancel();
  asio::error_code ignored;
  socket_.close(ignored);
  asio::post(socket_.get_executor(), [self = shared_from_this(), reason] {
    if (self->on_closed_) std::exchange(self->on_closed_, nullptr)(reason);
  });
}

void Connection::read() {
  if (is_reading_ || is_closed_) return;
  is_reading_ = true;
  socket_.async_read_some(
      asio::buffer(chunk_), [self = shared_from_this()](asio::error_code error, std::size_t count) {
        self->is_reading_ = false;
        if (self->is_closed_) return;
        if (error) return self->close(error == asio::error::eof ? "peer closed" : error.message());
        self->on_read(count);
      });
}

void Connection::on_read(std::size_t count) {
  was_heard_ = true;
  input_.insert(input_.end(), chunk_.data(), chunk_.data() + count);
  pump();
}

void Connection::pump() {
  if (is_closed_) return;
  Session::Progress progress = session_.advance();
  std::size_t done = 0;
  while (progress == Session::Progress::kDone) {
    const std::size_t taken = session_.receive(std::span(input_).subspan(done));
    done += taken;
    progress = session_.advance();
    for (int i = 0; i < kImpatience && progress == Session::Progress::kSoon; ++i) {
      progress = session_.advance();
    }
    if (taken == 0 || session_.is_congested()) break;
  }
  input_.erase(input_.begin(), input_.begin() + static_cast<std::ptrdiff_t>(done));
  const bool was_congested = session_.is_congested();
  send();
  if (is_closed_) return;
  const bool has_drained = was_congested && !session_.is_congested();
  if ((progress == Session::Progress::kRunning || has_drained) && !is_pump_posted_) {
    is_pump_posted_ = true;
    asio::post(socket_.get_executor(), [self = shared_from_this()] {
      self->is_pump_posted_ = false;
      self->pump();
    });
  }
  if (!session_.is_waiting() && !session_.is_congested()) read();
}

void Connection::send() {
  if (is_closed_) return;
  if (session_.is_given_up()) return close(session_.close_reason());
  if (is_sending_) return;
  if (session_.output().empty()) {
    if (!session_.close_reason().empty()) close(session_.close_reason());
    return;
  }
  sending_.clear();
  std::swap(sending_, session_.output());
  // At once, as far as the socket takes it: an answer costs one system call and no turn of the
  // loop.
  asio::error_code error;
  const std::size_t sent = socket_.send(asio::buffer(sending_), 0, error);
  if (error && error != asio::error::would_block) return close(error.message());
  if (sent != sending_.size()) return send_rest(sent);
  if (!session_.close_reason().empty()) close(session_.close_reason());
}

void Connection::send_rest(std::size_t sent) {
  is_sending_ = true;
  session_.set_unsent_size(sending_.size() - sent);
  asio::async_write(socket_, asio::buffer(sending_) + sent,
                    [self = shared_from_this()](asio::error_code error, std::size_t /*count*/) {
                      self->is_sending_ = false;
                      self->session_.set_unsent_size(0);
                      if (self->is_closed_) return;
                      if (error) return self->close(error.message());
                      self->pump();
                    });
}

void Connection::probe() {
  probe_timer_.expires_after(options_.probe_interval);
  probe_timer_.async_wait([self = shared_from_this()](asio::error_code error) {
    if (error || self->is_closed_) return;
    if (!self->was_heard_) return self->close("no answer to an echo request");
    self->was_heard_ = false;
    self->session_.send_echo_request();
    self->send();
    self->probe();
  });
}

}  // namespace hoist::openflow

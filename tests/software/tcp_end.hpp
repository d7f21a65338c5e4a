// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "conntrack/tcp_tracker.hpp"

namespace hoist::software {

/// One end of a TCP connection, as RFC 9293 has it (3.3.2, 3.10): plain, in order, with window
/// scaling (RFC 7323), without simultaneous open. Segments go in and come out; what is lost is sent
/// again when asked for.
class TcpEnd {
 public:
  enum class State : std::uint8_t {
    kClosed,
    kListen,
    kSynSent,
    kSynReceived,
    kEstablished,
    kFinWait1,
    kFinWait2,
    kCloseWait,
    kClosing,
    kLastAck,
    kTimeWait,
  };
  struct Config {
    std::uint32_t first;   ///< Its initial sequence number.
    std::uint16_t window;  ///< As its segments announce it.
    std::uint8_t scale;    ///< TcpPeer::kHasScale and the shift it offers, or 0.
  };
  explicit TcpEnd(const Config& config) : config_(config), oldest_(config.first) {}

  void listen() { state_ = State::kListen; }
  TcpSegment open() {
    state_ = State::kSynSent;
    next_ = config_.first + 1;
    return make(TcpSegment::kSyn, config_.first, 0);
  }

  /// At most `size` bytes, if it may send data and the peer's window has room.
  std::optional<TcpSegment> send(std::uint32_t size) {
    if (state_ != State::kEstablished && state_ != State::kCloseWait) return std::nullopt;
    size = std::min(size, room());
    if (size == 0) return std::nullopt;
    next_ += size;
    return make(TcpSegment::kAck, next_ - size, size);
  }
  /// A FIN takes up a sequence number, and room for it.
  std::optional<TcpSegment> close() {
    if (room() == 0) return std::nullopt;
    if (state_ == State::kEstablished) {
      state_ = State::kFinWait1;
    } else if (state_ == State::kCloseWait) {
      state_ = State::kLastAck;
    } else {
      return std::nullopt;
    }
    fin_ = next_++;
    return make(TcpSegment::kFin | TcpSegment::kAck, fin_, 0);
  }
  std::optional<TcpSegment> abort() {
    if (state_ < State::kEstablished) return std::nullopt;
    state_ = State::kClosed;
    return make(TcpSegment::kRst | TcpSegment::kAck, next_, 0);
  }
  /// The oldest that has not been acknowledged.
  std::optional<TcpSegment> send_again() const {
    if (state_ <= State::kListen || oldest_ == next_) return std::nullopt;
    if (oldest_ == config_.first) {
      const bool is_answer = state_ != State::kSynSent;
      return make(TcpSegment::kSyn | (is_answer ? TcpSegment::kAck : 0), config_.first, 0);
    }
    if (has_fin() && oldest_ == fin_) return make(TcpSegment::kFin | TcpSegment::kAck, fin_, 0);
    const std::uint32_t end = has_fin() ? fin_ : next_;
    return make(TcpSegment::kAck, oldest_, std::min(end - oldest_, 1000u));
  }

  /// What it answers.
  std::optional<TcpSegment> receive(const TcpSegment& s) {
    switch (state_) {
      case State::kClosed:
        return std::nullopt;
      case State::kListen:
        if (!s.has(TcpSegment::kSyn)) return std::nullopt;
        state_ = State::kSynReceived;
        meet(s);
        next_ = config_.first + 1;
        return make(TcpSegment::kSyn | TcpSegment::kAck, config_.first, 0);
      case State::kSynSent:
        if (!s.has(TcpSegment::kSyn) || !s.has(TcpSegment::kAck)) return std::nullopt;
        state_ = State::kEstablished;
        meet(s);
        oldest_ = s.acknowledged;
        return acknowledge();
      default:
        return receive_more(s);
    }
  }
  [[nodiscard]] State state() const { return state_; }

 private:
  std::optional<TcpSegment> receive_more(const TcpSegment& s) {
    const std::uint32_t length = s.size + (s.has(TcpSegment::kFin) ? 1 : 0);
    const bool is_syn = s.has(TcpSegment::kSyn);
    if (is_syn || s.sequence != expected_) return acknowledge();
    if (s.has(TcpSegment::kRst)) {
      state_ = State::kClosed;
      return std::nullopt;
    }
    take_acknowledgement(s);
    expected_ += length;
    if (s.has(TcpSegment::kFin)) take_fin();
    if (length == 0) return std::nullopt;
    return acknowledge();
  }
  void meet(const TcpSegment& s) {
    expected_ = s.sequence + 1;
    scales_ = (s.scale & config_.scale & TcpPeer::kHasScale) != 0;
    peer_shift_ = scales_ ? s.scale & TcpPeer::kScaleMask : 0;
    peer_window_ = s.window;  // That of a SYN is not scaled.
  }
  void take_acknowledgement(const TcpSegment& s) {
    if (!s.has(TcpSegment::kAck)) return;
    if (s.acknowledged - oldest_ > next_ - oldest_) return;
    oldest_ = s.acknowledged;
    peer_window_ = std::uint32_t{s.window} << peer_shift_;
    const bool is_fin_acknowledged = has_fin() && oldest_ == next_;
    if (state_ == State::kSynReceived && oldest_ == next_) state_ = State::kEstablished;
    if (!is_fin_acknowledged) return;
    if (state_ == State::kFinWait1) state_ = State::kFinWait2;
    if (state_ == State::kClosing) state_ = State::kTimeWait;
    if (state_ == State::kLastAck) state_ = State::kClosed;
  }
  void take_fin() {
    if (state_ == State::kEstablished) state_ = State::kCloseWait;
    if (state_ == State::kFinWait1) state_ = State::kClosing;
    if (state_ == State::kFinWait2) state_ = State::kTimeWait;
  }
  [[nodiscard]] bool has_fin() const {
    return state_ >= State::kFinWait1 && state_ != State::kCloseWait;
  }
  [[nodiscard]] std::uint32_t room() const {
    return peer_window_ - std::min(peer_window_, next_ - oldest_);
  }
  [[nodiscard]] TcpSegment acknowledge() const { return make(TcpSegment::kAck, next_, 0); }
  [[nodiscard]] TcpSegment make(int flags, std::uint32_t sequence, std::uint32_t size) const {
    const bool is_syn = (flags & TcpSegment::kSyn) != 0;
    const bool is_first = is_syn && (flags & TcpSegment::kAck) == 0;
    return {.flags = static_cast<std::uint16_t>(flags),
            .window = config_.window,
            .sequence = sequence,
            .acknowledged = is_first ? 0 : expected_,
            .size = size,
            .scale = is_syn && (is_first || scales_) ? config_.scale : std::uint8_t{0}};
  }

  Config config_;
  State state_ = State::kClosed;
  std::uint32_t oldest_;  ///< Not acknowledged.
  std::uint32_t next_ = 0;
  std::uint32_t fin_ = 0;
  std::uint32_t expected_ = 0;  ///< Of the peer.
  std::uint32_t peer_window_ = 0;
  unsigned peer_shift_ = 0;
  bool scales_ = false;
};

}  // namespace hoist::software

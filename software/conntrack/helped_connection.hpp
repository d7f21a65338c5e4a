// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conntrack/connection_tracker.hpp"

namespace hoist::software {

/// What one packet's helper sees of the packet's connection. Any thread.
class HelpedConnection {
 public:
  /// Reads the connection.
  HelpedConnection(ConnectionTracker& tracker, ConnectionRef ref) noexcept;

  /// False: the connection is gone, or has no helper. Then nothing below means anything.
  [[nodiscard]] bool is_there() const noexcept { return helper_ != Helper::kNone; }
  [[nodiscard]] Helper helper() const noexcept { return helper_; }
  [[nodiscard]] const Tuple& forward() const noexcept { return forward_; }
  [[nodiscard]] const Tuple& reply() const noexcept { return reply_; }
  [[nodiscard]] const SequenceShift& shift(bool is_reply) const noexcept {
    return shifts_[is_reply ? 1 : 0];
  }

  /// A segment of this direction that begins at `sequence`, as sent, has grown by `bytes`.
  void grow(bool is_reply, std::uint32_t sequence, std::int32_t bytes) noexcept;
  /// Whoever sent a packet of this direction waits for connections at a port: `port` as the other
  /// end sees it, `own_port` as it calls it itself.
  void expect(bool is_reply, Be16 port, Be16 own_port) noexcept;

 private:
  ConnectionTracker& tracker_;
  ConnectionRef ref_;
  std::uint32_t number_ = 0;
  Helper helper_ = Helper::kNone;
  NatKind nat_ = NatKind::kNone;
  Tuple forward_{}, reply_{};
  std::array<SequenceShift, 2> shifts_{};
  std::uint32_t mark_ = 0;
  std::array<std::uint64_t, 2> label_{};
};

/// The reply tuple of an expected connection whose first packet has this tuple.
[[nodiscard]] Tuple expected_reply(const Expectation& expectation, const Tuple& tuple) noexcept;

}  // namespace hoist::software

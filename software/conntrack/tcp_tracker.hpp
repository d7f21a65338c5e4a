// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "conntrack/timeout.hpp"

namespace hoist::software {

/// What one end of a TCP connection has got to, as seen from the middle. The order counts.
enum class TcpState : std::uint8_t {
  kClosed,
  kListen,
  kSynSent,
  kSynReceived,
  kEstablished,
  kCloseWait,
  kFinWait1,
  kClosing,
  kLastAck,
  kFinWait2,
  kTimeWait,
};

/// One end of a TCP connection: what it has sent and may send.
struct TcpPeer {
  static constexpr std::uint8_t kHasScale = 0x80;      ///< It sent a window scale option.
  static constexpr std::uint8_t kScaleUnknown = 0x40;  ///< We came in after the handshake.
  static constexpr std::uint8_t kScaleMask = 0x0f;

  std::uint32_t sent;    ///< Sequence number after the last byte seen.
  std::uint32_t limit;   ///< Sequence number that it may send up to.
  std::uint16_t window;  ///< Largest window announced, unscaled.
  std::uint8_t scale;
  TcpState state;
};
static_assert(sizeof(TcpPeer) == 12);
using TcpPeers = std::array<TcpPeer, 2>;  ///< Who opened the connection, who answers.

/// What the tracker needs of a segment.
struct TcpSegment {
  static constexpr std::uint16_t kFin = 1, kSyn = 2, kRst = 4, kPsh = 8, kAck = 16, kUrg = 32;
  std::uint16_t flags;
  std::uint16_t window;  ///< As in the header.
  std::uint32_t sequence;
  std::uint32_t acknowledged;
  std::uint32_t size;  ///< Bytes of data.
  std::uint8_t scale;  ///< Of a SYN: kHasScale and the shift, or 0.

  [[nodiscard]] bool has(std::uint16_t f) const noexcept { return (flags & f) != 0; }
};

enum class TrackVerdict : std::uint8_t {
  kInvalid,   ///< Does not belong to the connection.
  kValid,     ///< Belongs to a connection seen both ways.
  kValidNew,  ///< Belongs to a connection that has not been answered.
  kReopens,   ///< Starts a new connection with the tuple of one that has ended.
};

struct TcpUpdate {
  TrackVerdict verdict;
  bool is_timer_set;  ///< Else the connection's time goes on as it was.
  Timeout timer;
};

/// Says whether a segment without a connection may start one: any sound segment but SYN+ACK.
[[nodiscard]] bool may_open(const TcpSegment& segment) noexcept;

/// The peers after a connection's first segment.
[[nodiscard]] TcpPeers open(const TcpSegment& segment) noexcept;

/// Takes a segment of a connection into account, as Open vSwitch and pf do: van Rooij, "Real
/// stateful TCP packet filtering" (2001). `checks_window`: false: sequence numbers are followed,
/// not checked.
[[nodiscard]] TcpUpdate update(TcpPeers& peers, const TcpSegment& segment, bool is_reply,
                               bool checks_window) noexcept;

}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
#include "conntrack/tcp_tracker.hpp"

#include <algorithm>

namespace hoist::software {
namespace {

using S = TcpState;
using Seg = TcpSegment;

/// How far an acknowledgement may lie off: a window without scaling, and a frame.
constexpr std::int64_t kAckSlack = 0xffff + 1500;
constexpr std::uint8_t kLargestShift = 14;  // RFC 7323, 2.3

/// Sequence numbers are compared modulo 2^32 (RFC 9293, 3.4).
bool at_or_after(std::uint32_t a, std::uint32_t b) noexcept {
  return static_cast<std::int32_t>(a - b) >= 0;
}
bool after(std::uint32_t a, std::uint32_t b) noexcept {
  return static_cast<std::int32_t>(a - b) > 0;
}

bool are_flags_sound(const Seg& s) noexcept {
  if (s.has(Seg::kSyn)) {
    if (s.has(Seg::kRst | Seg::kFin)) return false;
  } else if (!s.has(Seg::kAck | Seg::kRst)) {
    return false;
  }
  return s.has(Seg::kAck) || !s.has(Seg::kFin | Seg::kPsh | Seg::kUrg);
}

std::uint16_t scaled_down(std::uint16_t window, unsigned shift) noexcept {
  return static_cast<std::uint16_t>((window + (1u << shift) - 1) >> shift);
}

/// Sequence numbers that the segment takes up.
std::uint32_t length_of(const Seg& s) noexcept {
  return s.size + (s.has(Seg::kSyn) ? 1 : 0) + (s.has(Seg::kFin) ? 1 : 0);
}

/// One segment on its way from `src` to `dst`.
class Passage {
 public:
  Passage(TcpPeer& src, TcpPeer& dst, const Seg& segment) noexcept
      : src_(src), dst_(dst), s_(segment), window_(segment.window) {}

  TcpUpdate run(bool checks_window) noexcept {
    find_scales();
    end_ = s_.sequence + length_of(s_);
    if (src_.state < S::kSynSent) meet_sender();
    find_acknowledged();
    start_ = s_.sequence;
    if (start_ == end_) start_ = end_ = src_.sent;  // Nothing sent, nothing to check.
    if (!checks_window || is_in_window()) {
      follow_window();
      follow_state();
      return {TrackVerdict::kValid, true, timer()};
    }
    if (is_near_enough()) {
      follow_window();
      if (s_.has(Seg::kFin) && src_.state < S::kClosing) src_.state = S::kClosing;
      if (s_.has(Seg::kRst)) src_.state = dst_.state = S::kTimeWait;
      return {TrackVerdict::kValid, false, {}};
    }
    return {TrackVerdict::kInvalid, false, {}};
  }

 private:
  void find_scales() noexcept {
    if (s_.has(Seg::kSyn)) return;
    if ((src_.scale & TcpPeer::kHasScale) != 0 && (dst_.scale & TcpPeer::kHasScale) != 0) {
      src_shift_ = src_.scale & TcpPeer::kScaleMask;
      dst_shift_ = dst_.scale & TcpPeer::kScaleMask;
    } else if ((src_.scale & dst_.scale & TcpPeer::kScaleUnknown) != 0) {
      src_shift_ = dst_shift_ = kLargestShift;
    }
  }

  // The first segment from this end.
  void meet_sender() noexcept {
    if (s_.has(Seg::kSyn) && (dst_.scale & TcpPeer::kHasScale) != 0) agree_on_scale();
    src_.sent = s_.sequence;
    src_.state = S::kSynSent;
    const std::uint32_t limit = end_ + std::max(1u, std::uint32_t{dst_.window} << dst_shift_);
    if (src_.limit == 1 || at_or_after(limit, src_.limit)) {
      src_.limit = limit;
      checks_ack_ = false;  // Of what went before we know nothing.
    }
    src_.window = std::max(src_.window, window_);
  }

  // Scaling is in force only if both ends offer it (RFC 7323, 2.2).
  void agree_on_scale() noexcept {
    src_.scale = s_.scale;
    if ((src_.scale & TcpPeer::kHasScale) != 0) {
      src_shift_ = src_.scale & TcpPeer::kScaleMask;
      window_ = scaled_down(window_, src_shift_);
      dst_shift_ = dst_.scale & TcpPeer::kScaleMask;
      return;
    }
    // It was rounded up, maybe past what it can have been.
    const std::uint32_t unscaled = std::uint32_t{dst_.window} << (dst_.scale & TcpPeer::kScaleMask);
    dst_.window = static_cast<std::uint16_t>(std::min(unscaled, 0xffffu));
    dst_.scale = 0;
  }

  void find_acknowledged() noexcept {
    acknowledged_ = s_.acknowledged;
    const bool is_reset_without = s_.has(Seg::kRst) && s_.has(Seg::kAck) && acknowledged_ == 0;
    if (!s_.has(Seg::kAck) || is_reset_without) acknowledged_ = dst_.sent;
  }

  [[nodiscard]] bool is_in_window() const noexcept {
    const std::int64_t skew =
        checks_ack_ ? static_cast<std::int32_t>(dst_.sent - acknowledged_) : 0;
    if (!at_or_after(src_.limit, end_)) return false;
    const std::uint32_t window = std::uint32_t{dst_.window} << dst_shift_;
    if (!at_or_after(start_, src_.sent - window)) return false;
    if (skew < -kAckSlack || skew > (kAckSlack << src_shift_)) return false;
    if (!s_.has(Seg::kRst)) return true;
    // A reset must hit the next number, or one off (RFC 5961, 3).
    const std::uint32_t off = s_.sequence - src_.sent + 1;
    return off <= 2;
  }

  // Who opens, has come in midway, or has just closed is allowed more.
  [[nodiscard]] bool is_near_enough() const noexcept {
    const bool is_edge =
        dst_.state < S::kSynSent || dst_.state >= S::kFinWait2 || src_.state >= S::kFinWait2;
    constexpr auto kSlack = static_cast<std::uint32_t>(kAckSlack);
    return is_edge && at_or_after(src_.limit + kSlack, end_) &&
           at_or_after(start_, src_.sent - kSlack);
  }

  void follow_window() noexcept {
    src_.window = std::max(src_.window, window_);
    if (after(end_, src_.sent)) src_.sent = end_;
    const std::uint32_t window = std::uint32_t{window_} << src_shift_;
    if (at_or_after(acknowledged_ + window, dst_.limit)) {
      dst_.limit = acknowledged_ + std::max(window, 1u);
    }
  }

  void follow_state() noexcept {
    if (s_.has(Seg::kSyn) && src_.state < S::kSynSent) src_.state = S::kSynSent;
    if (s_.has(Seg::kFin) && src_.state < S::kClosing) src_.state = S::kClosing;
    if (s_.has(Seg::kAck)) {
      if (dst_.state == S::kSynSent) {
        dst_.state = S::kEstablished;
      } else if (dst_.state == S::kClosing) {
        dst_.state = S::kFinWait2;
      }
    }
    if (s_.has(Seg::kRst)) src_.state = dst_.state = S::kTimeWait;
  }

  [[nodiscard]] Timeout timer() const noexcept {
    const S first = std::min(src_.state, dst_.state);
    const S last = std::max(src_.state, dst_.state);
    if (first >= S::kFinWait2) return Timeout::kTcpClose;
    if (first >= S::kClosing) return Timeout::kTcpTimeWait;
    if (first < S::kEstablished) return Timeout::kTcpSynRecv;
    if (last >= S::kClosing) return Timeout::kTcpFinWait;
    return Timeout::kTcpEstablished;
  }

  TcpPeer& src_;
  TcpPeer& dst_;
  const Seg& s_;
  std::uint16_t window_;
  std::uint32_t start_ = 0, end_ = 0, acknowledged_ = 0;
  unsigned src_shift_ = 0, dst_shift_ = 0;
  bool checks_ack_ = true;
};

}  // namespace

bool may_open(const TcpSegment& segment) noexcept {
  const bool is_answer = segment.has(Seg::kSyn) && segment.has(Seg::kAck);
  return are_flags_sound(segment) && !is_answer;
}

TcpPeers open(const TcpSegment& segment) noexcept {
  TcpPeers peers{};
  TcpPeer& src = peers[0];
  TcpPeer& dst = peers[1];
  src.sent = segment.sequence;
  src.limit = segment.sequence + length_of(segment) + 1;
  src.window = std::max<std::uint16_t>(segment.window, 1);
  if (segment.has(Seg::kSyn)) {
    src.scale = segment.scale;
    src.window = scaled_down(src.window, src.scale & TcpPeer::kScaleMask);
  } else {
    src.scale = dst.scale = TcpPeer::kScaleUnknown;
  }
  src.state = S::kSynSent;
  dst.limit = 1;
  dst.window = 1;
  dst.state = S::kClosed;
  return peers;
}

TcpUpdate update(TcpPeers& peers, const TcpSegment& segment, bool is_reply,
                 bool checks_window) noexcept {
  TcpPeer& src = peers[is_reply ? 1 : 0];
  TcpPeer& dst = peers[is_reply ? 0 : 1];
  if (!are_flags_sound(segment)) return {TrackVerdict::kInvalid, false, {}};
  if (segment.has(Seg::kSyn) && !segment.has(Seg::kAck)) {
    if (std::min(src.state, dst.state) >= S::kFinWait2) {
      src.state = dst.state = S::kClosed;
      return {TrackVerdict::kReopens, false, {}};
    }
    if (src.state <= S::kSynSent) {
      src.state = S::kSynSent;
      return {TrackVerdict::kValidNew, true, Timeout::kTcpSynSent};
    }
  }
  return Passage(src, dst, segment).run(checks_window);
}

}  // namespace hoist::software

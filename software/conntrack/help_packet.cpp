// SPDX-License-Identifier: BSD-3-Clause
#include "conntrack/help_packet.hpp"

#include <rte_mbuf.h>

#include "conntrack/ftp_message.hpp"
#include "conntrack/helped_connection.hpp"
#include "conntrack/rewrite_payload.hpp"
#include "packet/wire.hpp"

namespace hoist::software {
namespace {

/// The bytes of a packet's payload that lie in the first segment, `header_size` behind l4_offset.
std::string_view payload_of(const rte_mbuf& packet, const Layers& layers,
                            std::size_t header_size) noexcept {
  const std::size_t first = layers.l4_offset + header_size;
  const std::size_t end =
      std::min<std::size_t>(std::size_t{layers.l4_offset} + layers.l4_size, packet.data_len);
  if (first >= end) return {};
  return {rte_pktmbuf_mtod_offset(&packet, const char*, first), end - first};
}

/// A segment of an FTP session's control connection.
class FtpSegment {
 public:
  FtpSegment(HelpedConnection& session, rte_mbuf& packet, Layers& layers, bool is_reply) noexcept
      : session_(session),
        packet_(packet),
        layers_(layers),
        is_reply_(is_reply),
        header_size_((tcp()[12] >> 4) * std::size_t{4}),
        sequence_(wire::load32(tcp() + 4)),
        acknowledged_(wire::load32(tcp() + 8)) {}

  void help(bool is_translated) noexcept {
    const auto message = read_ftp_message(payload_of(packet_, layers_, header_size_));
    if (message && is_own(*message) && (!is_translated || rewrite(*message))) {
      session_.expect(is_reply_, Be16{message->port}, Be16{message->port});
    }
    if (is_translated) shift();
  }

 private:
  [[nodiscard]] const std::uint8_t* tcp() const noexcept {
    return rte_pktmbuf_mtod_offset(&packet_, const std::uint8_t*, layers_.l4_offset);
  }
  /// The sender's address as it knows it itself.
  [[nodiscard]] const auto& own_address() const noexcept {
    return is_reply_ ? session_.reply().src : session_.forward().src;
  }
  /// And as the other end knows it.
  [[nodiscard]] const auto& seen_address() const noexcept {
    return is_reply_ ? session_.forward().dst : session_.reply().dst;
  }
  /// Says whether the sender may say so: nobody opens the way to another host (RFC 2577, 3).
  [[nodiscard]] bool is_own(const FtpMessage& message) const noexcept {
    if (message.is_reply() != is_reply_) return false;
    if (message.family == 0) return true;
    return message.family == session_.forward().family &&
           (message.address == own_address() || message.address == seen_address());
  }
  /// False: there is no room.
  [[nodiscard]] bool rewrite(const FtpMessage& message) noexcept {
    if (message.family == 0) return true;
    const FtpAddress address(message.kind, message.family, seen_address());
    const FrameRange range{layers_.l4_offset + header_size_ + message.address_offset,
                           message.address_size};
    if (!rewrite_payload(packet_, layers_, range, address.text())) return false;
    const auto bytes = static_cast<std::int32_t>(address.text().size()) -
                       static_cast<std::int32_t>(message.address_size);
    if (bytes != 0) session_.grow(is_reply_, sequence_, bytes);
    return true;
  }
  void shift() noexcept {
    const SequenceShift& own = session_.shift(is_reply_);
    const SequenceShift& other = session_.shift(!is_reply_);
    if (own.is_none() && other.is_none()) return;
    shift_sequence(packet_, layers_, own.of(sequence_), other.of_acknowledged(acknowledged_));
  }

  HelpedConnection& session_;
  rte_mbuf& packet_;
  Layers& layers_;
  bool is_reply_;
  std::size_t header_size_;
  std::uint32_t sequence_, acknowledged_;
};

/// A request to read or write (RFC 1350, 4): the server answers from another port.
bool is_tftp_request(std::string_view payload) noexcept {
  return payload.size() >= 2 && payload[0] == 0 && (payload[1] == 1 || payload[1] == 2);
}

}  // namespace

void help_packet(ConnectionTracker& tracker, rte_mbuf& packet, Layers& layers,
                 const PacketTrack& track, bool is_translated) noexcept {
  HelpedConnection connection(tracker, track.connection);
  if (!connection.is_there()) return;
  if (connection.helper() == Helper::kFtp) {
    return FtpSegment(connection, packet, layers, track.is_reply).help(is_translated);
  }
  constexpr std::size_t kUdpHeader = 8;
  if (track.is_reply || !is_tftp_request(payload_of(packet, layers, kUdpHeader))) return;
  connection.expect(false, connection.reply().dst_port, connection.forward().src_port);
}

}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "conntrack/connection.hpp"
#include "conntrack/connection_helpers.hpp"

namespace hoist::software {

/// Bits of ct_state, as NXM_NX_CT_STATE numbers them.
struct CtState {
  static constexpr std::uint8_t kNew = 0x01, kEstablished = 0x02, kRelated = 0x04, kReply = 0x08,
                                kInvalid = 0x10, kTracked = 0x20, kSourceNat = 0x40,
                                kDestinationNat = 0x80;
};

/// Where a new connection's address and port may be moved to.
struct NatRange {
  static constexpr std::uint8_t kPersistent = 1, kRandom = 2;
  std::array<std::uint8_t, 16> first;  ///< As in a Tuple. All zero: the address stays.
  std::array<std::uint8_t, 16> last;
  std::uint16_t first_port;  ///< 0: no range of ports.
  std::uint16_t last_port;
  NatKind kind;  ///< kNone: translate as the connection says, nothing new.
  std::uint8_t flags;
  std::uint8_t family;  ///< 4, 6; 0: no address was given.
  std::uint8_t pad;
};

/// One ct action, its zone worked out. Without padding, so that equal requests are equal bytes.
struct TrackRequest {
  NatRange nat;
  std::array<std::uint64_t, 2> label;  ///< Network order.
  std::array<std::uint64_t, 2> label_mask;
  std::uint32_t mark;
  std::uint32_t mark_mask;
  std::uint16_t zone;
  bool commits;
  bool forces;
  bool translates;
  Helper helper;  ///< Of the connection, if this commits it and its protocol is the helper's.
  std::array<std::uint8_t, 2> pad;

  /// Says whether it changes nothing of a connection that is there.
  [[nodiscard]] bool leaves_known_alone() const noexcept {
    return !forces && mark_mask == 0 && (label_mask[0] | label_mask[1]) == 0;
  }
};
static_assert(sizeof(TrackRequest) == 88 && std::has_unique_object_representations_v<TrackRequest>);

/// What the tracker needs of a packet.
struct TrackedPacket {
  Tuple tuple;      ///< zone: the request's. Of an ICMP error: of the packet it answers, reversed.
  bool is_sound;    ///< Else nothing but INVALID can become of it.
  bool is_related;  ///< An ICMP error.
  TcpSegment tcp;   ///< Of TCP, not related.
};

/// What the tracker needs of a sound packet whose connection is known, and that is not related.
struct FollowingPacket {
  std::uint8_t ip_proto;
  TcpSegment tcp;  ///< Of TCP.
};

/// What connection tracking has found out about a packet so far.
struct PacketTrack {
  ConnectionRef connection;
  std::uint8_t state = 0;  ///< CtState; 0: untracked.
  bool is_reply = false;
  bool is_related = false;
  std::uint16_t zone = 0;
  std::uint16_t label_changes = 0;  ///< Of the connection, when mark and label were read.
  // Of a connection: as describe() has read it.
  std::uint32_t mark = 0;
  std::array<std::uint64_t, 2> label{};  ///< Network order.
  Tuple original{};  ///< Of the opening direction, or the expecting connection's. Family 0: none.
};

/// What is to be done to the packet besides.
struct TrackOutcome {
  enum class Refusal : std::uint8_t {
    kNone,
    kNatExhausted,  ///< The packet must not go on: it would leave untranslated.
    kTableFull,     ///< Not committed, but goes on as new.
    kZoneLimit,     ///< Likewise.
    kCount,
  };
  Refusal refusal = Refusal::kNone;
  /// The connection's helper is to see the packet, once it has been translated.
  bool is_helped = false;
  /// The packet (of an ICMP error: what it answers, reversed) must get this tuple. Family 0: no.
  Tuple translated{};
};

}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conntrack/track_request.hpp"
#include "packet/parse.hpp"

struct rte_mbuf;

namespace hoist::software {

/// What the tracker needs to know of a packet; `layers` is what parse() says of it. Not sound are:
/// packets that are no IP, fragments, headers cut short, ports of 0, ICMP messages that belong to
/// no connection, and checksums that are wrong, as far as the NIC has not vouched for them. SCTP's
/// checksum is not looked at. `zone`: of the tuple. Owning worker.
[[nodiscard]] TrackedPacket packet_facts(const rte_mbuf& packet, const Layers& layers,
                                         std::uint16_t zone) noexcept;

/// Layers of a regular packet (packet/window.hpp), without parsing.
[[nodiscard]] Layers regular_layers(const std::uint8_t* frame) noexcept;

/// Gives the packet another tuple, checksums and all: of an ICMP error, what it answers becomes the
/// tuple's reverse. `track`: its state tells which address moves. The caller owns the mbuf alone.
/// False: there is no such header; nothing was changed.
bool translate_packet(rte_mbuf& packet, Layers& layers, const Tuple& translated,
                      const PacketTrack& track) noexcept;

}  // namespace hoist::software

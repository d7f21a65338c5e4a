// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conntrack/connection_tracker.hpp"
#include "packet/parse.hpp"

struct rte_mbuf;

namespace hoist::software {

/// Shows a packet to the helper of its connection, which expects the connections that it announces.
/// `is_translated`: NAT has changed the headers: then an address that the payload names becomes the
/// one that the other end sees, the packet grows or shrinks by what that takes, and TCP's sequence
/// numbers are shifted by what earlier packets have grown; the caller owns the mbuf alone.
///
/// What a helper does not understand, or has no room to rewrite, is left as it is, and nothing is
/// expected for it. Owning worker.
void help_packet(ConnectionTracker& tracker, rte_mbuf& packet, Layers& layers,
                 const PacketTrack& track, bool is_translated) noexcept;

}  // namespace hoist::software

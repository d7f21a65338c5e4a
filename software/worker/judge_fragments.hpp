// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "conntrack/fragment_table.hpp"
#include "conntrack/track_request.hpp"
#include "worker/worker.hpp"

namespace hoist::software {

/// Takes a packet that is whole now through a ct action: its fragments get the addresses and the
/// payload that NAT and helpers give it. `parts`: all of it, in order; a part that is lost on the
/// way loses its mbuf, and is counted. False: none may go on; all are freed.
bool judge_fragments(Worker& worker, const TrackRequest& request, std::span<HeldFragment> parts,
                     PacketTrack& track) noexcept;

}  // namespace hoist::software

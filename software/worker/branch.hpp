// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "conntrack/track_request.hpp"
#include "packet/packet_class.hpp"
#include "packet/parse.hpp"
#include "pipeline/segment.hpp"
#include "worker/worker.hpp"

namespace hoist::software {

/// A packet's way so far, as far as ct is concerned.
struct Journey {
  PacketTrack track;
  unsigned branches = 0;  ///< How often it has gone on in a table behind ct.
  /// `track` is of the whole packet that this is a fragment of.
  bool is_fragment = false;
  bool has_layers = false;
  Layers layers{};  ///< What parse() says of the packet now.
};

/// Where it leaves for a table behind ct.
struct BranchPoint {
  const std::uint64_t* data;  ///< Of a segment's kTrack op.
  // If the packet is regular and has just begun: so that its way is remembered.
  SegmentRef segment{SegmentStore::kNone, 0};  ///< The one with the op.
  PacketClass packet_class{};
};

/// Where a packet goes on behind ct.
struct Continuation {
  SegmentRef segment{SegmentStore::kNone, 0};  ///< kNone: it has been dealt with.
  bool is_cacheable = false;
};

/// Takes the packet on in the table of a segment's kTrack op whose data this is. Consumes it.
void branch_off(Worker& worker, const Ingress& in, const std::uint64_t* data, rte_mbuf* packet,
                Journey journey) noexcept;

/// Finds out where that leads, without going there. A path that is not kept is run at once, which
/// consumes the packet. `journey.branches` counts this one too; its connection is described.
[[nodiscard]] Continuation find_continuation(Worker& worker, const Ingress& in,
                                             const BranchPoint& point, rte_mbuf* packet,
                                             Journey& journey) noexcept;

/// Connection tracking's clock, and a number that is new each time.
[[nodiscard]] inline ConnectionTracker::Moment moment_of(Worker& worker) noexcept {
  worker.random = worker.random * 1664525u + 1013904223u;
  return {worker.now_ms, worker.random, worker.index};
}

}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "worker/branch.hpp"
#include "worker/worker.hpp"

namespace hoist::software {

/// Counts and carries out a segment on packets that came in together. Consumes them.
void run_segment(Worker& worker, const Ingress& in, Segment& segment, rte_mbuf** packets,
                 std::uint32_t count) noexcept;

/// The same for one packet that has been tracked. Consumes it.
void run_segment(Worker& worker, const Ingress& in, Segment& segment, rte_mbuf* packet,
                 const Journey& journey) noexcept;

/// Carries out a path on one packet, and counts it rule by rule. For paths that are not kept.
/// Consumes the packet.
void run_loose(Worker& worker, const Ingress& in, const SegmentCode& code, rte_mbuf* packet,
               const Journey& journey = {}) noexcept;

/// Frees a packet and counts why.
void drop(Worker& worker, rte_mbuf* packet, DropReason reason) noexcept;

}  // namespace hoist::software

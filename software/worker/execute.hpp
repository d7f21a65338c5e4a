// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "worker/worker.hpp"

namespace hoist::software {

/// Counts and carries out a segment on packets that came in together. Consumes them.
void run_segment(Worker& worker, const Ingress& in, Segment& segment, rte_mbuf** packets,
                 std::uint32_t count) noexcept;

/// Carries out a path on one packet, and counts it rule by rule. For paths that are not kept.
/// Consumes the packet.
void run_loose(Worker& worker, const Ingress& in, const SegmentCode& code,
               rte_mbuf* packet) noexcept;

/// Frees a packet and counts why.
void drop(Worker& worker, rte_mbuf* packet, DropReason reason) noexcept;

}  // namespace hoist::software

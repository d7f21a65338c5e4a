// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "worker/worker.hpp"

namespace hoist::software {

/// Packets of one burst that came in on one port, and what the stages find out about them. A set of
/// packets is a bit map.
struct Burst {
  Ingress in;
  const PortMasks* masks;
  std::uint32_t count = 0;
  std::array<rte_mbuf*, kBurst> packets;
  std::array<SegmentRef, kBurst> segments;

  // Regular packets: their class, and what the cache is asked for.
  std::array<PacketClass, kBurst> classes;
  std::array<std::uint32_t, kBurst> hashes;
  std::array<WindowKey, kBurst> keys;
  std::array<std::uint32_t, kBurst> entries;  ///< In the cache, or kNoEntry.

  std::uint32_t regular = 0;  ///< Packets of which `keys` is set.
  std::uint32_t missed = 0;   ///< Packets still without a segment.
  std::uint32_t tracked = 0;  ///< Regular packets whose segment is SegmentFate::kTrack.

  static constexpr std::uint32_t kNoEntry = 0xffffffff;
};

/// Runs `body(i)` for each bit that is set, in ascending order.
template <class Body>
[[gnu::always_inline]] inline void for_each_bit(std::uint32_t bits, Body body) {
  for (; bits != 0; bits &= bits - 1) body(static_cast<std::uint32_t>(__builtin_ctz(bits)));
}

/// Takes a burst through all stages. Consumes the packets.
void process_burst(Worker& worker, std::uint16_t slot, rte_mbuf** packets,
                   std::uint16_t count) noexcept;

/// Stage: finds the segments of the packets in `missed` without the cache, and tells the cache.
void walk_missed(Worker& worker, Burst& burst) noexcept;

/// Stage: takes the packets in `tracked` through connection tracking to the segments that follow.
void track_burst(Worker& worker, Burst& burst) noexcept;

/// One packet that hardware handed over with a mark. Consumes it.
void resume_packet(Worker& worker, const Ingress& in, rte_mbuf* packet) noexcept;

/// Carries out what the walker has found. Consumes the packet.
void run_walked(Worker& worker, const Ingress& in, rte_mbuf* packet) noexcept;

}  // namespace hoist::software

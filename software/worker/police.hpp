// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "worker/worker.hpp"

namespace hoist::software {

class Meter;

/// What a meter left of some packets.
struct Policed {
  std::uint32_t count;          ///< Packets that may go on: the first ones of the array now.
  std::uint64_t dropped_bytes;  ///< As they were when they met the meter.
};

/// Charges up to 64 packets to a meter, in order. Those beyond the rate are freed and counted, the
/// others moved together, and remarked if a band says so.
Policed police(Worker& worker, Meter& meter, rte_mbuf** packets, std::uint32_t count) noexcept;

}  // namespace hoist::software

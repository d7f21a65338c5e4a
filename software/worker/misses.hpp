// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "classifier/classifier.hpp"
#include "hoist/flow_key.hpp"
#include "packet/parse.hpp"
#include "worker/burst.hpp"

namespace hoist::software {

/// The packets of a burst that the cache of regular packets does not know, parsed. Sets of them are
/// bit maps too.
struct Misses {
  std::uint32_t count = 0;
  std::array<std::uint8_t, kBurst> index;  ///< In the burst.
  std::array<FlowKey, kBurst> keys;        ///< While trails are followed, with pipeline state.
  std::array<Layers, kBurst> layers;       ///< Not of regular packets.
  std::array<const Entry*, kBurst> first;  ///< What the first table said.
  std::array<std::uint64_t, kBurst> from;  ///< The trail each has come by.
  std::array<std::uint8_t, kBurst> table;  ///< What each looks up next.

  [[nodiscard]] std::uint32_t all() const noexcept {
    return static_cast<std::uint32_t>((std::uint64_t{1} << count) - 1);
  }
};

/// Stage: takes packets through the tables together for as long as they are on known trails. Those
/// in `wanted` that have come to a segment are given it; the others are returned, with their keys
/// as parsed and `first` set.
[[nodiscard]] std::uint32_t follow_trails(Worker& worker, Burst& burst, Misses& misses,
                                          std::uint32_t wanted) noexcept;

}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace hoist::offload {

/// What comes into hardware or leaves it as one: a rule, or a meter with all its rules.
struct RoomUnit {
  double worth = 0;        ///< Packets a second that it saves software.
  std::uint64_t size = 0;  ///< Hardware rules.
  std::uint32_t id = 0;    ///< The caller's.
};

/// `in` takes the places of all `out`.
struct Swap {
  std::uint32_t in;
  std::vector<std::uint32_t> out;
};

/// Lets the hottest of those that wait take the places of the coldest, `moves_max` of them at most,
/// the hottest first. `free`: room that nothing needs to leave for. `may_go` is asked of cold ones,
/// the coldest first, as it may cost something.
[[nodiscard]] std::vector<Swap> choose_swaps(std::vector<RoomUnit> hot, std::vector<RoomUnit> cold,
                                             std::uint64_t free, std::size_t moves_max,
                                             const std::function<bool(const RoomUnit&)>& may_go);

}  // namespace hoist::offload

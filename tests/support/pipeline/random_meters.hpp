// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "hoist/meter.hpp"
#include "support/random_packet.hpp"

namespace hoist::test {

inline constexpr std::uint32_t kRandomMeters = 3;  ///< Ids from 1 to this.

/// A few meters of low rates, all of which divide a second evenly, so that what they pass can be
/// told to the bit. Perhaps one for packet-ins, too.
[[nodiscard]] std::vector<MeterConfig> random_meters(Random& random);

/// Whether some band may change packets.
[[nodiscard]] bool may_remark(const std::vector<MeterConfig>& meters);

}  // namespace hoist::test

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "reference_plane.hpp"

namespace hoist::test {

/// What a plane can be held to.
struct Strictness {
  bool has_drops = true;   ///< It counts all drops: none happen in hardware.
  bool has_tables = true;  ///< Likewise lookups.
  bool has_rule_bytes = true;
};

/// How a plane's result of a burst differs from the reference's, for people; empty: not at all.
/// Packets of one flow must leave a port in their order; packets of different flows need not.
[[nodiscard]] std::string difference(const ReferencePlane& reference, const BurstResult& wanted,
                                     const BurstResult& got, const Burst& burst,
                                     const Strictness& strictness);
[[nodiscard]] std::string difference(const Counts& wanted, const Counts& got,
                                     const Strictness& strictness);

}  // namespace hoist::test

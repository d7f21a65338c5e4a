// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "nic/capabilities.hpp"
#include "translate/hazard.hpp"
#include "translate/hw_match.hpp"

namespace hoist::offload {

/// One rule of steering: packets that match go on to table 0 in hardware, or to software.
struct AdmissionRow {
  HwMatch match;
  std::uint8_t level = 0;  ///< 0 is asked first.
  bool goes_on = false;
  bool operator==(const AdmissionRow&) const = default;
};

/// Rows use levels 0 to kAdmissionLevels - 1.
inline constexpr std::uint32_t kAdmissionLevels = 6;

/// Pure: the rows that keep `hazards` out of hardware. Without groups nothing can "go on", so only
/// hazards that one row names by itself are left (802.3, tags).
[[nodiscard]] std::vector<AdmissionRow> admission_rows(const HazardSet& hazards, TagMode mode,
                                                       const Capabilities& capabilities);

}  // namespace hoist::offload

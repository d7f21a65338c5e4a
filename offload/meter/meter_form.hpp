// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <cstdint>
#include <variant>

#include "hoist/meter.hpp"
#include "translate/refused.hpp"

namespace hoist::offload {

/// What a port's meters can do.
struct MeterCapabilities {
  std::uint32_t meter_max = 0;  ///< 0: none.
  std::uint64_t rate_max = 0;   ///< Bytes (or packets) a second.
  bool has_packet_mode = false;
};

/// A meter as one rte_mtr profile has it.
struct MeterForm {
  bool counts_packets = false;
  std::uint64_t rate = 0;   ///< Bytes or packets a second.
  std::uint64_t burst = 0;  ///< Bytes or packets.
  auto operator<=>(const MeterForm&) const = default;
};

/// Pure. Refuses what hardware cannot police, with the reason.
[[nodiscard]] std::variant<MeterForm, Refused> meter_form(const MeterConfig& config,
                                                          const MeterCapabilities& capabilities);

/// "meter 7 is in software: why".
[[nodiscard]] Refused meter_refused(MeterId id, const std::string& why);

}  // namespace hoist::offload

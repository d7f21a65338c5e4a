// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace hoist::text {

struct FlagName {
  std::string_view name;
  std::uint32_t bit;
};
/// tcp_flags of ovs-fields(7), from the least bit on.
inline constexpr auto kTcpFlagNames = std::to_array<FlagName>({{"fin", 0x001},
                                                               {"syn", 0x002},
                                                               {"rst", 0x004},
                                                               {"psh", 0x008},
                                                               {"ack", 0x010},
                                                               {"urg", 0x020},
                                                               {"ece", 0x040},
                                                               {"cwr", 0x080},
                                                               {"ns", 0x100},
                                                               {"[200]", 0x200},
                                                               {"[400]", 0x400},
                                                               {"[800]", 0x800}});
/// ct_state of ovs-fields(7).
inline constexpr auto kCtStateNames = std::to_array<FlagName>({{"new", 0x01},
                                                               {"est", 0x02},
                                                               {"rel", 0x04},
                                                               {"rpl", 0x08},
                                                               {"inv", 0x10},
                                                               {"trk", 0x20},
                                                               {"snat", 0x40},
                                                               {"dnat", 0x80}});

[[nodiscard]] constexpr std::optional<std::uint32_t> flag_named(std::span<const FlagName> names,
                                                                std::string_view name) noexcept {
  for (const FlagName& flag : names) {
    if (flag.name == name) return flag.bit;
  }
  return std::nullopt;
}

}  // namespace hoist::text

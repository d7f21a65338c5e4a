// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

#include "classifier/flow_mask.hpp"
#include "hoist/types.hpp"
#include "packet/packet_class.hpp"

namespace hoist::software {

/// A set of PacketClass: bit i is class i.
using PacketClassSet = std::uint16_t;
static_assert(kPacketClassCount <= 16);

/// Which (in_port, PacketClass) a rule has to do with.
struct RuleShape {
  std::optional<PortNo> in_port;  ///< Nothing: any port (or a port mask with holes).
  PacketClassSet may_match = 0;   ///< Classes of which some packet may match.
  PacketClassSet covers = 0;      ///< Classes of which every packet (of in_port) matches.
};

/// `values`: one word for each of the mask's.
[[nodiscard]] RuleShape rule_shape(const FlowMask& mask, const std::uint64_t* values) noexcept;

}  // namespace hoist::software

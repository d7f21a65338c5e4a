// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "openflow/message.hpp"

namespace hoist::openflow {

/// What a connection hears unasked until it says otherwise: all but OFPR_INVALID_TTL as master or
/// equal, port changes alone as slave (OpenFlow 1.3, 6.3.4 and Open vSwitch's defaults).
[[nodiscard]] constexpr SetAsync default_async_masks() noexcept {
  constexpr std::uint32_t kInvalidTtl = 1u << 2;
  SetAsync masks;
  masks.packet_in_mask[0] = 0xff & ~kInvalidTtl;
  masks.port_status_mask[0] = masks.port_status_mask[1] = 0x7;
  masks.flow_removed_mask[0] = 0x3f;
  return masks;
}

}  // namespace hoist::openflow

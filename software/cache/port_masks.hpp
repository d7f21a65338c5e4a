// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "hoist/flow_key.hpp"
#include "packet/packet_class.hpp"
#include "packet/window.hpp"

namespace hoist::software {

/// What the flow cache compares of packets of one class from one port.
struct alignas(64) ClassMask {
  /// Of regular packets: 48 bytes of mask, then zeros. All zero for a class that is never regular.
  std::array<std::uint8_t, 64> window{};
  /// Of parsed packets: the packet's words of a FlowKey, without in_port.
  std::array<std::uint64_t, kPacketWords> wide{};
  std::uint32_t id = 0;  ///< Of this mask and port, never given twice; never 0.
};

/// Immutable. A new one, with new ids, replaces it when what rules consult has changed.
struct PortMasks {
  std::array<ClassMask, kPacketClassCount> classes{};
  bool is_blind = false;  ///< Nothing but in_port is consulted, for no class: packets need no look.

  [[nodiscard]] const ClassMask& of(PacketClass c) const noexcept {
    return classes[static_cast<std::size_t>(c)];
  }
};

}  // namespace hoist::software

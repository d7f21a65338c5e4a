// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <vector>

#include "hoist/flow_key.hpp"
#include "hoist/types.hpp"
#include "pipeline/program.hpp"

namespace hoist::software {

/// The packet-derived words of a FlowKey's mask.
using PacketMask = std::array<std::uint64_t, kPacketWords>;

[[nodiscard]] PacketMask packet_mask(const FlowKey& mask) noexcept;
inline void merge(PacketMask& into, const PacketMask& from) noexcept {
  for (std::size_t i = 0; i < kPacketWords; ++i) into[i] |= from[i];
}

/// What a program's actions look at in a packet and change of it, beyond what its rule matches.
/// Where it is not sure, it says yes.
struct Effects {
  std::bitset<256> targets;  ///< Tables that it goes or resubmits to.
  PacketMask reads{};        ///< Ingress bits that decide what it does.
  PacketMask writes{};       ///< Bits that may be others afterwards.
  bool changes_class = false;
  bool moves_in_port = false;    ///< in_port may become anything.
  std::vector<PortNo> in_ports;  ///< in_port may become one of these for a lookup.

  void merge(const Effects& other);
  bool operator==(const Effects&) const = default;
};

[[nodiscard]] Effects effects_of(const Program& program, std::uint8_t table_id);

}  // namespace hoist::software

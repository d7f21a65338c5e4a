// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <memory>

#include "cache/port_masks.hpp"
#include "classifier/classifier.hpp"
#include "pipeline/table_effects.hpp"

namespace hoist::software {

/// One table as control sees it.
struct Table {
  std::unique_ptr<Classifier> classifier;
  TableEffects effects;
};
using Tables = std::array<std::unique_ptr<Table>, kTableCount>;

/// What decides the path of a packet of one class from one port, over all tables that it may reach.
struct Consulted {
  PacketMask mask{};    ///< Bits of the packet on entry; in_port left out.
  PacketMask writes{};  ///< Bits that may have changed when a table after the first, or again, is
                        ///< looked up.
};

/// Control thread. Cost: tables x classes at worst.
[[nodiscard]] Consulted consulted(const Tables& tables, PortNo in_port, PacketClass packet_class);

/// The masks for all classes of packets from a port. Those that are as in `old` keep their ids;
/// others take the next from `last_id`. Null if all are as in `old`.
[[nodiscard]] std::shared_ptr<const PortMasks> make_port_masks(const Tables& tables, PortNo in_port,
                                                               const PortMasks* old,
                                                               std::uint32_t& last_id);

}  // namespace hoist::software

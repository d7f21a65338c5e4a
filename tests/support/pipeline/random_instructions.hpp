// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hoist/instructions.hpp"
#include "hoist/match.hpp"
#include "support/random_packet.hpp"

namespace hoist::test {

/// Which kinds of actions a scenario's rules take from, so that some scenarios are simple enough
/// for all of it to run in hardware.
struct Palette {
  std::uint8_t table_count = 1;
  std::uint32_t port_count = 4;
  bool has_rewrites = false;   ///< set_field of what the packet carries, TTL.
  bool has_tags = false;       ///< push and pop of VLAN tags and MPLS labels.
  bool has_registers = false;  ///< set_field and move of pipeline state, metadata, stack.
  bool has_resubmit = false;
  bool has_write_actions = false;
  bool has_controller = false;
  bool has_flooding = false;  ///< FLOOD, ALL, IN_PORT, ports that are not there.
  bool has_normal = false;
  bool has_meters = false;
  bool has_tracking = false;  ///< ct, ct_clear; little besides.
};

[[nodiscard]] Palette random_palette(Random& random);

/// What a rule of table `table_id` with this match could do: goto_table and resubmit only to later
/// tables, set_field only of fields that the match says are there.
[[nodiscard]] Instructions random_instructions(Random& random, const Palette& palette,
                                               const Match& match, std::uint8_t table_id);

/// What a controller could want done with a packet that it sends.
[[nodiscard]] ActionList random_packet_out(Random& random, const Palette& palette);

}  // namespace hoist::test

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "openflow/fault.hpp"
#include "openflow/message.hpp"

namespace hoist::openflow {

/// Where the actions to check stand.
struct CheckContext {
  Version version;
  std::uint8_t table_id = 0;  ///< Of the flow mod; 0xff counts as table 0.
};

/// Says whether instructions make sense for the packets that `match` lets through: fields set have
/// their prerequisites (OpenFlow 1.3 and later; a 1.0 action simply does nothing where a packet
/// lacks the field), fields are writable, ports are ports, goto_table goes forward. Actions are
/// followed in order, so that what push_vlan, push_mpls or set_field(ip_proto) change counts.
[[nodiscard]] Decoded<void> check(const Match& match, const Instructions& instructions,
                                  CheckContext context);
/// The same for a packet-out's actions, whose packet may be anything: prerequisites are not
/// checked.
[[nodiscard]] Decoded<void> check(std::span<const Action> actions, CheckContext context);

/// Says whether what `match` demands satisfies `prerequisite`.
[[nodiscard]] bool is_satisfied(Prerequisite prerequisite, const Match& match) noexcept;

}  // namespace hoist::openflow

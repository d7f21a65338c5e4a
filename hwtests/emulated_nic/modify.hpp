// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_flow.h>

#include <bitset>
#include <optional>
#include <string_view>

#include "flight.hpp"

namespace emulated_nic {

using ModifyFieldSet = std::bitset<64>;  ///< Index: rte_flow_field_id.

[[nodiscard]] ModifyFieldSet all_modify_fields();
/// By its name in testpmd's syntax.
[[nodiscard]] std::optional<rte_flow_field_id> find_modify_field(std::string_view name);
/// Bits of the field; 0: the emulation has no such field.
[[nodiscard]] unsigned modify_field_width(rte_flow_field_id field);

/// Executes MODIFY_FIELD. Bits are counted from the least significant one of the field. A packet
/// that lacks a field stays as it is. False: no memory.
bool modify_packet(const Modify& modify, Flight& flight);

}  // namespace emulated_nic

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "hoist/flow_key.hpp"
#include "hoist/types.hpp"

namespace hoist {

/// A packet for the controller, as the datapath hands it to the control thread.
struct PacketIn {
  BridgeId bridge{};
  std::uint8_t reason = 0;  ///< OFPR_NO_MATCH 0, OFPR_ACTION 1, OFPR_INVALID_TTL 2.
  std::uint8_t table_id = 0;
  RuleId rule = RuleId::kNone;  ///< Whose action it was.
  std::uint16_t controller_id = 0;
  std::uint16_t max_len = 0xffff;  ///< Bytes of `frame` the controller asked for.
  std::vector<std::uint8_t> userdata;
  FlowKey key{};                    ///< in_port, registers, metadata, ... at that moment.
  std::vector<std::uint8_t> frame;  ///< Whole frame without FCS, as changed so far.
};

}  // namespace hoist

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hoist/flow_key.hpp"
#include "support/packet_builder.hpp"

namespace hoist::software {

/// The FlowKey that a line of `ovs-ofctl parse-pcap` tells of. in_port and what FlowKey has no
/// member for are left out. Nothing if there is something in it that this reader does not know.
[[nodiscard]] std::optional<FlowKey> read_flow(std::string_view line);

/// What Open vSwitch makes of each frame, one line each, by running `ovs-ofctl parse-pcap`. Empty
/// if it cannot be run.
[[nodiscard]] std::vector<std::string> extract_with_open_vswitch(
    const std::vector<test::Bytes>& frames);

}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "hoist/error.hpp"
#include "hoist/meter.hpp"

/// ovs-ofctl's meter syntax. Any thread.
namespace hoist::text {

/// Parses "meter=1,kbps,burst,stats,bands=type=drop,rate=1000,burst_size=100"; further bands start
/// with a further "type=". Besides, "accounting=layer1|layer2|layer3" says which bytes count
/// (MeterConfig::Accounting). Fails with kInvalidArgument; the message names column and word.
[[nodiscard]] Result<MeterConfig> parse_meter(std::string_view text);
/// A meter's number, or "controller" or "slowpath".
[[nodiscard]] Result<MeterId> parse_meter_id(std::string_view text);
[[nodiscard]] Result<MeterConfig::Accounting> parse_accounting(std::string_view text);

}  // namespace hoist::text

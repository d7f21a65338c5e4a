// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "conntrack/connection.hpp"
#include "hoist/connections.hpp"

namespace hoist::software {

[[nodiscard]] Tuple tuple_of(std::uint16_t zone, const ConnectionTuple& tuple) noexcept;
[[nodiscard]] ConnectionTuple report_of(const Tuple& tuple) noexcept;

/// Says whether the connection of these tuples may be meant, as far as tuples tell.
[[nodiscard]] bool fits(const ConnectionFilter& filter, const Tuple& forward,
                        const Tuple& reply) noexcept;
/// Says whether mark and label are as the filter wants them.
[[nodiscard]] bool fits(const ConnectionFilter& filter, const ConnectionReport& report) noexcept;

}  // namespace hoist::software

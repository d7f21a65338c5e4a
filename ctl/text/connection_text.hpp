// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hoist/connections.hpp"
#include "hoist/error.hpp"

namespace hoist::text {

struct ConnectionDetail {
  bool is_verbose = false;  ///< dump-conntrack -m
  bool has_stats = false;   ///< dump-conntrack -s
};

/// Appends one connection as Open vSwitch's dump-conntrack shows it, without the end of the line.
void append_connection(std::string& out, const ConnectionReport& connection,
                       ConnectionDetail detail);

/// Index into kTcpStateNames of the state that a summary shows: half open counts as established,
/// and half closed as over.
[[nodiscard]] std::uint8_t summary_state(std::uint8_t tcp_state) noexcept;

/// Takes "ct_nw_src=10.1.1.1,ct_nw_proto=6,ct_tp_dst=80", as flush-conntrack and ct-flush have it,
/// into the filter's original or reply tuple. Fails with kInvalidArgument, in Open vSwitch's words.
Result<void> parse_tuple_filter(std::string_view text, bool is_reply, ConnectionFilter& filter);
/// Takes "mark=V[/M]" or "labels=0xV[/0xM]". Nothing: it is neither.
[[nodiscard]] std::optional<Result<void>> parse_label_filter(std::string_view text,
                                                             ConnectionFilter& filter);

}  // namespace hoist::text

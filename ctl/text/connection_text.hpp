// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hoist/connections.hpp"
#include "hoist/error.hpp"
#include "hoist/expectations.hpp"

namespace hoist::text {

struct ConnectionDetail {
  bool is_verbose = false;  ///< dump-conntrack -m
  bool has_stats = false;   ///< dump-conntrack -s
};

/// Appends one connection as Open vSwitch's dump-conntrack shows it, without the end of the line.
void append_connection(std::string& out, const ConnectionReport& connection,
                       ConnectionDetail detail);

/// The same of an expectation, as dump-conntrack-exp shows it.
void append_expectation(std::string& out, const ExpectationReport& expectation);

/// "tcp"; a number for protocols without a name there.
[[nodiscard]] std::string protocol_text(std::uint8_t ip_proto);
[[nodiscard]] std::string address_text(const Ipv6Address& address, std::uint8_t family);
/// "0x1f"; empty: all zero.
[[nodiscard]] std::string label_text(const std::array<std::uint8_t, 16>& label);

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

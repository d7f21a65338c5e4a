// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "hoist/error.hpp"
#include "hoist/instructions.hpp"
#include "hoist/match.hpp"
#include "hoist/rule.hpp"
#include "openflow/message.hpp"

/// ovs-ofctl's flow syntax (ovs-fields(7), ovs-actions(7)), read and written. Any thread.
namespace hoist::text {

/// Number of the port of that name, or nothing.
using PortResolver = std::function<std::optional<PortNo>(std::string_view name)>;
/// Name of a port, or an empty string: then its number is printed.
using PortNamer = std::function<std::string(PortNo)>;

/// Parses "table=0,priority=10,ip,nw_dst=10.0.0.0/8,actions=output:2". `actions` may be left out
/// when `command` is a deletion. Fails with kInvalidArgument; the message names the column (from 1)
/// and the word.
[[nodiscard]] Result<openflow::FlowMod> parse_flow(
    std::string_view text, const PortResolver& port_of = {},
    openflow::FlowMod::Command command = openflow::FlowMod::Command::kAdd);
/// Parses a match alone: "ip,nw_dst=10.0.0.0/8". Errors as parse_flow().
[[nodiscard]] Result<Match> parse_match(std::string_view text, const PortResolver& port_of = {});
/// Parses actions alone: "set_field:1->reg0,output:2". Errors as parse_flow().
[[nodiscard]] Result<Instructions> parse_actions(std::string_view text,
                                                 const PortResolver& port_of = {});

/// "tcp,in_port=1,nw_dst=10.0.0.0/8"; empty for a match of everything.
[[nodiscard]] std::string format_match(const MiniMatch& match, const PortNamer& name_of = {});
/// "dec_ttl,output:2" or "drop"; what stands after "actions=".
[[nodiscard]] std::string format_instructions(const Instructions& instructions,
                                              const PortNamer& name_of = {});
[[nodiscard]] std::string format_action(const Action& action, const PortNamer& name_of = {});
/// "priority=10,ip actions=drop", with "table=" and "cookie=" in front where they are not 0.
[[nodiscard]] std::string format_rule(const RuleSpec& rule, const PortNamer& name_of = {});
/// A line of `ovs-ofctl dump-flows`, without the leading blank.
[[nodiscard]] std::string format_flow_stats(const openflow::FlowStats& stats,
                                            const PortNamer& name_of = {});

}  // namespace hoist::text

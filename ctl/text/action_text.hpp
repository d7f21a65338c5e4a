// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hoist/instructions.hpp"
#include "hoist/match.hpp"
#include "text/scan.hpp"

namespace hoist::text {

/// Parses what stands after "actions=". `match` tells which port mod_tp_src means.
[[nodiscard]] Result<Instructions> parse_action_list(const Scan& scan, std::string_view text,
                                                     const Match& match);
/// Parses one action that is not an instruction and appends it.
[[nodiscard]] Result<void> parse_action(const Scan& scan, const Word& word, const Match& match,
                                        ActionList& out);
void append_action(std::string& out, const Action& action, const PortNamer& name_of);

/// Parses the argument of ct(...).
[[nodiscard]] Result<CtAction> parse_ct(const Scan& scan, const Word& word, const Match& match);
/// Appends ct(...) as ovs-ofctl prints it.
void append_ct(std::string& out, const CtAction& action, const PortNamer& name_of);

}  // namespace hoist::text

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hoist/match.hpp"
#include "support/random_packet.hpp"

namespace hoist::test {

/// A match that OpenFlow would accept (prerequisites are there), on few fields whose values
/// random_packet() often gives. `port_count`: ports to choose in_port from.
[[nodiscard]] Match random_match(Random& random, std::uint32_t port_count);

/// Adds what ct may have found. `match`: of a rule that packets may reach behind ct.
void add_tracked(Match& match, Random& random);

/// Says whether every packet that matches has what a field needs.
[[nodiscard]] bool allows(const Match& match, Prerequisite prerequisite);

}  // namespace hoist::test

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "plane.hpp"

namespace hoist::test {

/// Says whether a NIC can be held to read a frame as software does. Of damaged headers it matches
/// what bytes there are, where Open vSwitch and hoist see nothing.
[[nodiscard]] bool is_sound(const Bytes& frame);

/// What went out and in to the controller, in an order of its own.
struct Seen {
  std::map<PortNo, std::vector<Bytes>> sent;
  std::size_t packet_ins = 0;
  bool operator==(const Seen&) const = default;
};

[[nodiscard]] Seen see(const BurstResult& result);

}  // namespace hoist::test

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "worker/worker.hpp"

namespace hoist::software {

/// Where NORMAL sends a packet.
struct NormalDecision {
  enum class Kind : std::uint8_t { kNowhere, kFlood, kPort };
  Kind kind;
  PortNo port{};
};

/// Looks up where the packet goes, and tells control of a source address that is new or has moved.
[[nodiscard]] NormalDecision decide_normal(Worker& worker, std::uint8_t bridge, PortNo in_port,
                                           const rte_mbuf& packet) noexcept;

}  // namespace hoist::software

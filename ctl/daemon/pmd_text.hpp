// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "hoist/workers.hpp"

namespace hoist::ctl {

// Workers in the words of Open vSwitch 3.1's dpif-netdev commands, which people and scripts read.
// What OVS counts as hits of its caches stands for: simple match, packets carried without a look;
// EMC, the flow cache; megaflow, the tables; PHWOL, packets that hardware has marked. Pure.

/// `dpif-netdev/pmd-stats-show`, with the main thread that OVS ends its list with if `with_main`.
[[nodiscard]] std::string format_pmd_stats(std::span<const WorkerReport> workers, bool with_main);

/// `dpif-netdev/pmd-perf-show`, and below it cycles per stage. `time`: of day, as it is to stand
/// there.
[[nodiscard]] std::string format_pmd_perf(std::span<const WorkerReport> workers,
                                          std::uint64_t cycles_per_s, const std::string& time);

/// `dpif-netdev/pmd-rxq-show`.
[[nodiscard]] std::string format_pmd_rxq(std::span<const WorkerReport> workers,
                                         std::uint32_t last_s);

}  // namespace hoist::ctl

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hoist/error.hpp"
#include "hoist/offload_report.hpp"

namespace hoist::ctl {

/// `dpctl/dump-flows` as Open vSwitch takes it.
struct FlowDumpOptions {
  bool is_verbose = false;   ///< -m
  bool has_nothing = false;  ///< type=tc: what hoist never has.
  std::optional<Tier> tier;  ///< type=offloaded and so on; nothing: all.

  [[nodiscard]] bool wants(Tier t) const noexcept { return !has_nothing && (!tier || *tier == t); }
};
/// Fails with kInvalidArgument.
[[nodiscard]] Result<FlowDumpOptions> flow_dump_options(const std::vector<std::string>& arguments);

struct FlowDumpRow {
  const RuleSpec& rule;
  const Placement& placement;
  TrafficCount count;     ///< Of both planes.
  std::uint64_t idle_ms;  ///< Since its last packet.
};
/// One line; with `is_verbose`, where it runs, how much of it, and why not better.
[[nodiscard]] std::string flow_dump_line(const FlowDumpRow& row, bool is_verbose);

/// `dpctl/offload-stats-show`.
[[nodiscard]] std::string offload_stats_text(const OffloadStats& stats);

}  // namespace hoist::ctl

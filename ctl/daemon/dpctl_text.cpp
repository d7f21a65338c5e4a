// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/dpctl_text.hpp"

#include <spdlog/fmt/fmt.h>

#include "daemon/offload_json.hpp"
#include "text/flow_text.hpp"

namespace hoist::ctl {
namespace {

/// As Open vSwitch says it of its flows.
std::string_view offloaded(Tier tier) {
  if (tier == Tier::kFull) return "yes";
  return tier == Tier::kPartial ? "partial" : "no";
}

}  // namespace

Result<FlowDumpOptions> flow_dump_options(const std::vector<std::string>& arguments) {
  constexpr std::string_view kType = "type=";
  FlowDumpOptions out;
  for (const std::string& argument : arguments) {
    if (argument == "-m" || argument == "--more") out.is_verbose = true;
    if (!argument.starts_with(kType)) continue;
    const std::string_view type = std::string_view(argument).substr(kType.size());
    if (type == "offloaded") {
      out.tier = Tier::kFull;
    } else if (type == "partially-offloaded") {
      out.tier = Tier::kPartial;
    } else if (type == "non-offloaded") {
      out.tier = Tier::kSoftware;
    } else if (type == "tc") {
      out.has_nothing = true;
    } else if (type != "all" && type != "dpdk" && type != "ovs") {
      return failure(Errc::kInvalidArgument, fmt::format("no such type: {}", type));
    }
  }
  return out;
}

std::string flow_dump_line(const FlowDumpRow& row, bool is_verbose) {
  const std::string match = text::format_match(row.rule.match);
  std::string out = fmt::format(
      "table:{}, priority:{}, {}{}packets:{}, bytes:{}, used:{}", row.rule.table_id,
      row.rule.priority, match, match.empty() ? "" : ", ", row.count.packets, row.count.bytes,
      row.count.packets == 0 ? std::string("never")
                             : fmt::format("{:.3f}s", static_cast<double>(row.idle_ms) / 1000));
  if (is_verbose) {
    const Placement& p = row.placement;
    out += fmt::format(", offloaded:{}, dp:{}, offloaded_packets:{}, offloaded_bytes:{}",
                       offloaded(p.tier), p.tier == Tier::kSoftware ? "ovs" : "dpdk",
                       p.hardware.packets, p.hardware.bytes);
    if (p.tier != Tier::kFull) {
      out += fmt::format(", why:{}({})", refusal_name(p.refusal), p.reason);
    }
  }
  return out + fmt::format(", actions:{}\n", text::format_instructions(*row.rule.instructions));
}

std::string offload_stats_text(const OffloadStats& stats) {
  std::string out = "HW Offload stats:\n";
  const auto line = [&](std::string_view name, std::uint64_t value) {
    out += fmt::format("   Total {:>34}: {:>8}\n", name, value);
  };
  line("Enqueued offloads", stats.enqueued_count);
  line("Inserted offloads", stats.inserted_count);
  line("Cumulative Average latency (us)", stats.latency_mean_us);
  line("Cumulative Latency stddev (us)", stats.latency_deviation_us);
  line("Exponential Average latency (us)", stats.recent_mean_us);
  line("Exponential Latency stddev (us)", stats.recent_deviation_us);
  return out;
}

}  // namespace hoist::ctl

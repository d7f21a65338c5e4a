// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/connection_summary.hpp"

#include <spdlog/fmt/fmt.h>

#include <numeric>
#include <string_view>
#include <utility>

#include "text/connection_text.hpp"

namespace hoist::ctl {
namespace {

constexpr std::uint8_t kTcp = 6;
constexpr std::array<std::pair<std::uint8_t, std::string_view>, 8> kNamed = {{{kTcp, "TCP"},
                                                                              {17, "UDP"},
                                                                              {136, "UDPLITE"},
                                                                              {132, "SCTP"},
                                                                              {1, "ICMP"},
                                                                              {58, "ICMPV6"},
                                                                              {33, "DCCP"},
                                                                              {2, "IGMP"}}};

}  // namespace

void ConnectionStats::add(const ConnectionReport& connection) noexcept {
  ++total_;
  ++by_proto_[connection.original.ip_proto];
  if (connection.original.ip_proto != kTcp) return;
  ++by_tcp_state_[text::summary_state(connection.tcp[0].state)];
}

std::string ConnectionStats::text(bool is_verbose) const {
  std::string out = fmt::format("Connections Stats:\n    Total: {}\n", total_);
  std::uint64_t others = total_;
  for (const auto& [ip_proto, name] : kNamed) {
    const std::uint64_t count = by_proto_[ip_proto];
    others -= count;
    if (count == 0) continue;
    out += fmt::format("  {}: {}\n", name, count);
    if (ip_proto != kTcp || !is_verbose) continue;
    out += "    Conn per TCP states:\n";
    for (std::size_t i = 0; i < by_tcp_state_.size(); ++i) {
      if (by_tcp_state_[i] == 0) continue;
      out += fmt::format("\t  [{}]={}\n", kTcpStateNames[i], by_tcp_state_[i]);
    }
  }
  if (others != 0) out += fmt::format("  Other: {}\n", others);
  return out;
}

std::string ConnectionBuckets::text(std::uint32_t greater_than) const {
  constexpr std::size_t kRow = 8;
  const std::uint64_t total = std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
  std::string out =
      fmt::format("Total Buckets: {}\nCurrent Connections: {}\n\n", counts_.size(), total);
  if (total == 0) return out;
  out +=
      "+-----------+-----------------------------------------+\n"
      "|  Buckets  |         Connections per Buckets         |\n"
      "+-----------+-----------------------------------------+";
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (i % kRow == 0) out += fmt::format("\n {:3}..{:3}   | ", i, i + kRow - 1);
    out += counts_[i] > greater_than ? fmt::format("{:5}", counts_[i]) : "    .";
  }
  return out + "\n\n";
}

}  // namespace hoist::ctl

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "hoist/connections.hpp"

namespace hoist::ctl {

/// Counts connections for ct-stats-show.
class ConnectionStats {
 public:
  void add(const ConnectionReport& connection) noexcept;
  /// As Open vSwitch prints it, and ICMPv6, which it leaves out.
  [[nodiscard]] std::string text(bool is_verbose) const;

 private:
  std::uint64_t total_ = 0;
  std::array<std::uint64_t, 256> by_proto_{};
  std::array<std::uint64_t, kTcpStateNames.size()> by_tcp_state_{};
};

/// Counts connections for ct-bkts: what is a bucket there is a shard of the table here.
class ConnectionBuckets {
 public:
  explicit ConnectionBuckets(std::uint32_t buckets) : counts_(buckets) {}
  void add(const ConnectionReport& connection) noexcept { ++counts_[connection.bucket]; }
  /// Counts of `greater_than` and less are shown as a dot.
  [[nodiscard]] std::string text(std::uint32_t greater_than) const;

 private:
  std::vector<std::uint32_t> counts_;
};

}  // namespace hoist::ctl

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "hoist/error.hpp"
#include "hoist/flow_manager.hpp"

namespace hoist::ctl {

/// One bridge's rules on NICs that are there, placed as hoistd would place them. One thread.
class BridgePlan {
 public:
  BridgePlan();

  /// Flows as ovs-ofctl takes them, one a line; a port's name that is no number gets the next free
  /// one. Fails with kInvalidArgument, naming file and line, or kNotFound.
  Result<void> read_flows(const std::string& path);
  Result<void> read_meters(const std::string& path);
  /// The highest port that the rules name.
  [[nodiscard]] std::uint32_t port_max() const noexcept { return port_max_; }

  /// Places the rules on ethdevs 0 to `port_count` - 1, which are ports 1 to `port_count`.
  void place(std::uint32_t port_count);
  /// Sums, and how many rules stay where for which reason.
  [[nodiscard]] nlohmann::json report();

 private:
  [[nodiscard]] PortNo port_of(std::string_view name);
  void note_ports(const RuleSpec& rule);
  void settle(FlowManager::Sequence sequence);

  std::unique_ptr<ResumeTable> marks_;
  std::unique_ptr<FlowManager> manager_;
  std::vector<std::string> names_;  ///< Of ports that the file has by name; the first is port 1.
  std::uint32_t port_max_ = 0;
  std::vector<std::shared_ptr<const RuleSpec>> rules_;
  std::vector<MeterChange> meters_;
};

}  // namespace hoist::ctl

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/connection_config.hpp"
#include "hoist/datapath.hpp"
#include "hoist/error.hpp"
#include "hoist/workers.hpp"
#include "openflow/target.hpp"

namespace hoist::ctl {

/// hoistd's configuration file (ctl/README.md shows it).
struct Config {
  struct Bridge {
    /// What the bridge does before a controller speaks, as in Open vSwitch.
    enum class FailMode : std::uint8_t {
      kStandalone,  ///< One rule: priority=0 actions=NORMAL.
      kSecure,      ///< No rule.
    };
    std::string name;
    FailMode fail_mode = FailMode::kStandalone;
    std::optional<std::uint64_t> datapath_id;  ///< Else made from a port's address.
    std::vector<openflow::Target> listen;
    std::vector<openflow::Target> controllers;
    std::vector<PortConfig> ports;
    /// Receive queues that are pinned to workers, by port.
    struct Affinity {
      PortNo port;
      std::vector<QueuePin> pins;
    };
    std::vector<Affinity> affinities;
  };

  std::vector<std::string> dpdk_args;
  std::vector<unsigned> workers = {};  ///< Cores of the poll-mode workers.
  std::uint32_t flow_cache_entries = 1u << 20;
  std::uint32_t mbuf_count = 65536;
  std::uint32_t max_rules = 1u << 22;
  AutoBalance auto_balance;
  bool is_offload_enabled = true;
  std::uint32_t moves_per_second = 1000;     ///< See FlowManager::Config.
  std::uint32_t reads_per_second = 200'000;  ///< See FlowManager::Config.
  ConnectionConfig conntrack;
  std::vector<Bridge> bridges;

  /// Fails with kInvalidArgument: "FILE:LINE: KEY: what is wrong".
  static Result<Config> parse(std::string_view toml, const std::string& file);
  /// As parse(), or kIo.
  static Result<Config> load(const std::string& path);
};

}  // namespace hoist::ctl

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "daemon/toml_reader.hpp"
#include "hoist/connections.hpp"
#include "hoist/error.hpp"

namespace hoist::ctl {

/// What the configuration says of connection tracking ([conntrack]). As it is made: the defaults.
struct ConnectionConfig {
  std::uint32_t max_connections = 0;  ///< 0: the datapath's default.
  bool checks_tcp_sequence = true;
  std::uint32_t zone_limit = 0;  ///< Of zones without one of their own; 0: no limit.
  std::map<std::uint16_t, std::uint32_t> zone_limits;
  ConnectionTimeouts timeouts_s = kDefaultConnectionTimeouts;
  std::vector<ZoneTimeouts> zone_timeouts;

  /// Reads the table; what is wrong goes to `error` as TomlReader has it.
  static ConnectionConfig read(TomlReader& reader, const std::string& file, std::string& error);
};

/// Brings connections in line with `wanted` where it is not `now`: what a person has set since with
/// other commands stays. Fails, after all else has been done, with kInvalidArgument if only the
/// next start can make room for max_connections. Control thread.
Result<void> follow(const ConnectionConfig& now, const ConnectionConfig& wanted,
                    Connections& connections);

}  // namespace hoist::ctl

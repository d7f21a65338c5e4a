// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/connection_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "text/connection_text.hpp"

namespace hoist::ctl {
namespace {

using Json = nlohmann::json;

Json to_json(const ConnectionTuple& tuple) {
  Json out = {{"src", text::address_text(tuple.src, tuple.family)},
              {"dst", text::address_text(tuple.dst, tuple.family)}};
  if (tuple.is_icmp()) {
    out["id"] = tuple.src_port;
    out["type"] = tuple.dst_port >> 8;
    out["code"] = tuple.dst_port & 0xff;
  } else {
    out["sport"] = tuple.src_port;
    out["dport"] = tuple.dst_port;
  }
  return out;
}

}  // namespace

Json to_json(const ConnectionReport& connection) {
  Json out = {{"protocol", text::protocol_text(connection.original.ip_proto)},
              {"orig", to_json(connection.original)},
              {"reply", to_json(connection.reply)},
              {"zone", connection.zone},
              {"mark", connection.mark},
              {"labels", text::label_text(connection.label)},
              {"timeout_ms", connection.timeout_ms}};
  if (connection.original.ip_proto == 6) {
    const std::uint8_t state = std::max(connection.tcp[0].state, connection.tcp[1].state);
    out["state"] = kTcpStateNames[text::summary_state(state)];
  }
  if (!connection.helper.empty()) out["helper"] = connection.helper;
  if (connection.parent) out["parent"] = to_json(*connection.parent);
  return out;
}

Json to_json(const ExpectationReport& expectation) {
  return {{"protocol", text::protocol_text(expectation.tuple.ip_proto)},
          {"orig", to_json(expectation.tuple)},
          {"parent", to_json(expectation.parent)},
          {"zone", expectation.zone},
          {"mark", expectation.mark},
          {"labels", text::label_text(expectation.label)}};
}

Json status_of(const Connections& connections) {
  const RefusedConnections refused = connections.refused();
  return {{"connections", connections.count()},
          {"max_connections", connections.max_connections()},
          {"default_limit", connections.default_limit()},
          {"checks_tcp_sequence", connections.checks_tcp_sequence()},
          {"sweep_interval_ms", connections.sweep_interval_ms()},
          {"refused",
           {{"table_full", refused.table_full},
            {"zone_limit", refused.zone_limit},
            {"nat_exhausted", refused.nat_exhausted}}}};
}

}  // namespace hoist::ctl

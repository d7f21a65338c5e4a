// SPDX-License-Identifier: BSD-3-Clause
#include "cli/views.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/table.hpp"

namespace hoist::ctl {
namespace {

using Json = nlohmann::json;

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return "-";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

std::uint64_t number_of(const Json& object, const char* key) {
  return object.value(key, std::uint64_t{0});
}

Colour tier_colour(const std::string& tier) {
  if (tier == "full") return Colour::kGreen;
  return tier == "partial" ? Colour::kYellow : Colour::kNone;
}

}  // namespace

std::string view_status(const Json& status, bool has_colours) {
  const bool is_offloading = status.value("offload", false);
  std::string workers;
  for (const Json& core : status.value("workers", Json::array()))
    workers.append(" ").append(core.dump());
  std::string out = fmt::format(
      "hoistd {}, process {}; workers on cores{}; offload {}; {} OpenFlow connections\n\n",
      text_of(status, "version"), text_of(status, "pid"), workers,
      coloured(is_offloading ? "on" : "off", is_offloading ? Colour::kGreen : Colour::kYellow,
               has_colours),
      number_of(status, "openflow_connections"));
  TextTable table(
      {{"BRIDGE"}, {"DATAPATH ID"}, {"PORTS", true}, {"RULES", true}, {"FAILED PORTS"}});
  for (const Json& bridge : status.value("bridges", Json::array())) {
    std::string failed;
    for (const Json& port : bridge.value("failed_ports", Json::array())) {
      failed.append(failed.empty() ? "" : " ").append(port.get<std::string>());
    }
    table.add({{text_of(bridge, "name")},
               {text_of(bridge, "datapath_id")},
               {text_of(bridge, "ports")},
               {text_of(bridge, "rules")},
               {failed, Colour::kRed}});
  }
  return out + table.render(has_colours);
}

std::string view_ports(const Json& ports, bool has_colours) {
  TextTable table({{"BRIDGE"},
                   {"PORT"},
                   {"NO", true},
                   {"DRIVER"},
                   {"LINK"},
                   {"RX PACKETS", true},
                   {"RX BYTES", true},
                   {"RX DROPPED", true},
                   {"TX PACKETS", true},
                   {"TX BYTES", true},
                   {"TX DROPPED", true}});
  for (const Json& port : ports) {
    const auto drops = [&](const char* key) {
      return TextTable::Cell{text_of(port, key),
                             number_of(port, key) != 0 ? Colour::kYellow : Colour::kNone};
    };
    const std::string link = text_of(port, "link");
    table.add({{text_of(port, "bridge")},
               {text_of(port, "name")},
               {text_of(port, "number")},
               {text_of(port, "driver")},
               {link, link == "up" ? Colour::kGreen : Colour::kRed},
               {text_of(port, "ingress_packets")},
               {text_of(port, "ingress_bytes")},
               drops("ingress_dropped"),
               {text_of(port, "egress_packets")},
               {text_of(port, "egress_bytes")},
               drops("egress_dropped")});
  }
  return table.render(has_colours);
}

std::string view_workers(const Json& workers, bool has_colours) {
  TextTable table({{"CORE", true},
                   {"BUSY", true},
                   {"PACKETS", true},
                   {"CYCLES/PACKET", true},
                   {"IN CACHE", true},
                   {"RECEIVE", true},
                   {"PARSE+CACHE", true},
                   {"WALK", true},
                   {"RUN", true},
                   {"TRANSMIT", true},
                   {"QUEUES"}});
  for (const Json& worker : workers) {
    const auto of = [](std::uint64_t part, std::uint64_t whole) {
      return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
    };
    const std::uint64_t busy = number_of(worker, "busy_cycles");
    const std::uint64_t packets = number_of(worker, "received");
    const Json stages = worker.value("stage_cycles", Json::object());
    const auto stage = [&](const char* name) {
      return TextTable::Cell{fmt::format("{:.1f}", of(number_of(stages, name), packets))};
    };
    std::string queues;
    for (const Json& q : worker.value("queues", Json::array())) {
      queues += fmt::format("{}{}:{}{}", queues.empty() ? "" : " ", text_of(q, "port"),
                            text_of(q, "queue"), q.value("pinned", false) ? "*" : "");
      if (q.contains("usage_percent")) queues += fmt::format("({}%)", text_of(q, "usage_percent"));
    }
    const std::uint64_t elsewhere = number_of(worker, "walked") + number_of(worker, "marked");
    table.add({{text_of(worker, "core")},
               {fmt::format("{:.1f}%", 100 * of(busy, busy + number_of(worker, "idle_cycles")))},
               {text_of(worker, "received")},
               {fmt::format("{:.1f}", of(busy, packets))},
               {fmt::format("{:.1f}%", 100 * of(packets - std::min(packets, elsewhere), packets))},
               stage("receive"),
               stage("parse+cache"),
               stage("classifier walk"),
               stage("run segments"),
               stage("transmit"),
               {queues}});
  }
  return table.render(has_colours) + "\nStages in cycles a packet. * pinned.\n";
}

std::string view_drops(const Json& drops, bool has_colours) {
  TextTable table({{"REASON"}, {"PACKETS", true}});
  for (const auto& [reason, count] : drops.items()) {
    const bool is_zero = count.get<std::uint64_t>() == 0;
    table.add({{reason, is_zero ? Colour::kDim : Colour::kNone},
               {count.dump(), is_zero ? Colour::kDim : Colour::kYellow}});
  }
  return table.render(has_colours);
}

std::string view_ct(const Json& status, bool has_colours) {
  TextTable table({{"CONNECTIONS"}, {"", true}});
  const auto add = [&](const char* what, const Json& value, Colour colour = Colour::kNone) {
    table.add({{what}, {value.is_string() ? value.get<std::string>() : value.dump(), colour}});
  };
  const auto refused = [&](const char* what, const Json& count) {
    const bool is_zero = count.get<std::uint64_t>() == 0;
    add(what, count, is_zero ? Colour::kDim : Colour::kYellow);
  };
  add("now", status["connections"]);
  add("at most", status["max_connections"]);
  const bool is_bounded = status["default_limit"].get<std::uint32_t>() != 0;
  add("at most in a zone", is_bounded ? status["default_limit"] : Json("no limit"));
  add("TCP sequence numbers", status["checks_tcp_sequence"].get<bool>() ? "checked" : "ignored");
  add("sweep interval, ms", status["sweep_interval_ms"]);
  refused("refused: table full", status["refused"]["table_full"]);
  refused("refused: zone limit", status["refused"]["zone_limit"]);
  refused("refused: NAT range exhausted", status["refused"]["nat_exhausted"]);
  return table.render(has_colours);
}

std::string view_fdb(const Json& entries, bool has_colours) {
  TextTable table({{"PORT", true}, {"VLAN", true}, {"MAC"}, {"AGE S", true}});
  for (const Json& e : entries) {
    table.add(
        {{text_of(e, "port")}, {text_of(e, "vlan")}, {text_of(e, "mac")}, {text_of(e, "age_s")}});
  }
  return table.render(has_colours);
}

std::string view_offload(const Json& placements, bool has_colours) {
  TextTable table(
      {{"TIER"}, {"PACKETS", true}, {"IN HARDWARE", true}, {"RULE"}, {"WHY NOT BETTER"}});
  std::size_t full = 0;
  std::size_t partial = 0;
  for (const Json& row : placements) {
    const std::string tier = text_of(row, "tier");
    if (tier == "full") ++full;
    if (tier == "partial") ++partial;
    std::string why = tier == "full" ? "" : text_of(row, "refusal");
    const std::string reason = text_of(row, "reason");
    if (!why.empty() && !reason.empty()) why.append(": ").append(reason);
    if (number_of(row, "guards") != 0) why += fmt::format(" ({} guards)", number_of(row, "guards"));
    table.add({{tier, tier_colour(tier)},
               {text_of(row, "packets")},
               {text_of(row, "hardware_packets")},
               {text_of(row, "rule")},
               {why, Colour::kDim}});
  }
  return table.render(has_colours) + fmt::format("\n{} rules: {} full, {} partial, {} software\n",
                                                 placements.size(), full, partial,
                                                 placements.size() - full - partial);
}

}  // namespace hoist::ctl

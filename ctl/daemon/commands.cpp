// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/commands.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <asio/post.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "daemon/connection_commands.hpp"
#include "daemon/fragment_commands.hpp"
#include "hoist/connections.hpp"

namespace hoist::ctl {
namespace {

using Json = nlohmann::json;

std::string to_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string mac_text(const MacAddress& mac) {
  return fmt::format("{:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x}", mac[0], mac[1], mac[2], mac[3],
                     mac[4], mac[5]);
}

std::string port_text(PortNo number) {
  return number == PortNo::kLocal ? "LOCAL" : std::to_string(to_integer(number));
}

Json port_json(const PortStatus& port, const PortCounters& count) {
  return {{"name", port.name},
          {"number", port_text(port.number)},
          {"driver", port.driver},
          {"mac", mac_text(port.mac)},
          {"link", port.is_link_up ? "up" : "down"},
          {"speed_mbps", port.speed_mbps},
          {"mtu", port.mtu},
          {"queues", port.queues},
          {"ingress_packets", count.ingress_packets},
          {"ingress_bytes", count.ingress_bytes},
          {"ingress_dropped", count.ingress_dropped},
          {"egress_packets", count.egress_packets},
          {"egress_bytes", count.egress_bytes},
          {"egress_dropped", count.egress_dropped}};
}

}  // namespace

void Commands::add_all(Daemon& daemon) {
  // The handlers keep it alive.
  const std::shared_ptr<Commands> self(new Commands(daemon));
  self->add_switch_commands(daemon.commands_);
  self->add_offload_commands(daemon.commands_);
  self->add_dpctl_commands(daemon.commands_);
  self->add_worker_commands(daemon.commands_);
  self->add_bulk_commands(daemon.commands_);
  self->add_meter_commands(daemon.commands_);
  if (Connections* connections = connections_of(*daemon.parts_.datapath)) {
    ConnectionCommands::add_all(daemon.commands_, daemon.io_, *connections,
                                expectations_of(*daemon.parts_.datapath));
  }
  if (Fragments* fragments = fragments_of(*daemon.parts_.datapath)) {
    add_fragment_commands(daemon.commands_, *fragments);
  }
  daemon.commands_.add_plain("list-commands", "", 0, 0, [self](const Arguments&) {
    return Result<std::string>(self->daemon_.commands_.listing());
  });
}

void Commands::add_switch_commands(CommandTable& table) {
  const auto self = std::make_shared<Commands>(*this);
  using Text = Result<std::string>;
  table.add_plain("version", "", 0, 0,
                  [](const Arguments&) { return Text("hoistd " HOIST_VERSION "\n"); });
  table.add_plain("exit", "", 0, 1, [self](const Arguments&) {
    // The answer goes out first.
    asio::post(self->daemon_.io_,
               [self] { asio::post(self->daemon_.io_, [self] { self->daemon_.io_.stop(); }); });
    return Text("");
  });
  table.add_plain("reload", "", 0, 0, [self](const Arguments&) -> Text {
    if (const Result<void> result = self->daemon_.reload(); !result) {
      return tl::unexpected<Error>(result.error());
    }
    return "";
  });
  table.add_plain("vlog/set", "LEVEL", 1, 16, [](const Arguments& arguments) -> Text {
    // OVS takes "MODULE:DESTINATION:LEVEL": the last word is the level.
    const std::string& last = arguments.back();
    const std::string word = last.substr(last.rfind(':') + 1);
    const std::string level = word == "dbg" ? "debug" : word == "emer" ? "critical" : word;
    const auto parsed = spdlog::level::from_str(level);
    if (parsed == spdlog::level::off && level != "off") {
      return failure(Errc::kInvalidArgument, "no such level: " + word);
    }
    spdlog::set_level(parsed);
    return "";
  });
  table.add_plain("bridge/list", "", 0, 0, [self](const Arguments&) {
    std::string out;
    for (const auto& bridge : self->daemon_.bridges_) out += bridge.config.name + "\n";
    return Text(out);
  });
  table.add_plain("fdb/show", "BRIDGE", 1, 1, [self](const Arguments& arguments) -> Text {
    const Result<Json> entries = self->fdb(arguments[0]);
    if (!entries) return tl::unexpected<Error>(entries.error());
    std::string out = " port  VLAN  MAC                Age\n";
    for (const Json& e : *entries) {
      out += fmt::format("{:>5}  {:>4}  {}  {:>3}\n", e["port"].get<std::string>(),
                         e["vlan"].get<int>(), e["mac"].get<std::string>(), e["age_s"].get<int>());
    }
    return out;
  });
  table.add_plain("fdb/flush", "[BRIDGE]", 0, 1,
                  [self](const Arguments& arguments) { return self->flush_fdb(arguments); });
  table.add_plain("dpif/show", "", 0, 0,
                  [self](const Arguments&) { return Text(self->dpif_show()); });
  table.add_plain("drops", "", 0, 0, [self](const Arguments&) {
    std::string out;
    const Json drops = self->drops();
    for (const auto& [reason, count] : drops.items()) {
      out += fmt::format("{:<18} {}\n", reason, count.get<std::uint64_t>());
    }
    return Text(out);
  });
  table.add_plain("hoist/status", "", 0, 0,
                  [self](const Arguments&) { return Text(to_text(self->status())); });
  table.add_plain("hoist/ports", "", 0, 0,
                  [self](const Arguments&) { return Text(to_text(self->ports())); });
  table.add_plain("hoist/drops", "", 0, 0,
                  [self](const Arguments&) { return Text(to_text(self->drops())); });
  table.add_plain("hoist/fdb", "BRIDGE", 1, 1, [self](const Arguments& arguments) -> Text {
    const Result<Json> entries = self->fdb(arguments[0]);
    if (!entries) return tl::unexpected<Error>(entries.error());
    return to_text(*entries);
  });
}

Result<openflow::Bridge*> Commands::bridge(const std::string& name) const {
  openflow::Bridge* found = daemon_.agent_.find_bridge(name);
  if (found == nullptr) return failure(Errc::kNotFound, "no such bridge");
  return found;
}

Json Commands::status() const {
  Json bridges = Json::array();
  for (const Daemon::BridgeState& state : daemon_.bridges_) {
    Json failed = Json::array();
    for (const PortConfig& port : state.failed) failed.push_back(port.name);
    bridges.push_back({{"name", state.config.name},
                       {"datapath_id", fmt::format("{:016x}", state.bridge->config().datapath_id)},
                       {"ports", daemon_.parts_.datapath->ports(state.bridge->id()).size()},
                       {"failed_ports", failed},
                       {"rules", state.bridge->rules().rule_count()}});
  }
  return {{"version", HOIST_VERSION},
          {"pid", ::getpid()},
          {"workers", daemon_.parts_.config.workers},
          {"offload", daemon_.parts_.flow_manager->is_enabled()},
          {"openflow_connections", daemon_.agent_.connection_count()},
          {"bridges", bridges}};
}

Json Commands::ports() const {
  Json out = Json::array();
  for (const Daemon::BridgeState& state : daemon_.bridges_) {
    for (const openflow::PortDesc& port : state.bridge->ports()) {
      const auto count =
          daemon_.parts_.datapath->port_counters(state.bridge->id(), port.status.number);
      Json row = port_json(port.status, count.value_or(PortCounters{}));
      row["bridge"] = state.config.name;
      out.push_back(std::move(row));
    }
  }
  return out;
}

Json Commands::drops() const {
  Json out = Json::object();
  const auto counts = daemon_.parts_.datapath->drops();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    out[std::string(kDropReasonNames[i])] = counts[i];
  }
  return out;
}

Result<Json> Commands::fdb(const std::string& name) const {
  const Result<openflow::Bridge*> found = bridge(name);
  if (!found) return tl::unexpected<Error>(found.error());
  Json out = Json::array();
  for (const Datapath::MacEntry& entry : daemon_.parts_.datapath->mac_table((*found)->id())) {
    out.push_back({{"port", port_text(entry.port)},
                   {"vlan", entry.vlan},
                   {"mac", mac_text(entry.mac)},
                   {"age_s", entry.age_s}});
  }
  return out;
}

Result<std::string> Commands::flush_fdb(const Arguments& arguments) {
  for (const Daemon::BridgeState& state : daemon_.bridges_) {
    if (!arguments.empty() && state.config.name != arguments[0]) continue;
    daemon_.parts_.datapath->flush_mac_table(state.bridge->id());
    if (!arguments.empty()) return "table successfully flushed\n";
  }
  if (!arguments.empty()) return failure(Errc::kNotFound, "no such bridge");
  return "table successfully flushed\n";
}

std::string Commands::dpif_show() const {
  std::string out = "hoist@hoist:\n";
  for (const Daemon::BridgeState& state : daemon_.bridges_) {
    out += fmt::format("  {}:\n", state.config.name);
    for (const openflow::PortDesc& port : state.bridge->ports()) {
      out += fmt::format("    {} {}/{}: ({})\n", port.status.name, port_text(port.status.number),
                         to_integer(port.status.ethdev), port.status.driver);
    }
  }
  return out;
}

}  // namespace hoist::ctl

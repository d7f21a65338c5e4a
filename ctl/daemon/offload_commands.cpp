// SPDX-License-Identifier: BSD-3-Clause
// Commands about which rules are in hardware, and why.
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

#include "daemon/commands.hpp"
#include "daemon/offload_json.hpp"
#include "text/flow_text.hpp"

namespace hoist::ctl {
namespace {

using Json = nlohmann::json;

/// "cookie=0x10" or "cookie=0x10/0xff".
bool parse_cookie(std::string_view text, openflow::FlowStatsFilter& filter) {
  constexpr std::string_view kPrefix = "cookie=";
  if (!text.starts_with(kPrefix)) return false;
  text.remove_prefix(kPrefix.size());
  const auto number = [](std::string_view t, std::uint64_t& out) {
    const bool is_hex = t.starts_with("0x");
    if (is_hex) t.remove_prefix(2);
    const auto parsed = std::from_chars(t.data(), t.data() + t.size(), out, is_hex ? 16 : 10);
    return parsed.ec == std::errc{} && parsed.ptr == t.data() + t.size();
  };
  const std::size_t slash = text.find('/');
  filter.cookie_mask = UINT64_MAX;
  if (!number(text.substr(0, slash), filter.cookie)) return false;
  return slash == std::string_view::npos || number(text.substr(slash + 1), filter.cookie_mask);
}

std::string to_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string placement_line(const Json& row) {
  const auto reason = row["reason"].get<std::string>();
  return fmt::format("{:<8} {:<18} {} n_packets={} hw_packets={} hw_rules={} guards={}{}{}{}\n",
                     row["tier"].get<std::string>(), row["refusal"].get<std::string>(),
                     row["rule"].get<std::string>(), row["packets"].get<std::uint64_t>(),
                     row["hardware_packets"].get<std::uint64_t>(),
                     row["hardware_rules"].get<std::uint32_t>(), row["guards"].get<std::uint32_t>(),
                     reason.empty() ? "" : " (", reason, reason.empty() ? "" : ")");
}

}  // namespace

void Commands::add_offload_commands(CommandTable& table) {
  const auto self = std::make_shared<Commands>(*this);
  for (const bool is_json : {false, true}) {
    table.add(is_json ? "hoist/offload" : "offload/show",
              {.usage = "[BRIDGE] [RULE]",
               .min_arguments = 0,
               .max_arguments = 2,
               .handler = [self, is_json](const Arguments& arguments,
                                          const CommandTable::Answer& answer) {
                 self->show_offload(arguments, is_json, answer);
               }});
  }
  for (const bool is_enabled : {false, true}) {
    table.add_plain(is_enabled ? "offload/enable" : "offload/disable", "[[BRIDGE] PORT]", 0, 2,
                    [self, is_enabled](const Arguments& arguments) {
                      return self->switch_offload(arguments, is_enabled);
                    });
  }
  table.add("hoist/offload/explain",
            {.usage = "[BRIDGE] RULE",
             .min_arguments = 1,
             .max_arguments = 2,
             .handler = [self](const Arguments& arguments, const CommandTable::Answer& answer) {
               self->explain_offload(arguments, answer);
             }});
  table.add("hoist/offload/verify",
            {.usage = "[repair]",
             .min_arguments = 0,
             .max_arguments = 1,
             .handler = [self](const Arguments& arguments, const CommandTable::Answer& answer) {
               self->verify_offload(arguments, answer);
             }});
  table.add("hoist/nics",
            {.usage = "[PORT]",
             .min_arguments = 0,
             .max_arguments = 1,
             .handler = [self](const Arguments& arguments, const CommandTable::Answer& answer) {
               self->show_nics(arguments, answer);
             }});
}

void Commands::show_nics(const Arguments& arguments, const CommandTable::Answer& answer) {
  const auto is_wanted = [arguments](const NicReport& report) {
    return arguments.empty() || std::ranges::find(report.ports, arguments[0],
                                                  &NicReport::Port::name) != report.ports.end();
  };
  daemon_.parts_.flow_manager->describe_nics(
      [this, answer, is_wanted](const std::vector<NicReport>& reports) {
        Json out = Json::array();
        for (const NicReport& report : reports) {
          if (!is_wanted(report)) continue;
          out.push_back(to_json(report));
          out.back()["bridge"] = bridge_name(report.bridge);
        }
        answer(out.empty() ? Result<std::string>(failure(Errc::kNotFound, "no such port"))
                           : to_text(out));
      });
}

std::string Commands::bridge_name(BridgeId id) const {
  for (const auto& bridge : daemon_.agent_.bridges()) {
    if (bridge->id() == id) return bridge->config().name;
  }
  return "";
}

/// Without arguments: everywhere. Else at one port.
Result<std::string> Commands::switch_offload(const Arguments& arguments, bool is_enabled) {
  FlowManager& manager = *daemon_.parts_.flow_manager;
  if (arguments.empty()) {
    manager.set_enabled(is_enabled);
    return "";
  }
  for (const auto& bridge : daemon_.agent_.bridges()) {
    if (arguments.size() == 2 && bridge->config().name != arguments[0]) continue;
    for (const openflow::PortDesc& port : bridge->ports()) {
      const std::string number = std::to_string(to_integer(port.status.number));
      if (port.status.name != arguments.back() && number != arguments.back()) continue;
      manager.set_port_enabled(bridge->id(), port.status.number, is_enabled);
      return "";
    }
  }
  return failure(Errc::kNotFound, "no such port: " + arguments.back());
}

void Commands::explain_offload(const Arguments& arguments, const CommandTable::Answer& answer) {
  const Result<std::vector<RuleId>> rules = chosen_rules(arguments);
  if (!rules) return answer(tl::unexpected<Error>(rules.error()));
  if (rules->empty()) return answer(failure(Errc::kNotFound, "no such rule"));
  openflow::Planes& planes = daemon_.agent_.planes();
  planes.refresh();
  planes.flow_manager().explain(*rules, [this, answer, &planes](std::vector<Explanation> all) {
    planes.collect();
    Json out = Json::array();
    for (const Explanation& one : all) {
      Json row = placement_json(one.placement);
      if (row.is_null()) continue;
      row["remedy"] = one.remedy;
      row["parts"] = Json::array();
      for (const Explanation::Part& part : one.parts) {
        row["parts"].push_back(to_json(part));
        const openflow::Rule* by = daemon_.agent_.slab().find(part.shadowed_by);
        if (by != nullptr && by->spec)
          row["parts"].back()["shadowed_by"] = text::format_rule(*by->spec);
      }
      out.push_back(std::move(row));
    }
    answer(to_text(out));
  });
}

void Commands::verify_offload(const Arguments& arguments, const CommandTable::Answer& answer) {
  const bool repairs = !arguments.empty();
  if (repairs && arguments[0] != "repair") {
    return answer(failure(Errc::kInvalidArgument, "want nothing or \"repair\""));
  }
  daemon_.parts_.flow_manager->verify(
      repairs, [this, answer](const std::vector<DriftReport>& reports) {
        Json out = Json::array();
        for (const DriftReport& report : reports) {
          Json row = to_json(report);
          row["bridge"] = bridge_name(report.bridge);
          row["lost_rules"] = Json::array();
          for (const RuleId id : report.lost) {
            const openflow::Rule* rule = daemon_.agent_.slab().find(id);
            if (rule == nullptr || !rule->spec) continue;
            row["lost_rules"].push_back(text::format_rule(*rule->spec));
          }
          out.push_back(std::move(row));
        }
        answer(to_text(out));
      });
}

Result<std::vector<RuleId>> Commands::chosen_rules(const Arguments& arguments) const {
  std::string bridge_name;
  std::string rule_text;
  for (const std::string& argument : arguments) {
    const bool is_bridge = bridge_name.empty() && daemon_.agent_.find_bridge(argument) != nullptr;
    (is_bridge ? bridge_name : rule_text) = argument;
  }
  std::vector<RuleId> out;
  for (const auto& bridge : daemon_.agent_.bridges()) {
    if (!bridge_name.empty() && bridge->config().name != bridge_name) continue;
    openflow::FlowStatsFilter filter;
    if (!rule_text.empty() && !parse_cookie(rule_text, filter)) {
      const auto port_of = [&](std::string_view name) -> std::optional<PortNo> {
        for (const openflow::PortDesc& port : bridge->ports()) {
          if (port.status.name == name) return port.status.number;
        }
        return std::nullopt;
      };
      const auto mod = text::parse_flow(rule_text, port_of, openflow::FlowMod::Command::kDelete);
      if (!mod) return tl::unexpected<Error>(mod.error());
      filter.match = mod->match;
      filter.table_id = mod->table_id;
      filter.cookie = mod->cookie;
      filter.cookie_mask = mod->cookie_mask;
    }
    for (const RuleId id : bridge->rules().select(openflow::RuleFilter::of(filter))) {
      out.push_back(id);
    }
  }
  return out;
}

void Commands::show_offload(const Arguments& arguments, bool is_json,
                            const CommandTable::Answer& answer) {
  const Result<std::vector<RuleId>> rules = chosen_rules(arguments);
  if (!rules) return answer(tl::unexpected<Error>(rules.error()));
  if (rules->empty()) return answer(std::string(is_json ? "[]" : ""));
  openflow::Planes& planes = daemon_.agent_.planes();
  // The offload thread takes both in their order, so the answer finds the NIC's counters read.
  planes.refresh();
  planes.flow_manager().describe(
      *rules, [this, is_json, answer, &planes](std::vector<Placement> placements) {
        planes.collect();
        // Row by row: a document of 400,000 rules would take half a gigabyte.
        std::string out;
        for (const Placement& placement : placements) {
          const Json row = placement_json(placement);
          if (row.is_null()) continue;
          if (is_json) out += out.empty() ? '[' : ',';
          out += is_json ? to_text(row) : placement_line(row);
        }
        if (is_json) out += out.empty() ? "[]" : "]";
        answer(std::move(out));
      });
}

/// Null: the rule has gone meanwhile.
Json Commands::placement_json(const Placement& placement) const {
  const openflow::Rule* rule = daemon_.agent_.slab().find(placement.rule);
  if (rule == nullptr || !rule->spec) return nullptr;
  Json row = to_json(placement);
  row["rule"] = text::format_rule(*rule->spec);
  row["packets"] = rule->count.packets;
  row["bytes"] = rule->count.bytes;
  return row;
}

}  // namespace hoist::ctl

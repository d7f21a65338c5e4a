// SPDX-License-Identifier: BSD-3-Clause
// Commands about which rules are in hardware, and why.
#include <spdlog/fmt/fmt.h>

#include <array>
#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

#include "daemon/commands.hpp"
#include "text/flow_text.hpp"

namespace hoist::ctl {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, 3> kTierNames = {"software", "partial", "full"};
constexpr std::array<std::string_view, 13> kRefusalNames = {"none",
                                                            "disabled",
                                                            "no_port",
                                                            "field_unsupported",
                                                            "action_unsupported",
                                                            "group_unsupported",
                                                            "other_domain",
                                                            "shadowed",
                                                            "table_full",
                                                            "priority_range",
                                                            "meter_in_software",
                                                            "nic_rejected",
                                                            "pending"};
static_assert(kRefusalNames.size() == static_cast<std::size_t>(Refusal::kPending) + 1);

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
    table.add_plain(is_enabled ? "offload/enable" : "offload/disable", "", 0, 0,
                    [self, is_enabled](const Arguments&) {
                      self->daemon_.parts_.flow_manager->set_enabled(is_enabled);
                      return Result<std::string>("");
                    });
  }
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
        const Json rows = placements_json(placements);
        if (is_json) return answer(rows.dump(-1, ' ', false, Json::error_handler_t::replace));
        std::string out;
        for (const Json& row : rows) out += placement_line(row);
        answer(std::move(out));
      });
}

Json Commands::placements_json(const std::vector<Placement>& placements) const {
  Json rows = Json::array();
  for (const Placement& placement : placements) {
    const openflow::Rule* rule = daemon_.agent_.slab().find(placement.rule);
    if (rule == nullptr || !rule->spec) continue;
    rows.push_back({{"rule", text::format_rule(*rule->spec)},
                    {"tier", kTierNames[static_cast<std::size_t>(placement.tier)]},
                    {"refusal", kRefusalNames[static_cast<std::size_t>(placement.refusal)]},
                    {"reason", placement.reason},
                    {"hardware_rules", placement.rule_count},
                    {"guards", placement.guard_count},
                    {"packets", rule->count.packets},
                    {"bytes", rule->count.bytes},
                    {"hardware_packets", placement.hardware.packets},
                    {"hardware_bytes", placement.hardware.bytes}});
  }
  return rows;
}

}  // namespace hoist::ctl

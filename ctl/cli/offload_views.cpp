// SPDX-License-Identifier: BSD-3-Clause
#include "cli/offload_views.hpp"

#include <spdlog/fmt/fmt.h>

#include <cstdint>
#include <nlohmann/json.hpp>

#include "cli/table.hpp"

namespace hoist::ctl {
namespace {

using Json = nlohmann::json;

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return "";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

std::uint64_t number_of(const Json& object, const char* key) {
  return object.value(key, std::uint64_t{0});
}

Colour tier_colour(const std::string& tier) {
  if (tier == "full") return Colour::kGreen;
  return tier == "partial" ? Colour::kYellow : Colour::kRed;
}

std::string line(std::string_view name, const std::string& value) {
  return value.empty() ? "" : fmt::format("  {:<14} {}\n", name, value);
}

std::string joined(const Json& list) {
  std::string out;
  for (const Json& word : list) {
    if (!out.empty()) out += ", ";
    out += word.get<std::string>();
  }
  return out;
}

std::string why_of(const Json& object) {
  const std::string refusal = text_of(object, "refusal");
  if (refusal.empty() || refusal == "none") return "";
  return refusal + ": " + text_of(object, "reason");
}

std::string part_text(const Json& part) {
  std::string out = fmt::format("  on {}: {}\n", text_of(part, "domain"), text_of(part, "tier"));
  out += line("  why", why_of(part));
  out += line("  shadowed by", text_of(part, "shadowed_by"));
  if (part.contains("rank")) {
    out += line("  rank", fmt::format("{} of {} by packet rate", number_of(part, "rank"),
                                      number_of(part, "ranked")));
  }
  for (const Json& rule : part.value("hardware", Json::array())) {
    out += line("  in the NIC", rule.get<std::string>());
  }
  return out;
}

std::string state_of(const Json& nic) {
  if (!nic.value("takes_rules", false)) return "takes no rules: " + text_of(nic, "why_not");
  return nic.value("switch", false) ? "switch" : "ingress rules";
}

}  // namespace

std::string view_explanations(const Json& rules, bool has_colours) {
  std::string out;
  for (const Json& rule : rules) {
    const std::string tier = text_of(rule, "tier");
    if (!out.empty()) out += "\n";
    out += coloured(text_of(rule, "rule"), Colour::kBold, has_colours) + "\n";
    out += line("tier", coloured(tier, tier_colour(tier), has_colours));
    out += line("why not better", why_of(rule));
    out += line("what would", text_of(rule, "remedy"));
    out += line("packets", fmt::format("{}, {} of them in hardware", number_of(rule, "packets"),
                                       number_of(rule, "hardware_packets")));
    out += line("carried by",
                fmt::format("{} hardware rules; {} guards stand for it",
                            number_of(rule, "hardware_rules"), number_of(rule, "guards")));
    for (const Json& part : rule.value("parts", Json::array())) out += part_text(part);
  }
  return out;
}

std::string view_drift(const Json& domains, bool has_colours) {
  TextTable table({{"BRIDGE"},
                   {"PORTS"},
                   {"CHECKED", true},
                   {"CANNOT TELL", true},
                   {"LOST", true},
                   {"WHAT THE NIC SAID"}});
  std::string rules;
  for (const Json& domain : domains) {
    const std::uint64_t lost = number_of(domain, "lost");
    std::string said = joined(domain.value("reasons", Json::array()));
    if (domain.value("repaired", false)) said += " (installed anew)";
    table.add({{text_of(domain, "bridge")},
               {text_of(domain, "domain")},
               {text_of(domain, "checked")},
               {text_of(domain, "unknown")},
               {std::to_string(lost), lost == 0 ? Colour::kGreen : Colour::kRed},
               {said}});
    for (const Json& rule : domain.value("lost_rules", Json::array())) {
      rules += "  lost: " + rule.get<std::string>() + "\n";
    }
  }
  return table.render(has_colours) + rules;
}

std::string view_nic_list(const Json& nics, bool has_colours) {
  TextTable table({{"BRIDGE"},
                   {"PORT"},
                   {"NO", true},
                   {"ETHDEV", true},
                   {"DRIVER"},
                   {"FIRMWARE"},
                   {"DOMAIN"},
                   {"RULES"}});
  for (const Json& nic : nics) {
    for (const Json& port : nic.value("ports", Json::array())) {
      const std::string firmware = text_of(port, "firmware");
      std::string state = state_of(nic);
      if (!port.value("enabled", true)) state += " (switched off)";
      table.add(
          {{text_of(nic, "bridge")},
           {text_of(port, "name")},
           {text_of(port, "number")},
           {text_of(port, "ethdev")},
           {text_of(port, "driver") + (port.value("representor", false) ? " (representor)" : "")},
           {firmware.empty() ? "-" : firmware},
           {nic.contains("domain") ? text_of(nic, "domain") : "-"},
           {state, nic.value("takes_rules", false) ? Colour::kGreen : Colour::kYellow}});
    }
  }
  return table.render(has_colours);
}

std::string view_nics(const Json& nics, bool has_colours) {
  std::string out;
  for (const Json& nic : nics) {
    std::string ports;
    for (const Json& port : nic.value("ports", Json::array())) {
      if (!ports.empty()) ports += ", ";
      ports += fmt::format("{} ({}{}{})", text_of(port, "name"), text_of(port, "driver"),
                           port.value("representor", false) ? ", representor" : "",
                           port.value("enabled", true) ? "" : ", switched off");
    }
    if (!out.empty()) out += "\n";
    out += coloured(text_of(nic, "bridge") + ": " + ports, Colour::kBold, has_colours) + "\n";
    out += line("rules", state_of(nic));
    out += line("domain", text_of(nic, "domain"));
    if (nic.value("takes_rules", false)) {
      out += line("taken by", "ethdev " + text_of(nic, "proxy"));
      out += line("groups", fmt::format("{} (OpenFlow tables 0 to {})", number_of(nic, "groups"),
                                        number_of(nic, "tables") - 1));
      out += line("priorities", fmt::format("{} ({} levels of rules)", number_of(nic, "priorities"),
                                            number_of(nic, "levels")));
      out += line("marks", number_of(nic, "mark_max") == 0
                               ? "none: no table but 0, no partial rules"
                               : fmt::format("up to {:#x}", number_of(nic, "mark_max")));
      out += line("hands over by", text_of(nic, "hands_over_by"));
      out += line("matches", joined(nic.value("matches", Json::array())));
      out += line("actions", joined(nic.value("actions", Json::array())));
      out += line("keeps out", joined(nic.value("keeps_out", Json::array())));
    }
    out += line("meters", number_of(nic, "meters") == 0
                              ? "none"
                              : fmt::format("{}, {} in use", number_of(nic, "meters"),
                                            number_of(nic, "meters_used")));
    out += line("stands in it",
                fmt::format("{} hardware rules, {} tables, {} levels; {} rules wait for room{}",
                            number_of(nic, "rules"), number_of(nic, "tables_used"),
                            number_of(nic, "levels_used"), number_of(nic, "waiting"),
                            number_of(nic, "capacity") == 0
                                ? std::string()
                                : fmt::format("; full at {}", number_of(nic, "capacity"))));
  }
  return out;
}

std::string view_plan(const Json& plan, bool has_colours) {
  const Json& sums = plan.at("sums");
  std::string out = fmt::format(
      "{}: {} rules: {} full, {} partial, {} software\n"
      "{} hardware rules, {} tables, {} levels, {} meters; {} rules find no room\n",
      text_of(plan, "profile"), number_of(sums, "rules"), number_of(sums, "full"),
      number_of(sums, "partial"), number_of(sums, "software"), number_of(sums, "hardware_rules"),
      number_of(sums, "tables"), number_of(sums, "levels"), number_of(sums, "meters"),
      number_of(sums, "waiting"));
  const Json reasons = plan.value("reasons", Json::array());
  if (reasons.empty()) return out;
  TextTable table({{"RULES", true}, {"TIER"}, {"WHY NOT BETTER"}, {"FIRST OF THEM"}});
  for (const Json& reason : reasons) {
    const std::string tier = text_of(reason, "tier");
    table.add({{text_of(reason, "count")},
               {tier, tier_colour(tier)},
               {why_of(reason)},
               {text_of(reason, "rule"), Colour::kDim}});
  }
  return out + "\n" + table.render(has_colours);
}

}  // namespace hoist::ctl

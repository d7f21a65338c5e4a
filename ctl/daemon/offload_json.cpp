// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/offload_json.hpp"

#include <array>
#include <nlohmann/json.hpp>

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

}  // namespace

std::string_view tier_name(Tier tier) noexcept {
  return kTierNames[static_cast<std::size_t>(tier)];
}

std::string_view refusal_name(Refusal refusal) noexcept {
  return kRefusalNames[static_cast<std::size_t>(refusal)];
}

Json to_json(const Placement& placement) {
  return {{"tier", tier_name(placement.tier)},
          {"refusal", refusal_name(placement.refusal)},
          {"reason", placement.reason},
          {"hardware_rules", placement.rule_count},
          {"guards", placement.guard_count},
          {"hardware_packets", placement.hardware.packets},
          {"hardware_bytes", placement.hardware.bytes}};
}

Json to_json(const Explanation::Part& part) {
  Json out{{"domain", part.domain},
           {"tier", tier_name(part.tier)},
           {"refusal", refusal_name(part.refusal)},
           {"reason", part.reason},
           {"hardware", part.hardware}};
  if (part.rank != 0) {
    out["rank"] = part.rank;
    out["ranked"] = part.ranked_count;
  }
  return out;
}

Json to_json(const NicReport& report) {
  Json ports = Json::array();
  for (const NicReport::Port& port : report.ports) {
    ports.push_back({{"name", port.name},
                     {"number", to_integer(port.number)},
                     {"ethdev", to_integer(port.ethdev)},
                     {"driver", port.driver},
                     {"firmware", port.firmware},
                     {"representor", port.is_representor},
                     {"enabled", port.is_enabled}});
  }
  Json out{{"ports", std::move(ports)},
           {"takes_rules", report.takes_rules},
           {"why_not", report.why_not},
           {"proxy", to_integer(report.proxy)},
           {"switch", report.is_switch},
           {"groups", report.group_count},
           {"tables", report.table_count},
           {"priorities", report.priority_count},
           {"levels", report.level_count},
           {"mark_max", report.mark_max},
           {"hands_over_by", report.hands_over_by},
           {"matches", report.matches},
           {"actions", report.actions},
           {"keeps_out", report.keeps_out},
           {"meters", report.meter_max},
           {"rules", report.rule_count},
           {"capacity", report.capacity},
           {"waiting", report.waiting_count},
           {"tables_used", report.tables_used},
           {"levels_used", report.levels_used},
           {"meters_used", report.meters_used}};
  if (report.domain_id) out["domain"] = *report.domain_id;
  return out;
}

Json to_json(const DriftReport& report) {
  return {{"domain", report.domain},         {"checked", report.checked_count},
          {"unknown", report.unknown_count}, {"lost", report.lost_count},
          {"reasons", report.reasons},       {"repaired", report.is_repaired}};
}

}  // namespace hoist::ctl

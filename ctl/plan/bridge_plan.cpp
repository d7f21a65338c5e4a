// SPDX-License-Identifier: BSD-3-Clause
#include "plan/bridge_plan.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "daemon/offload_json.hpp"
#include "text/flow_text.hpp"
#include "text/meter_text.hpp"

namespace hoist::ctl {
namespace {

using Json = nlohmann::json;

constexpr BridgeId kBridge{0};

std::string without_comment(std::string line) {
  line.resize(std::min(line.size(), line.find('#')));
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) {
    line.pop_back();
  }
  return line;
}

/// Calls take(text) for each line that says something; it returns an error or nothing.
template <class Take>
Result<void> for_each_line(const std::string& path, Take take) {
  std::ifstream file(path);
  if (!file) return failure(Errc::kNotFound, path + ": cannot be read");
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const std::string text = without_comment(std::move(line));
    if (text.empty()) continue;
    if (const Result<void> taken = take(text); !taken) {
      return failure(taken.error().code,
                     path + ":" + std::to_string(number) + ": " + taken.error().message);
    }
  }
  return {};
}

}  // namespace

BridgePlan::BridgePlan()
    : marks_(std::make_unique<ResumeTable>()),
      manager_(FlowManager::create({.has_thread = false}, *marks_,
                                   [] { return std::uint64_t{1000}; })) {}

PortNo BridgePlan::port_of(std::string_view name) {
  auto found = std::ranges::find(names_, name);
  if (found == names_.end()) found = names_.emplace(names_.end(), name);
  const auto number = static_cast<std::uint32_t>(found - names_.begin()) + 1;
  port_max_ = std::max(port_max_, number);
  return PortNo{number};
}

void BridgePlan::note_ports(const RuleSpec& rule) {
  const auto note = [this](PortNo port) {
    if (to_integer(port) < 0xff00) port_max_ = std::max(port_max_, to_integer(port));
  };
  const Match match = rule.match.expand();
  if (match.mask.in_port.wire() != 0) note(PortNo{match.value.in_port.host()});
  for (const auto* list : {&rule.instructions->apply_actions, &rule.instructions->write_actions}) {
    for (const Action& action : *list) {
      if (const auto* output = std::get_if<OutputAction>(&action)) note(output->port);
    }
  }
}

Result<void> BridgePlan::read_flows(const std::string& path) {
  return for_each_line(path, [this](const std::string& line) -> Result<void> {
    auto mod = text::parse_flow(line, [this](std::string_view name) { return port_of(name); });
    if (!mod) return tl::unexpected<Error>(mod.error());
    const auto id = RuleId{static_cast<std::uint32_t>(rules_.size() + 1)};
    rules_.push_back(std::make_shared<RuleSpec>(
        RuleSpec{.id = id,
                 .table_id = mod->table_id == 0xff ? std::uint8_t{0} : mod->table_id,
                 .priority = mod->priority,
                 .cookie = mod->cookie,
                 .match = MiniMatch(mod->match),
                 .instructions = std::make_shared<Instructions>(std::move(mod->instructions))}));
    note_ports(*rules_.back());
    return {};
  });
}

Result<void> BridgePlan::read_meters(const std::string& path) {
  return for_each_line(path, [this](const std::string& line) -> Result<void> {
    auto meter = text::parse_meter(line);
    if (!meter) return tl::unexpected<Error>(meter.error());
    meters_.push_back({meter->id, std::make_shared<MeterConfig>(*std::move(meter))});
    return {};
  });
}

void BridgePlan::settle(FlowManager::Sequence sequence) {
  while (!manager_->is_settled(sequence)) manager_->run_once();
}

void BridgePlan::place(std::uint32_t port_count) {
  for (std::uint32_t number = 1; number <= port_count; ++number) {
    PortStatus status{.name = std::string("p").append(std::to_string(number)),
                      .number = PortNo{number}};
    if (number <= names_.size()) status.name = names_[number - 1];
    status.ethdev = EthdevId{static_cast<std::uint16_t>(number - 1)};
    status.queues = 1;
    settle(manager_->attach_port(kBridge, status));
  }
  settle(manager_->submit_meters(kBridge, meters_));
  std::vector<RuleChange> changes;
  for (const auto& rule : rules_) changes.push_back({RuleChange::Kind::kAdd, rule});
  settle(manager_->submit(kBridge, changes));
}

Json BridgePlan::report() {
  using Key = std::tuple<Tier, Refusal, std::string>;
  std::map<Key, std::pair<std::uint64_t, RuleId>> reasons;
  std::uint64_t by_tier[3] = {};
  Json sums{{"rules", rules_.size()}};
  manager_->describe({}, [&](const std::vector<Placement>& placements) {
    for (const Placement& p : placements) {
      ++by_tier[static_cast<std::size_t>(p.tier)];
      if (p.tier == Tier::kFull) continue;
      auto& [count, first] = reasons[{p.tier, p.refusal, p.reason}];
      ++count;
      if (first == RuleId::kNone || p.rule < first) first = p.rule;
    }
  });
  std::uint64_t hardware = 0, tables = 0, levels = 0, meters = 0, waiting = 0;
  manager_->describe_nics([&](const std::vector<NicReport>& nics) {
    for (const NicReport& nic : nics) {
      hardware += nic.rule_count;
      tables = std::max<std::uint64_t>(tables, nic.tables_used);
      levels = std::max<std::uint64_t>(levels, nic.levels_used);
      meters += nic.meters_used;
      waiting += nic.waiting_count;
    }
  });
  manager_->run_once();
  manager_->poll();
  sums["full"] = by_tier[static_cast<std::size_t>(Tier::kFull)];
  sums["partial"] = by_tier[static_cast<std::size_t>(Tier::kPartial)];
  sums["software"] = by_tier[static_cast<std::size_t>(Tier::kSoftware)];
  sums.update({{"hardware_rules", hardware},
               {"tables", tables},
               {"levels", levels},
               {"meters", meters},
               {"waiting", waiting}});
  std::vector<Json> why;
  for (const auto& [key, value] : reasons) {
    why.push_back({{"tier", tier_name(std::get<Tier>(key))},
                   {"refusal", refusal_name(std::get<Refusal>(key))},
                   {"reason", std::get<std::string>(key)},
                   {"count", value.first},
                   {"rule", text::format_rule(*rules_[to_integer(value.second) - 1])}});
  }
  std::ranges::stable_sort(why, [](const Json& a, const Json& b) {
    return a["count"].get<std::uint64_t>() > b["count"].get<std::uint64_t>();
  });
  return {{"sums", std::move(sums)}, {"reasons", std::move(why)}};
}

}  // namespace hoist::ctl

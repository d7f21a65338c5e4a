// SPDX-License-Identifier: BSD-3-Clause
#include "manager_bench.hpp"

#include "emulated_nic/control.h"

namespace hoist::offload {

void ManagerBench::begin(const std::string& profile, unsigned ports) {
  manager_.reset();
  rules_.clear();
  hits_.clear();
  use(profile);
  marks_ = std::make_unique<ResumeTable>();
  manager_ = FlowManager::create(config_, *marks_, [this] { return now_ms_; });
  for (unsigned port = 1; port <= ports; ++port) settle(attach(port));
}

FlowManager::Sequence ManagerBench::attach(unsigned number, std::uint32_t flags, BridgeId bridge) {
  PortStatus status{.name = "p" + std::to_string(number), .number = PortNo{number}};
  status.ethdev = EthdevId{static_cast<std::uint16_t>(number - 1)};
  status.flags = flags;
  status.queues = kQueues;
  return manager_->attach_port(bridge, status);
}

void ManagerBench::add(const std::vector<std::shared_ptr<const RuleSpec>>& rules) {
  std::vector<RuleChange> changes;
  for (const auto& rule : rules) {
    rules_[to_integer(rule->id)] = rule;
    changes.push_back({RuleChange::Kind::kAdd, rule});
  }
  settle(manager_->submit(kBridge, changes));
}

void ManagerBench::remove(std::uint32_t id) {
  const RuleChange change{RuleChange::Kind::kRemove, rules_.at(id)};
  rules_.erase(id);
  settle(manager_->submit(kBridge, std::span(&change, 1)));
}

void ManagerBench::replace(std::uint32_t old_id, const Rule& rule) {
  const auto spec = rule.spec();
  const RuleChange changes[] = {{RuleChange::Kind::kRemove, rules_.at(old_id)},
                                {RuleChange::Kind::kAdd, spec}};
  rules_.erase(old_id);
  rules_[to_integer(spec->id)] = spec;
  settle(manager_->submit(kBridge, changes));
}

void ManagerBench::settle(FlowManager::Sequence sequence) {
  for (int i = 0; i < 100 && !manager_->is_settled(sequence); ++i) manager_->run_once();
  ASSERT_TRUE(manager_->is_settled(sequence));
}

Placement ManagerBench::placement(std::uint32_t id) {
  Placement out;
  manager_->describe({RuleId{id}}, [&](std::vector<Placement> all) {
    if (!all.empty()) out = all.front();
  });
  manager_->run_once();
  manager_->poll();
  return out;
}

TrafficCount ManagerBench::carried(std::uint32_t id) {
  settle(manager_->refresh_counters());
  manager_->collect([&](const RuleHit& hit) { hits_[hit.rule] += hit.count; });
  return hits_[RuleId{id}];
}

std::uint64_t ManagerBench::rule_count() { return emulated_nic_rule_count(); }

int ManagerBench::fate(unsigned port, const test::Bytes& frame) {
  const bool is_software = !in(port, frame).empty();
  int to = -1;
  for (unsigned p = 1; p <= kPorts; ++p) {
    if (!out(p).empty()) to = static_cast<int>(p);
  }
  return is_software ? 0 : to;
}

}  // namespace hoist::offload

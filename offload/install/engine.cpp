// SPDX-License-Identifier: BSD-3-Clause
#include "install/engine.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace hoist::offload {

Engine::Engine(const FlowManager::Config& config, ResumeTable& resume_table, Hits& hits,
               std::function<std::uint64_t()> now_ms)
    : tokens_(resume_table),
      hits_(hits),
      now_ms_(std::move(now_ms)),
      budget_{config.moves_per_second, config.reads_per_second},
      is_enabled_(config.is_enabled) {}

Engine::~Engine() {
  for (auto& [id, bridge] : bridges_) {
    for (auto& domain : bridge.domains) domain->drain();
  }
}

bool Engine::serves(const BridgeDomain& domain, const PortIdentity& port) {
  if (domain.capabilities().has(Feature::kTransfer)) {
    return port.domain_id && port.domain_id == domain.identity().domain_id;
  }
  return port.ethdev == domain.identity().ethdev;
}

PortMap Engine::port_map(const Bridge& bridge, const BridgeDomain& domain) {
  PortMap out;
  for (const BridgePort& port : bridge.ports) {
    const std::uint32_t flags = port.status.flags;
    const bool is_member = serves(domain, port.identity);
    out.ports.push_back({.number = port.status.number,
                         .ethdev = port.status.ethdev,
                         .name = port.status.name,
                         .is_member = is_member,
                         .can_egress = (flags & (PortFlags::kDown | PortFlags::kNoFwd)) == 0,
                         .can_ingress = (flags & (PortFlags::kDown | PortFlags::kNoRecv)) == 0});
    if (!is_member) continue;
    if (!out.label.empty()) out.label += ',';
    out.label += port.status.name;
  }
  return out;
}

std::uint32_t Engine::free_slot(const PortIdentity& identity, bool is_transfer) const {
  std::set<std::uint32_t> taken;
  for (const auto& [id, bridge] : bridges_) {
    for (const auto& domain : bridge.domains) {
      const bool is_same = is_transfer ? domain->identity().domain_id == identity.domain_id
                                       : domain->identity().ethdev == identity.ethdev;
      if (is_same) taken.insert(domain->slot());
    }
  }
  std::uint32_t slot = 0;
  while (taken.contains(slot)) ++slot;
  return slot;
}

BridgeDomain* Engine::domain_for(BridgeId id, Bridge& bridge, const BridgePort& port) {
  for (const auto& domain : bridge.domains) {
    if (serves(*domain, port.identity)) return domain.get();
  }
  const Capabilities capabilities = probe(port.identity);
  if (!capabilities.is_usable()) return nullptr;
  const std::uint32_t slot = free_slot(port.identity, capabilities.has(Feature::kTransfer));
  if (make_layout(capabilities, slot).table_count == 0) return nullptr;
  bridge.domains.push_back(
      std::make_unique<BridgeDomain>(id, port.identity, capabilities, slot,
                                     Shared{tokens_, hits_, bridge.meters, now_ms_, budget_}));
  return bridge.domains.back().get();
}

/// Brings the domains in line with the bridge's ports; those whose own ports are as they were go
/// on.
void Engine::rebuild(BridgeId id, Bridge& bridge, bool is_anew) {
  std::set<const BridgeDomain*> used;
  for (const BridgePort& port : bridge.ports) used.insert(domain_for(id, bridge, port));
  std::erase_if(bridge.domains, [&](const auto& domain) {
    if (used.contains(domain.get())) return false;
    domain->drain();
    return true;
  });
  std::vector<RuleRef> rules;
  rules.reserve(bridge.rules.size());
  for (const auto& [rule_id, rule] : bridge.rules) rules.push_back(rule);
  for (const auto& domain : bridge.domains) {
    if (!is_enabled_) continue;
    PortMap ports = port_map(bridge, *domain);
    if (!is_anew && ports.members() == domain->ports().members()) {
      domain->rename(std::move(ports));
    } else {
      domain->rebuild(std::move(ports), rules);
    }
  }
}

void Engine::attach(const AttachPort& request) {
  Bridge& bridge = bridges_[request.bridge];
  const BridgePort port{request.port, identify(request.port.ethdev)};
  const auto same = std::ranges::find(bridge.ports, request.port.number,
                                      [](const BridgePort& p) { return p.status.number; });
  if (same != bridge.ports.end()) {
    const bool is_news =
        same->status.flags != request.port.flags || same->status.ethdev != request.port.ethdev;
    *same = port;
    if (!is_news) return;
  } else {
    bridge.ports.push_back(port);
  }
  rebuild(request.bridge, bridge);
}

void Engine::detach(const DetachPort& request) {
  const auto it = bridges_.find(request.bridge);
  if (it == bridges_.end()) return;
  const auto gone = std::erase_if(it->second.ports, [&](const BridgePort& port) {
    return port.status.number == request.number;
  });
  if (gone != 0) rebuild(request.bridge, it->second);
}

void Engine::update(const UpdateRules& request) {
  Bridge& bridge = bridges_[request.bridge];
  std::vector<RuleRef> added;
  std::vector<RuleId> removed;
  std::unordered_map<RuleId, std::size_t> fresh;
  for (const RuleChange& change : request.changes) {
    const RuleId id = change.rule->id;
    if (change.kind == RuleChange::Kind::kAdd) {
      bridge.rules[id] = change.rule;
      fresh[id] = added.size();
      added.push_back(change.rule);
    } else {
      bridge.rules.erase(id);
      const auto it = fresh.find(id);
      if (it == fresh.end()) {
        removed.push_back(id);
      } else {
        added[it->second] = nullptr;  // added and removed in one step: it never was
        fresh.erase(it);
      }
    }
  }
  std::erase(added, nullptr);
  if (!is_enabled_) added.clear();
  for (const auto& domain : bridge.domains) domain->update(added, removed);
}

void Engine::observe(const std::vector<RuleHit>& hits) {
  for (auto& [id, bridge] : bridges_) {
    for (const auto& domain : bridge.domains) domain->observe(hits);
  }
}

bool Engine::has_waiting() const {
  return std::ranges::any_of(bridges_, [](const auto& entry) {
    return std::ranges::any_of(entry.second.domains,
                               [](const auto& d) { return d->has_waiting(); });
  });
}

void Engine::update_meters(const UpdateMeters& request) {
  Bridge& bridge = bridges_[request.bridge];
  std::vector<MeterId> changed;
  for (const MeterChange& change : request.changes) {
    if (!change.config) {
      bridge.meters.erase(change.id);
      continue;
    }
    auto& config = bridge.meters[change.id];
    if (config) changed.push_back(change.id);  // A new one has no rules.
    config = change.config;
  }
  for (const auto& domain : bridge.domains) domain->update_meters(changed);
}

void Engine::refresh() {
  for (auto& [id, bridge] : bridges_) {
    for (const auto& domain : bridge.domains) domain->refresh();
  }
}

void Engine::set_enabled(bool is_enabled) {
  if (is_enabled == is_enabled_) return;
  is_enabled_ = is_enabled;
  for (auto& [id, bridge] : bridges_) {
    if (is_enabled) {
      rebuild(id, bridge, true);
      continue;
    }
    for (const auto& domain : bridge.domains) domain->drain();
  }
}

void Engine::tick() {
  for (auto& [id, bridge] : bridges_) {
    for (const auto& domain : bridge.domains) domain->tick();
  }
}

bool Engine::is_clean() const {
  return std::ranges::all_of(bridges_, [](const auto& entry) {
    return std::ranges::all_of(entry.second.domains, [](const auto& d) { return d->is_clean(); });
  });
}

bool Engine::may_hold_rules() const {
  const bool has_domain = std::ranges::any_of(
      bridges_, [](const auto& entry) { return !entry.second.domains.empty(); });
  return (is_enabled_ && has_domain) || !is_clean();
}

/// The worst of the domains in which the rule can match: that is what keeps it from a better tier.
Placement Engine::describe(const Bridge& bridge, RuleId rule) const {
  if (!is_enabled_) {
    return {.rule = rule, .refusal = Refusal::kDisabled, .reason = "offload is switched off"};
  }
  std::optional<Placement> worst;
  std::optional<Placement> never;
  for (const auto& domain : bridge.domains) {
    auto part = domain->placement(rule);
    if (!part) continue;
    const bool is_never = domain->is_never(rule);
    auto& to = is_never ? never : worst;
    if (!to) {
      to = part;
      continue;
    }
    part->rule_count += to->rule_count;
    part->guard_count += to->guard_count;
    part->hardware += to->hardware;
    if (part->tier > to->tier) {
      part->tier = to->tier;
      part->refusal = to->refusal;
      part->reason = to->reason;
    }
    to = part;
  }
  if (worst) return *worst;
  if (never) return *never;
  return {.rule = rule, .refusal = Refusal::kNoPort, .reason = "no port of the bridge takes rules"};
}

std::vector<Placement> Engine::describe(const std::vector<RuleId>& rules) const {
  std::vector<Placement> out;
  for (const auto& [id, bridge] : bridges_) {
    if (rules.empty()) {
      for (const auto& [rule, spec] : bridge.rules) out.push_back(describe(bridge, rule));
    }
    for (const RuleId rule : rules) {
      if (bridge.rules.contains(rule)) out.push_back(describe(bridge, rule));
    }
  }
  return out;
}

}  // namespace hoist::offload

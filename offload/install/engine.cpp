// SPDX-License-Identifier: BSD-3-Clause
#include "install/engine.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

namespace hoist::offload {
namespace {

/// A port that has lost its rules is tried again after so long, then less and less often.
constexpr std::uint64_t kFirstReplayMs = 1000;
constexpr std::uint64_t kLongestReplayMs = 60'000;

bool can_receive(const PortMap& ports) {
  return std::ranges::any_of(
      ports.ports, [](const DomainPort& port) { return port.is_member && port.can_ingress; });
}

}  // namespace

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
                         .can_ingress = (flags & (PortFlags::kDown | PortFlags::kNoRecv)) == 0 &&
                                        !bridge.disabled.contains(port.status.number)});
    if (!is_member) continue;
    if (!out.label.empty()) out.label += ',';
    out.label += port.status.name;
  }
  return out;
}

std::uint32_t Engine::free_slot(const PortIdentity& identity, bool is_transfer) const {
  std::set<std::uint32_t> taken;
  const auto take = [&](const BridgeDomain& domain) {
    const bool is_same = is_transfer ? domain.identity().domain_id == identity.domain_id
                                     : domain.identity().ethdev == identity.ethdev;
    if (is_same) taken.insert(domain.slot());
  };
  for (const auto& [id, bridge] : bridges_) {
    for (const auto& domain : bridge.domains) take(*domain);
  }
  for (const auto& domain : leaving_) take(*domain);
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
  bridge.domains.push_back(std::make_unique<BridgeDomain>(
      id, port.identity, capabilities, slot,
      Shared{tokens_, hits_, bridge.meters, now_ms_, budget_, bridge.carried}));
  return bridge.domains.back().get();
}

/// Who takes the port's rules as things stand. A proxy that no bridge has is not started, so it
/// takes none: then the port is on its own.
PortIdentity Engine::identity_of(const PortStatus& port) const {
  PortIdentity out = identify(port.ethdev);
  const bool has_proxy = std::ranges::any_of(bridges_, [&](const auto& entry) {
    return std::ranges::any_of(entry.second.ports,
                               [&](const BridgePort& p) { return p.status.ethdev == out.proxy; });
  });
  if (!has_proxy && out.proxy != out.ethdev) {
    out.proxy = out.ethdev;
    out.domain_id.reset();
  }
  return out;
}

/// Whether the domain is still what one of its ports would get.
bool Engine::is_current(const Bridge& bridge, const BridgeDomain& domain) {
  const PortIdentity& is = domain.identity();
  return std::ranges::any_of(bridge.ports, [&](const BridgePort& port) {
    const PortIdentity& now = port.identity;
    const bool is_shared = domain.capabilities().has(Feature::kTransfer);
    return is_shared ? now.domain_id == is.domain_id && now.proxy == is.proxy : now == is;
  });
}

void Engine::retire(std::unique_ptr<BridgeDomain> domain) {
  domain->drain();
  if (!domain->is_clean()) leaving_.push_back(std::move(domain));
}

/// Brings the domains in line with the bridge's ports; those whose own ports are as they were go
/// on.
void Engine::rebuild(BridgeId id, Bridge& bridge, bool is_anew) {
  drop_lost(bridge);
  for (BridgePort& port : bridge.ports) port.identity = identity_of(port.status);
  std::erase_if(bridge.domains, [&](auto& domain) {
    if (is_current(bridge, *domain)) return false;
    retire(std::move(domain));
    return true;
  });
  std::set<const BridgeDomain*> used;
  for (const BridgePort& port : bridge.ports) used.insert(domain_for(id, bridge, port));
  std::erase_if(bridge.domains, [&](auto& domain) {
    if (used.contains(domain.get())) return false;
    retire(std::move(domain));
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
    } else if (!can_receive(ports)) {
      domain->rest(std::move(ports));
    } else {
      domain->rebuild(std::move(ports), rules);
    }
  }
}

void Engine::attach(const AttachPort& request) {
  Bridge& bridge = bridges_[request.bridge];
  const BridgePort port{request.port, {}};
  const auto same = std::ranges::find(bridge.ports, request.port.number,
                                      [](const BridgePort& p) { return p.status.number; });
  if (same != bridge.ports.end()) {
    *same = port;
  } else {
    bridge.ports.push_back(port);
  }
  // Bridges that have other ports of its switch may find their proxy here.
  for (auto& [id, any] : bridges_) rebuild(id, any);
}

void Engine::detach(const DetachPort& request) {
  const auto it = bridges_.find(request.bridge);
  if (it == bridges_.end()) return;
  const auto gone = std::erase_if(it->second.ports, [&](const BridgePort& port) {
    return port.status.number == request.number;
  });
  if (gone == 0) return;
  for (auto& [id, any] : bridges_) rebuild(id, any);
}

void Engine::update(const UpdateRules& request) {
  Bridge& bridge = bridges_[request.bridge];
  std::vector<RuleRef> added;
  std::vector<RuleId> removed;
  std::unordered_map<RuleId, std::size_t> fresh;
  const bool has_removals = std::ranges::any_of(request.changes, [](const RuleChange& change) {
    return change.kind == RuleChange::Kind::kRemove;
  });
  for (const RuleChange& change : request.changes) {
    const RuleId id = change.rule->id;
    if (change.kind == RuleChange::Kind::kAdd) {
      bridge.rules[id] = change.rule;
      if (has_removals) fresh[id] = added.size();
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
  for (const RuleId rule : removed) bridge.carried.erase(rule);
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

void Engine::set_port_enabled(const SetPortEnabled& request) {
  Bridge& bridge = bridges_[request.bridge];
  if (request.is_enabled ? bridge.disabled.erase(request.number) == 0
                         : !bridge.disabled.insert(request.number).second) {
    return;
  }
  rebuild(request.bridge, bridge);
}

/// Domains whose port was reset or has gone end without a touch; their rules are software's.
void Engine::drop_lost(Bridge& bridge) {
  const auto lost = std::erase_if(bridge.domains, [](const auto& domain) {
    if (!domain->has_lost_rules()) return false;
    domain->drain();
    return true;
  });
  if (lost == 0) return;
  bridge.back_off_ms = kFirstReplayMs;
  bridge.replay_at_ms = now_ms_() + bridge.back_off_ms;
}

void Engine::drop_lost() {
  for (auto& [id, bridge] : bridges_) drop_lost(bridge);
}

/// Tries ports that have lost their rules, until they take them again.
void Engine::replay(BridgeId id, Bridge& bridge) {
  if (bridge.replay_at_ms == 0 || now_ms_() < bridge.replay_at_ms) return;
  rebuild(id, bridge);
  const bool is_served = std::ranges::all_of(bridge.ports, [&](const BridgePort& port) {
    return std::ranges::any_of(bridge.domains,
                               [&](const auto& domain) { return serves(*domain, port.identity); });
  });
  bridge.back_off_ms = std::min(2 * bridge.back_off_ms, kLongestReplayMs);
  bridge.replay_at_ms = is_served ? 0 : now_ms_() + bridge.back_off_ms;
}

void Engine::tick() {
  std::erase_if(leaving_, [](const auto& domain) {
    if (domain->has_lost_rules()) domain->drain();
    domain->tidy();
    return domain->is_clean();
  });
  for (auto& [id, bridge] : bridges_) {
    replay(id, bridge);
    for (const auto& domain : bridge.domains) domain->tick();
  }
}

std::uint64_t Engine::installed_count() const {
  std::uint64_t count = 0;
  for (const auto& [id, bridge] : bridges_) {
    for (const auto& domain : bridge.domains) count += domain->installed_count();
  }
  return count;
}

bool Engine::is_clean() const {
  return leaving_.empty() && std::ranges::all_of(bridges_, [](const auto& entry) {
           return std::ranges::all_of(entry.second.domains,
                                      [](const auto& d) { return d->is_clean(); });
         });
}

bool Engine::may_hold_rules() const {
  const bool has_domain = std::ranges::any_of(
      bridges_, [](const auto& entry) { return !entry.second.domains.empty(); });
  return (is_enabled_ && has_domain) || !is_clean();
}

/// Offload is off for all, or at the only ports that the rule's packets come in at.
std::optional<Placement> Engine::switched_off(const Bridge& bridge, RuleId rule) const {
  Placement out{.rule = rule, .refusal = Refusal::kDisabled, .reason = "offload is switched off"};
  if (!is_enabled_) return out;
  if (bridge.disabled.empty()) return std::nullopt;
  const Match whole = bridge.rules.at(rule)->match.expand();
  std::string off;
  for (const BridgePort& port : bridge.ports) {
    const bool is_its =
        whole.mask.in_port.wire() == 0 || PortNo{whole.value.in_port.host()} == port.status.number;
    if (!is_its) continue;
    if (!bridge.disabled.contains(port.status.number)) return std::nullopt;
    off += (off.empty() ? "" : ",") + port.status.name;
  }
  if (off.empty()) return std::nullopt;
  out.reason += " at " + off;
  return out;
}

Placement Engine::describe(const Bridge& bridge, RuleId rule) const {
  Placement out = placed(bridge, rule);
  if (const auto it = bridge.carried.find(rule); it != bridge.carried.end()) {
    out.hardware = it->second;
  }
  return out;
}

/// The worst of the domains in which the rule can match: that is what keeps it from a better tier.
Placement Engine::placed(const Bridge& bridge, RuleId rule) const {
  if (auto off = switched_off(bridge, rule)) return *off;
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

// SPDX-License-Identifier: BSD-3-Clause
#include "install/steering.hpp"

#include <algorithm>

#include "translate/lower.hpp"
#include "translate/port_item.hpp"

namespace hoist::offload {
namespace {

HwMatch any_packet() {
  HwMatch match;
  match.need(Layer::kEth, RTE_FLOW_ITEM_TYPE_ETH);
  return match;
}

HwRule blank(const Context& context, std::uint32_t group, std::uint32_t priority) {
  return HwRule{.group = group,
                .priority = priority,
                .is_transfer = context.capabilities.has(Feature::kTransfer),
                .match = any_packet()};
}

/// The ports whose packets come in, as rules name them: one nameless port for ingress rules.
std::vector<EthdevId> entrances(const Context& context) {
  std::vector<EthdevId> out;
  for (const DomainPort& port : context.ports.ports) {
    if (port.is_member && port.can_ingress) out.push_back(port.ethdev);
  }
  return out;
}

void name_port(HwRule& rule, const Context& context, EthdevId ethdev) {
  if (rule.is_transfer) put_port(rule.match, context.capabilities.match_port, ethdev);
}

}  // namespace

HwRule Steering::row_rule(const AdmissionRow& row, const Context& context) const {
  const bool has_groups = layout_.has_groups;
  HwRule rule = blank(context, has_groups ? layout_.admission_group : 0,
                      has_groups ? row.level : kHazardPriority);
  rule.match = row.match;
  if (rule.is_transfer) put_any_port(rule.match, context.capabilities.match_port);
  if (row.goes_on) {
    rule.actions.add(RTE_FLOW_ACTION_TYPE_JUMP, rte_flow_action_jump{.group = layout_.base});
  } else {
    add_punt(rule.actions, layout_, context.capabilities, 0);
  }
  return rule;
}

/// New rows first, those for software before those that go on; then the old ones leave.
FlowResult<void> Steering::admit(const Context& context, const HazardSet& hazards) {
  std::vector<AdmissionRow> wanted =
      admission_rows(hazards, context.tag_mode, context.capabilities);
  std::ranges::stable_sort(wanted, {}, &AdmissionRow::goes_on);
  const auto stands = [&](const AdmissionRow& row) {
    return std::ranges::any_of(rows_, [&](const Row& r) { return r.row == row; });
  };
  for (const AdmissionRow& row : wanted) {
    if (stands(row)) continue;
    auto handle = port_.create(row_rule(row, context));
    if (!handle) return tl::unexpected(handle.error());
    rows_.push_back({row, *handle});
  }
  for (std::size_t i = 0; i < rows_.size();) {
    if (std::ranges::find(wanted, rows_[i].row) != wanted.end()) {
      ++i;
      continue;
    }
    if (auto done = port_.destroy(rows_[i].handle); !done) return done;
    rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return {};
}

/// Leads all ports to `group`; make before break, at the other of two priorities.
FlowResult<void> Steering::enter(const Context& context, std::uint32_t group) {
  std::vector<FlowHandle> old = std::move(entrances_);
  entrances_.clear();
  entrance_priority_ ^= 1;
  for (const EthdevId ethdev : entrances(context)) {
    HwRule rule = blank(context, 0, entrance_priority_);
    name_port(rule, context, ethdev);
    rule.actions.add(RTE_FLOW_ACTION_TYPE_JUMP, rte_flow_action_jump{.group = group});
    auto handle = port_.create(rule);
    if (!handle) {
      entrances_.insert(entrances_.end(), old.begin(), old.end());
      return tl::unexpected(handle.error());
    }
    entrances_.push_back(*handle);
  }
  entered_ = group;
  const auto done = destroy_all(old);
  entrances_.insert(entrances_.end(), old.begin(), old.end());
  return done;
}

FlowResult<void> Steering::make_exits(const Context& context) {
  if (context.capabilities.punt != Punt::kPortRepresentor || !exits_.empty()) return {};
  for (const EthdevId ethdev : entrances(context)) {
    HwRule rule = blank(context, layout_.punt_group, 0);
    name_port(rule, context, ethdev);
    rule.actions.add(RTE_FLOW_ACTION_TYPE_PORT_REPRESENTOR,
                     rte_flow_action_ethdev{.port_id = to_integer(ethdev)});
    auto handle = port_.create(rule);
    if (!handle) return tl::unexpected(handle.error());
    exits_.push_back(*handle);
  }
  return {};
}

FlowResult<void> Steering::open(const Context& context, const HazardSet& hazards) {
  const auto run = [&]() -> FlowResult<void> {
    if (auto done = make_exits(context); !done) return done;
    if (auto done = admit(context, hazards); !done) return done;
    if (!layout_.has_groups) {
      // The pause ends, unless the port may not receive: then software sees, and drops, everything.
      return entrances(context).empty() ? FlowResult<void>{} : destroy_all(entrances_);
    }
    return enter(context, hazards.any() ? layout_.admission_group : layout_.base);
  };
  const auto done = run();
  is_open_ = done.has_value();
  if (!done) static_cast<void>(close(context));
  return done;
}

FlowResult<void> Steering::grow(const Context& context, const HazardSet& hazards) {
  if (!is_open_) return {};
  if (auto done = admit(context, hazards); !done) return done;
  if (!layout_.has_groups || entered_ == layout_.admission_group) return {};
  return enter(context, layout_.admission_group);
}

FlowResult<void> Steering::pause(const Context& context) {
  if (!entrances_.empty()) return {};
  HwRule rule = blank(context, 0, kPausePriority);
  add_punt(rule.actions, layout_, context.capabilities, 0);
  auto handle = port_.create(rule);
  if (!handle) return tl::unexpected(handle.error());
  entrances_.push_back(*handle);
  return {};
}

FlowResult<void> Steering::close(const Context& context) {
  is_open_ = false;
  return layout_.has_groups ? destroy_all(entrances_) : pause(context);
}

FlowResult<void> Steering::clear(const Context& context) {
  static_cast<void>(context);
  is_open_ = false;
  auto done = destroy_all(entrances_);
  std::erase_if(rows_, [&](Row& row) {
    auto gone = port_.destroy(row.handle);
    if (!gone) done = gone;
    return gone.has_value();
  });
  if (auto rest = destroy_all(exits_); !rest) done = rest;
  return done;
}

void Steering::forget() {
  entrances_.clear();
  rows_.clear();
  exits_.clear();
  is_open_ = false;
}

/// What cannot be destroyed stays in the list.
FlowResult<void> Steering::destroy_all(std::vector<FlowHandle>& handles) {
  FlowResult<void> result;
  std::erase_if(handles, [&](FlowHandle& handle) {
    auto done = port_.destroy(handle);
    if (!done) result = done;
    return done.has_value();
  });
  return result;
}

}  // namespace hoist::offload

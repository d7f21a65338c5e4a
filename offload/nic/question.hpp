// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>

#include "install/flow_port.hpp"
#include "nic/capabilities.hpp"
#include "translate/hw_rule.hpp"
#include "translate/port_item.hpp"

namespace hoist::offload {

/// Puts rules to a port as questions. The pattern and actions asked for are completed so that
/// nothing else could be the reason for a no.
class Question {
 public:
  Question(const FlowPort& port, const Capabilities& known, EthdevId ethdev)
      : port_(port), known_(known), ethdev_(ethdev) {}

  /// Whether the rule would be taken in `group` at `priority`.
  [[nodiscard]] bool ask(HwMatch match, const HwActions& actions, std::uint32_t group,
                         std::uint32_t priority = 0) const {
    HwRule rule{.group = group, .priority = priority, .is_transfer = is_transfer()};
    if (is_transfer()) put_any_port(match, known_.match_port);
    rule.match = match;
    rule.actions = actions;
    return port_.validate(rule).has_value();
  }
  /// The same in the group that rules will use.
  [[nodiscard]] bool ask(const HwMatch& match, const HwActions& actions) const {
    return ask(match, actions, rule_group());
  }
  [[nodiscard]] bool ask(const HwMatch& match) const { return ask(match, fate()); }

  [[nodiscard]] std::uint32_t rule_group() const { return known_.has(Feature::kGroups) ? 2 : 0; }
  [[nodiscard]] bool is_transfer() const { return known_.has(Feature::kTransfer); }
  [[nodiscard]] static HwMatch any() {
    HwMatch match;
    match.need(Layer::kEth, RTE_FLOW_ITEM_TYPE_ETH);
    return match;
  }

  /// A fate that the port is known to have.
  [[nodiscard]] HwActions fate() const {
    HwActions actions;
    add_fate(actions);
    return actions;
  }
  void add_fate(HwActions& actions) const {
    if (known_.output_port == PortOutput::kRepresentedPort) {
      actions.add(RTE_FLOW_ACTION_TYPE_REPRESENTED_PORT,
                  rte_flow_action_ethdev{.port_id = to_integer(ethdev_)});
    } else if (known_.output_port == PortOutput::kPortId) {
      rte_flow_action_port_id conf{};
      conf.id = to_integer(ethdev_);
      actions.add(RTE_FLOW_ACTION_TYPE_PORT_ID, conf);
    } else if (known_.has(Feature::kDrop)) {
      actions.add(RTE_FLOW_ACTION_TYPE_DROP);
    } else {
      actions.add(RTE_FLOW_ACTION_TYPE_QUEUE, rte_flow_action_queue{.index = 0});
    }
  }

 private:
  const FlowPort& port_;
  const Capabilities& known_;
  EthdevId ethdev_;
};

void probe_matches(const Question& question, Capabilities& out);  // probe_matches.cpp
void probe_actions(const Question& question, Capabilities& out);  // probe_actions.cpp

}  // namespace hoist::offload

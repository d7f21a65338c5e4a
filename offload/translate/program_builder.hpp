// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "translate/actions.hpp"

namespace hoist::offload {

/// Instructions on their way into hardware form, one action at a time. The first thing that has no
/// hardware form sets `refused`, and all that comes after is left.
struct ProgramBuilder {
  const Context& context;
  const Match& match;
  HwProgram program{};
  std::uint16_t eth_type = 0;  ///< Pinned down by the match; 0: not.
  std::uint8_t ip_proto = 0;
  TagForm tag = TagForm::kAgnostic;  ///< Of the packet as changed so far.
  bool has_pushed = false;
  bool has_vid = false;  ///< Since the push.
  bool has_pcp = false;
  std::optional<std::uint8_t> ttl;  ///< Where it is known.
  bool has_dec_ttl = false;
  bool has_fate = false;
  std::optional<Refused> refused;

  void refuse(Refusal refusal, const Reason& what) {
    if (!refused) refused = Refused{refusal, what};
  }
  /// "action: X runs in software".
  void refuse_action(const std::string& name) {
    refuse(Refusal::kActionUnsupported, "action: " + name + " runs in software");
  }
  /// "action: X has no hardware form on p1".
  void refuse_on_port(const std::string& name) {
    refuse(Refusal::kActionUnsupported,
           "action: " + name + " has no hardware form on " + context.ports.label);
  }
  [[nodiscard]] bool can(IrregularAction action) const {
    return context.capabilities.actions.test(row_index(action));
  }
  template <class... Conf>
  void emit(rte_flow_action_type type, const Conf&... conf) {
    if (!program.rewrites.add(type, conf...)) refuse_on_port("so long an action list");
  }
};

void rewrite(ProgramBuilder& builder, const SetFieldAction& action);    // rewrite.cpp
void rewrite_ttl(ProgramBuilder& builder, std::uint8_t ttl);            // rewrite.cpp
void decrement_ttl(ProgramBuilder& builder);                            // dec_ttl.cpp
void push_vlan(ProgramBuilder& builder, std::uint16_t ethertype);       // vlan_actions.cpp
void pop_vlan(ProgramBuilder& builder);                                 // vlan_actions.cpp
void set_vlan_vid(ProgramBuilder& builder, std::uint16_t vid);          // vlan_actions.cpp
void set_vlan_pcp(ProgramBuilder& builder, std::uint8_t pcp);           // vlan_actions.cpp
void finish_vlan(ProgramBuilder& builder);                              // vlan_actions.cpp
void output(ProgramBuilder& builder, PortNo port);                      // output.cpp
void meter(ProgramBuilder& builder, const RuleSpec& rule, MeterId id);  // meter.cpp

}  // namespace hoist::offload

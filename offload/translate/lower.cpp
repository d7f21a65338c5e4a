// SPDX-License-Identifier: BSD-3-Clause
#include "translate/lower.hpp"

#include <span>

#include "meter/meter_book.hpp"
#include "translate/port_item.hpp"

namespace hoist::offload {
namespace {

HwRule start(const Context& context, const Position& position, std::uint32_t priority,
             const HwMatch& match) {
  HwRule rule{.group = position.layout.group(position.table_id),
              .priority = priority,
              .is_transfer = context.capabilities.has(Feature::kTransfer),
              .match = match};
  if (rule.is_transfer) put_any_port(rule.match, context.capabilities.match_port);
  return rule;
}

void add_count(HwRule& rule) {
  rule.counts = rule.actions.add(RTE_FLOW_ACTION_TYPE_COUNT, rte_flow_action_count{});
}

void add_fate(HwActions& actions, const HwFate& fate, const Context& context,
              const Layout& layout) {
  switch (fate.kind) {
    case HwFate::Kind::kDrop:
      actions.add(RTE_FLOW_ACTION_TYPE_DROP);
      return;
    case HwFate::Kind::kTable:
      actions.add(RTE_FLOW_ACTION_TYPE_JUMP,
                  rte_flow_action_jump{.group = layout.group(fate.table_id)});
      return;
    case HwFate::Kind::kPort:
      break;
  }
  if (context.capabilities.output_port == PortOutput::kPortId) {
    rte_flow_action_port_id conf{};
    conf.id = to_integer(fate.ethdev);
    actions.add(RTE_FLOW_ACTION_TYPE_PORT_ID, conf);
  } else {
    actions.add(RTE_FLOW_ACTION_TYPE_REPRESENTED_PORT,
                rte_flow_action_ethdev{.port_id = to_integer(fate.ethdev)});
  }
}

/// Behind COUNT: what a meter drops has matched all the same.
void add_meter(HwRule& rule, const HwProgram& program, const Context& context) {
  if (!program.meter) return;
  rule.actions.add(RTE_FLOW_ACTION_TYPE_METER,
                   rte_flow_action_meter{.mtr_id = context.meters->number(*program.meter)});
}

/// The rule's own main rule.
HwRule main_rule(const HwMatch& match, const HwProgram& program, const Context& context,
                 const Position& position) {
  HwRule rule = start(context, position, position.layout.rule_priority(position.level), match);
  add_count(rule);
  add_meter(rule, program, context);
  for (const HwAction& action : std::span(program.rewrites.list).first(program.rewrites.count)) {
    rule.actions.list[rule.actions.count++] = action;
  }
  add_fate(rule.actions, program.fate, context, position.layout);
  return rule;
}

/// TTL 0 or 1: software decrements, and tells the controller.
HwRule ttl_guard(const HwMatch& match, std::uint8_t ttl, std::uint8_t mask, const Context& context,
                 const Position& position) {
  HwRule rule = start(context, position, position.layout.exception_priority(position.level), match);
  const bool is_ipv4 = match.at(Layer::kL3).type == RTE_FLOW_ITEM_TYPE_IPV4;
  const std::size_t offset =
      is_ipv4 ? offsetof(rte_ipv4_hdr, time_to_live) : offsetof(rte_ipv6_hdr, hop_limits);
  rule.match.put(Layer::kL3, offset, &ttl, &mask, 1);
  add_punt(rule.actions, position.layout, context.capabilities, position.table_mark);
  return rule;
}

void add_ttl_guards(std::vector<HwRule>& out, const HwMatch& match, const Context& context,
                    const Position& position) {
  if (can_mask_ttl(match, context.capabilities)) {
    out.push_back(ttl_guard(match, 0, 0xfe, context, position));
  } else {
    out.push_back(ttl_guard(match, 0, 0xff, context, position));
    out.push_back(ttl_guard(match, 1, 0xff, context, position));
  }
}

HwRule never_back(const HwMatch& match, const HwProgram& program, const Context& context,
                  const Position& position) {
  HwRule rule = start(context, position, position.layout.exception_priority(position.level), match);
  put_port(rule.match, context.capabilities.match_port, program.never_back);
  add_count(rule);
  add_meter(rule, program, context);
  rule.actions.add(RTE_FLOW_ACTION_TYPE_DROP);
  return rule;
}

}  // namespace

bool can_mask_ttl(const HwMatch& match, const Capabilities& capabilities) noexcept {
  for (std::size_t i = 0; i < kMatchRows.size(); ++i) {
    if (kMatchRows[i].field == FieldId::kIpTtl && kMatchRows[i].item == match.at(Layer::kL3).type) {
      return capabilities.match_masked.test(i);
    }
  }
  return false;
}

void add_punt(HwActions& actions, const Layout& layout, const Capabilities& capabilities,
              std::uint32_t mark) {
  if (mark != 0) actions.add(RTE_FLOW_ACTION_TYPE_MARK, rte_flow_action_mark{.id = mark});
  switch (capabilities.punt) {
    case Punt::kRss:
      actions.add(RTE_FLOW_ACTION_TYPE_RSS);
      return;
    case Punt::kPortRepresentor:
    case Punt::kEmptyGroup:
      actions.add(RTE_FLOW_ACTION_TYPE_JUMP, rte_flow_action_jump{.group = layout.punt_group});
      return;
    case Punt::kQueue:
    case Punt::kNone:
      actions.add(RTE_FLOW_ACTION_TYPE_QUEUE, rte_flow_action_queue{.index = 0});
      return;
  }
}

std::vector<HwRule> lower_full(const HwMatches& matches, const HwProgram& program,
                               const Context& context, const Position& position) {
  std::vector<HwRule> out;
  for (const HwMatch& match : std::span(matches.forms).first(matches.count)) {
    if (program.needs_ttl_guard) add_ttl_guards(out, match, context, position);
    if (program.never_back != EthdevId::kNone) {
      out.push_back(never_back(match, program, context, position));
    }
    out.push_back(main_rule(match, program, context, position));
  }
  return out;
}

std::vector<HwRule> lower_partial(const HwMatches& matches, const Context& context,
                                  const Position& position, std::uint32_t rule_mark) {
  std::vector<HwRule> out;
  for (const HwMatch& match : std::span(matches.forms).first(matches.count)) {
    HwRule rule = start(context, position, position.layout.rule_priority(position.level), match);
    add_count(rule);
    add_punt(rule.actions, position.layout, context.capabilities, rule_mark);
    out.push_back(rule);
  }
  return out;
}

std::vector<HwRule> lower_guard(const HwMatches& matches, const Context& context,
                                const Position& position) {
  std::vector<HwRule> out;
  for (const HwMatch& match : std::span(matches.forms).first(matches.count)) {
    HwRule rule = start(context, position, position.layout.rule_priority(position.level), match);
    add_punt(rule.actions, position.layout, context.capabilities, position.table_mark);
    out.push_back(rule);
  }
  return out;
}

HwRule lower_default(const Context& context, const Position& position) {
  HwMatch any;
  any.need(Layer::kEth, RTE_FLOW_ITEM_TYPE_ETH);
  HwRule rule = start(context, position, position.layout.default_priority, any);
  add_punt(rule.actions, position.layout, context.capabilities, position.table_mark);
  return rule;
}

}  // namespace hoist::offload

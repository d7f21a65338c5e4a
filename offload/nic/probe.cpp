// SPDX-License-Identifier: BSD-3-Clause
#include "nic/probe.hpp"

#include <rte_ethdev.h>
#include <rte_flow.h>

#include <algorithm>

#include "hoist/resume.hpp"
#include "nic/question.hpp"

namespace hoist::offload {
namespace {

/// More than anybody has; the search for limits begins here.
constexpr std::uint32_t kMostGroups = 1u << 16;
constexpr std::uint32_t kMostPriorities = 1u << 16;
constexpr std::uint32_t kLargestMark =
    (1u << (ResumeTable::kIndexBits + ResumeTable::kEpochBits)) - 1;

/// The greatest n up to `most` for which takes(n - 1); takes must be monotone. 0: none.
template <class Takes>
std::uint32_t greatest(std::uint32_t most, Takes takes) {
  std::uint32_t lo = 0;
  while (lo < most) {
    const std::uint32_t middle = lo + (most - lo + 1) / 2;
    if (takes(middle - 1)) {
      lo = middle;
    } else {
      most = middle - 1;
    }
  }
  return lo;
}

HwActions drop() {
  HwActions actions;
  actions.add(RTE_FLOW_ACTION_TYPE_DROP);
  return actions;
}

/// Transfer rules are worth having if they can tell ports apart and send to them.
void find_transfer(const FlowPort& port, EthdevId ethdev, Capabilities& out) {
  out.set(Feature::kTransfer);
  const Question question(port, out, ethdev);
  for (const PortMatch form : {PortMatch::kRepresentedPort, PortMatch::kPortId}) {
    HwMatch match = Question::any();
    put_port(match, form, ethdev);
    if (!question.ask(match, drop(), 0)) continue;
    out.match_port = form;
    break;
  }
  for (const PortOutput form : {PortOutput::kRepresentedPort, PortOutput::kPortId}) {
    out.output_port = form;
    HwMatch match = Question::any();
    if (out.match_port != PortMatch::kNone) put_port(match, out.match_port, ethdev);
    if (out.match_port != PortMatch::kNone && question.ask(match, question.fate(), 0)) return;
  }
  out.set(Feature::kTransfer, false);
  out.match_port = PortMatch::kNone;
  out.output_port = PortOutput::kNone;
}

void find_groups(const Question& question, Capabilities& out) {
  HwActions jump;
  jump.add(RTE_FLOW_ACTION_TYPE_JUMP, rte_flow_action_jump{.group = 1});
  const bool can_jump = question.ask(Question::any(), jump, 0);
  const bool can_stand = question.ask(Question::any(), question.fate(), 2);
  out.set(Feature::kGroups, can_jump && can_stand);
  if (!out.has(Feature::kGroups)) return;
  out.group_count = greatest(kMostGroups, [&](std::uint32_t group) {
    return question.ask(Question::any(), question.fate(), group);
  });
}

void find_priorities(const Question& question, Capabilities& out) {
  const auto count = [&](std::uint32_t group) {
    return greatest(kMostPriorities, [&](std::uint32_t priority) {
      return question.ask(Question::any(), question.fate(), group, priority);
    });
  };
  out.root_priority_count = std::max(1u, count(0));
  out.priority_count = out.has(Feature::kGroups) ? std::max(1u, count(2)) : out.root_priority_count;
}

void add_punt(HwActions& actions, Punt punt, EthdevId ethdev) {
  switch (punt) {
    case Punt::kQueue:
      actions.add(RTE_FLOW_ACTION_TYPE_QUEUE, rte_flow_action_queue{.index = 0});
      return;
    case Punt::kRss:
      actions.add(RTE_FLOW_ACTION_TYPE_RSS);
      return;
    case Punt::kPortRepresentor:
      actions.add(RTE_FLOW_ACTION_TYPE_PORT_REPRESENTOR,
                  rte_flow_action_ethdev{.port_id = to_integer(ethdev)});
      return;
    case Punt::kEmptyGroup:
      actions.add(RTE_FLOW_ACTION_TYPE_JUMP, rte_flow_action_jump{.group = 3});
      return;
    case Punt::kNone:
      return;
  }
}

void find_punt(const Question& question, const PortIdentity& port, Capabilities& out) {
  std::vector<Punt> forms;
  if (out.has(Feature::kTransfer)) {
    if (out.has(Feature::kGroups)) forms = {Punt::kPortRepresentor, Punt::kEmptyGroup};
  } else {
    forms = {Punt::kQueue};
    if (port.queue_count > 1) forms = {Punt::kRss, Punt::kQueue};
  }
  for (const Punt form : forms) {
    HwActions actions;
    add_punt(actions, form, port.ethdev);
    if (!question.ask(Question::any(), actions)) continue;
    out.punt = form;
    out.set(Feature::kToSoftware);
    break;
  }
  HwActions marked;
  marked.add(RTE_FLOW_ACTION_TYPE_MARK, rte_flow_action_mark{.id = kLargestMark});
  // Handing over is a JUMP for transfer rules (see Layout::punt_group).
  add_punt(marked, out.has(Feature::kTransfer) ? Punt::kEmptyGroup : out.punt, port.ethdev);
  out.set(Feature::kMark, out.has(Feature::kToSoftware) && question.ask(Question::any(), marked));
  out.mark_max = out.has(Feature::kMark) ? kLargestMark : 0;
}

void find_features(const Question& question, Capabilities& out) {
  out.set(Feature::kDrop, question.ask(Question::any(), drop()));
  HwActions count;
  count.add(RTE_FLOW_ACTION_TYPE_COUNT, rte_flow_action_count{});
  question.add_fate(count);
  out.set(Feature::kCount, question.ask(Question::any(), count));
  out.set(Feature::kMatchEthOnly, question.ask(Question::any()));
}

}  // namespace

PortIdentity identify(EthdevId ethdev) {
  PortIdentity out{.ethdev = ethdev, .proxy = ethdev, .domain_id = std::nullopt};
  rte_eth_dev_info info{};
  if (rte_eth_dev_info_get(to_integer(ethdev), &info) != 0) return out;
  out.queue_count = info.nb_rx_queues;
  if (info.switch_info.domain_id != RTE_ETH_DEV_SWITCH_DOMAIN_ID_INVALID) {
    out.domain_id = info.switch_info.domain_id;
  }
  std::uint16_t proxy = 0;
  rte_flow_error error{};
  if (rte_flow_pick_transfer_proxy(to_integer(ethdev), &proxy, &error) == 0)
    out.proxy = EthdevId{proxy};
  return out;
}

Capabilities probe(const PortIdentity& port) {
  Capabilities out;
  for (std::uint16_t i = 0; i < port.queue_count; ++i) out.queues.push_back(i);
  const FlowPort proxy(port.proxy, out.queues);
  if (port.domain_id) find_transfer(proxy, port.ethdev, out);
  const FlowPort own(out.has(Feature::kTransfer) ? port.proxy : port.ethdev, out.queues);
  const Question question(own, out, port.ethdev);
  out.set(Feature::kDrop, question.ask(Question::any(), drop(), 0));  // for fate()
  find_groups(question, out);
  find_features(question, out);
  find_priorities(question, out);
  find_punt(question, port, out);
  if (!out.is_usable()) return out;
  probe_matches(question, out);
  probe_actions(question, out);
  return out;
}

}  // namespace hoist::offload

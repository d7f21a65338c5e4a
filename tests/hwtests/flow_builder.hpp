// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_flow.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace emulated_nic::test {

/// An rte_flow rule, built item by item; owns copies of specs, masks and configurations.
class Flow {
 public:
  static Flow ingress(std::uint32_t group = 0, std::uint32_t priority = 0) {
    Flow flow;
    flow.attr_ = {.group = group, .priority = priority, .ingress = 1};
    return flow;
  }
  static Flow transfer(std::uint32_t group = 0, std::uint32_t priority = 0) {
    Flow flow;
    flow.attr_ = {.group = group, .priority = priority, .transfer = 1};
    return flow;
  }

  Flow& item(rte_flow_item_type type) {
    items_.back().type = type;
    items_.push_back({.type = RTE_FLOW_ITEM_TYPE_END});
    return *this;
  }
  template <class Spec>
  Flow& item(rte_flow_item_type type, const Spec& spec) {
    items_.back().spec = keep(spec);
    return item(type);
  }
  template <class Spec>
  Flow& item(rte_flow_item_type type, const Spec& spec, const Spec& mask) {
    items_.back().mask = keep(mask);
    return item(type, spec);
  }
  template <class Spec>
  Flow& item(rte_flow_item_type type, const Spec& spec, const Spec& mask, const Spec& last) {
    items_.back().last = keep(last);
    return item(type, spec, mask);
  }
  Flow& eth() { return item(RTE_FLOW_ITEM_TYPE_ETH); }
  Flow& ipv4() { return item(RTE_FLOW_ITEM_TYPE_IPV4); }
  Flow& ipv6() { return item(RTE_FLOW_ITEM_TYPE_IPV6); }
  Flow& tcp() { return item(RTE_FLOW_ITEM_TYPE_TCP); }
  Flow& udp() { return item(RTE_FLOW_ITEM_TYPE_UDP); }
  Flow& from(std::uint16_t port) {
    return item(RTE_FLOW_ITEM_TYPE_REPRESENTED_PORT, rte_flow_item_ethdev{.port_id = port});
  }

  Flow& action(rte_flow_action_type type, const void* conf = nullptr) {
    actions_.back() = {.type = type, .conf = conf};
    actions_.push_back({.type = RTE_FLOW_ACTION_TYPE_END});
    return *this;
  }
  template <class Conf>
  Flow& action_with(rte_flow_action_type type, const Conf& conf) {
    return action(type, keep(conf));
  }
  Flow& count() { return action_with(RTE_FLOW_ACTION_TYPE_COUNT, rte_flow_action_count{}); }
  Flow& drop() { return action(RTE_FLOW_ACTION_TYPE_DROP); }
  Flow& mark(std::uint32_t id) {
    return action_with(RTE_FLOW_ACTION_TYPE_MARK, rte_flow_action_mark{.id = id});
  }
  Flow& queue(std::uint16_t index) {
    return action_with(RTE_FLOW_ACTION_TYPE_QUEUE, rte_flow_action_queue{.index = index});
  }
  Flow& jump(std::uint32_t group) {
    return action_with(RTE_FLOW_ACTION_TYPE_JUMP, rte_flow_action_jump{.group = group});
  }
  Flow& to(std::uint16_t port) {
    return action_with(RTE_FLOW_ACTION_TYPE_REPRESENTED_PORT, rte_flow_action_ethdev{port});
  }

  /// -errno, or 0.
  int validate(std::uint16_t port, rte_flow_error& error) const {
    return rte_flow_validate(port, &attr_, items_.data(), actions_.data(), &error);
  }
  rte_flow* create(std::uint16_t port, rte_flow_error& error) const {
    return rte_flow_create(port, &attr_, items_.data(), actions_.data(), &error);
  }
  rte_flow* create(std::uint16_t port) const {
    rte_flow_error error{};
    return create(port, error);
  }
  [[nodiscard]] const rte_flow_item& item_at(std::size_t index) const { return items_[index]; }
  [[nodiscard]] const rte_flow_action& action_at(std::size_t index) const {
    return actions_[index];
  }
  rte_flow_attr& attr() { return attr_; }
  [[nodiscard]] const rte_flow_item* items() const { return items_.data(); }
  [[nodiscard]] const rte_flow_action* actions() const { return actions_.data(); }

  template <class T>
  const void* keep(const T& value) {
    kept_.push_back(std::make_shared<const T>(value));
    return kept_.back().get();
  }

 private:
  rte_flow_attr attr_{};
  std::vector<rte_flow_item> items_{{.type = RTE_FLOW_ITEM_TYPE_END}};
  std::vector<rte_flow_action> actions_{{.type = RTE_FLOW_ACTION_TYPE_END}};
  std::vector<std::shared_ptr<const void>> kept_;  ///< Shared by copies of the rule.
};

}  // namespace emulated_nic::test

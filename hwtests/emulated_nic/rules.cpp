// SPDX-License-Identifier: BSD-3-Clause
#include <rte_cycles.h>

#include "nic.hpp"

namespace emulated_nic {
namespace {

std::uint64_t number_of(const void* handle) {
  return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(handle));
}

}  // namespace

Answer<bool> Nic::check_attributes(std::uint16_t port_id, const rte_flow_attr* attr) const {
  const auto no = [&](int code, rte_flow_error_type type, const char* message) {
    return refuse(code, type, attr, message);
  };
  if (attr == nullptr) return no(EINVAL, RTE_FLOW_ERROR_TYPE_ATTR, "no attributes");
  if (!ports_[port_id].is_started) {
    return no(ENODEV, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, "port is not started");
  }
  if (attr->egress) return no(ENOTSUP, RTE_FLOW_ERROR_TYPE_ATTR_EGRESS, "egress not supported");
  if (attr->transfer && !profile_.has_transfer) {
    return no(ENOTSUP, RTE_FLOW_ERROR_TYPE_ATTR_TRANSFER, "transfer not supported");
  }
  if (!attr->transfer && !attr->ingress) {
    return no(EINVAL, RTE_FLOW_ERROR_TYPE_ATTR_INGRESS, "neither ingress nor transfer");
  }
  if (attr->group > profile_.group_max) {
    return no(EINVAL, RTE_FLOW_ERROR_TYPE_ATTR_GROUP, "no such group");
  }
  const std::uint32_t levels =
      attr->group == 0 && !attr->transfer ? profile_.root_priorities : profile_.priorities;
  if (attr->priority >= levels) {
    return no(ENOTSUP, RTE_FLOW_ERROR_TYPE_ATTR_PRIORITY, "priority out of range");
  }
  return true;
}

Answer<Nic::Compiled> Nic::compile(std::uint16_t port_id, const rte_flow_attr* attr,
                                   const rte_flow_item* items, const rte_flow_action* actions) {
  if (auto fine = check_attributes(port_id, attr); !fine) return tl::unexpected(fine.error());
  auto pattern = compile_pattern(profile_, port_id, *attr, items);
  if (!pattern) return tl::unexpected(pattern.error());
  const ActionScope scope{.profile = profile_,
                          .port = port_id,
                          .rx_queue_count = static_cast<std::uint16_t>(ports_[port_id].rx.size()),
                          .attr = *attr,
                          .pattern = *pattern,
                          .is_port = [](std::uint16_t id) {
                            return rte_eth_dev_is_valid_port(id) != 0 && instance().covers(id);
                          }};
  auto program = compile_actions(scope, actions);
  if (!program) return tl::unexpected(program.error());
  if (auto linked = link(*attr, port_id, *program); !linked) {
    return tl::unexpected(linked.error());
  }
  return Compiled{std::move(*pattern), std::move(*program)};
}

Answer<bool> Nic::link(const rte_flow_attr& attr, std::uint16_t port_id, Program& program) {
  for (Op& op : program.ops) {
    if (op.kind == OpKind::kJump) op.target = &group(port_id, attr.transfer != 0, op.number);
    Answer<bool> linked = true;
    if (op.kind == OpKind::kMeter) linked = link_meter(port_id, op);
    if (op.kind == OpKind::kIndirect) linked = link_indirect(op);
    if (!linked) return linked;
  }
  if (program.extras == nullptr || program.extras->sample == nullptr) return true;
  return link(attr, port_id, *program.extras->sample);
}

void Nic::spend_insertion_time() {
  std::uint64_t us;
  {
    const std::lock_guard guard(api_);
    us = profile_.insertion_us;
  }
  if (us != 0) rte_delay_us_sleep(static_cast<unsigned>(us));  // Packets flow meanwhile.
}

Answer<bool> Nic::ask_hook(bool is_create) {
  const int code = hook_ == nullptr ? 0 : hook_(hook_context_, is_create ? 1 : 0);
  if (code == 0) return true;
  count(books_.injected);
  return refuse(code, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, nullptr, "failure by the hook");
}

Answer<bool> Nic::link_meter(std::uint16_t port_id, Op& op) const {
  Meter* meter = meters_[port_id].find(op.number);
  if (meter == nullptr) {
    return refuse(ENOENT, RTE_FLOW_ERROR_TYPE_ACTION_CONF, nullptr, "no such meter on the port");
  }
  if (!meter->is_shared && meter->user_count != 0) {
    return refuse(EBUSY, RTE_FLOW_ERROR_TYPE_ACTION_CONF, nullptr, "the meter is not shared");
  }
  op.target = meter;
  return true;
}

Answer<bool> Nic::check_room(const Group& group, const Program& program) const {
  const std::uint64_t room = group.id() == 0 ? profile_.room_root : profile_.room_group;
  if (active_count_ >= profile_.room_total || group.size() >= room) {
    return refuse(ENOSPC, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, nullptr, "no room for the rule");
  }
  if (program.has_count && counter_count_ >= profile_.room_counters) {
    return refuse(ENOMEM, RTE_FLOW_ERROR_TYPE_ACTION, nullptr, "no counter left");
  }
  return true;
}

Answer<bool> Nic::inject_fault() {
  const std::uint64_t nth = books_.creates.fetch_add(1, std::memory_order_relaxed) + 1;
  for (const CreateFault& fault : profile_.create_faults) {
    if (nth < fault.nth || nth - fault.nth >= fault.count) continue;
    count(books_.injected);
    return refuse(fault.code, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, nullptr, "failure by the script");
  }
  return true;
}

Answer<bool> Nic::validate(std::uint16_t port_id, const rte_flow_attr* attr,
                           const rte_flow_item* items, const rte_flow_action* actions) {
  const std::lock_guard guard(api_);
  const auto compiled = compile(port_id, attr, items, actions);
  if (compiled) return true;
  count(books_.refusals);
  return tl::unexpected(compiled.error());
}

Answer<rte_flow*> Nic::create(std::uint16_t port_id, const rte_flow_attr* attr,
                              const rte_flow_item* items, const rte_flow_action* actions) {
  spend_insertion_time();
  if (auto asked = ask_hook(true); !asked) return tl::unexpected(asked.error());
  const Exclusive exclusive(*this);
  const auto handle = prepare_locked(port_id, attr, items, actions);
  if (!handle) return tl::unexpected(handle.error());
  if (const auto active = activate_locked(*rules_.find(*handle)); !active) {
    rules_.remove(*handle);
    return tl::unexpected(active.error());
  }
  return reinterpret_cast<rte_flow*>(static_cast<std::uintptr_t>(*handle));
}

Answer<std::uint64_t> Nic::prepare(std::uint16_t port_id, const rte_flow_attr* attr,
                                   const rte_flow_item* items, const rte_flow_action* actions) {
  const Exclusive exclusive(*this);
  return prepare_locked(port_id, attr, items, actions);
}

Answer<bool> Nic::activate(std::uint16_t port_id, std::uint64_t handle) {
  spend_insertion_time();
  if (auto asked = ask_hook(true); !asked) return asked;
  const Exclusive exclusive(*this);
  const auto rule = find(port_id, handle);
  if (!rule) return tl::unexpected(rule.error());
  return activate_locked(**rule);
}

Answer<std::uint64_t> Nic::prepare_locked(std::uint16_t port_id, const rte_flow_attr* attr,
                                          const rte_flow_item* items,
                                          const rte_flow_action* actions) {
  auto compiled = compile(port_id, attr, items, actions);
  if (!compiled) {
    count(books_.refusals);
    return tl::unexpected(compiled.error());
  }
  auto rule = std::make_unique<Rule>();
  rule->priority = attr->priority;
  rule->port = port_id;
  rule->is_transfer = attr->transfer != 0;
  rule->group = &group(port_id, rule->is_transfer, attr->group);
  rule->shape = &rule->group->shape_for(compiled->pattern.mask);
  rule->shape->prepare(compiled->pattern.value, *rule);
  rule->program = std::move(compiled->program);
  return rules_.add(std::move(rule));
}

Answer<bool> Nic::activate_locked(Rule& rule) {
  if (auto fault = inject_fault(); !fault) return fault;
  if (auto room = check_room(*rule.group, rule.program); !room) {
    count(books_.out_of_room);
    return room;
  }
  if (!profile_.accepts_duplicates && rule.shape->find_duplicate(rule) != nullptr) {
    count(books_.refusals);
    return refuse(EEXIST, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, nullptr, "the rule exists");
  }
  rule.sequence = next_sequence_++;
  if (rule.program.has_age) rule.last_hit_ms = now_ms();
  if (rule.program.has_count) ++counter_count_;
  change_users(rule, 1);
  rule.group->insert(rule);
  rule.is_active = true;
  ++active_count_;
  return true;
}

void Nic::change_users(const Rule& rule, std::uint64_t by) {
  for (const Op& op : rule.program.ops) {
    if (op.kind == OpKind::kSharedCount || op.kind == OpKind::kSharedAge) {
      static_cast<Indirect*>(op.target)->user_count += by;
    }
    if (op.kind == OpKind::kMeter) static_cast<Meter*>(op.target)->user_count += by;
  }
}

Answer<bool> Nic::check_handle(std::uint16_t port_id, std::uint64_t handle) {
  const std::lock_guard guard(api_);
  const auto rule = find(port_id, handle);
  if (!rule) return tl::unexpected(rule.error());
  return true;
}

void Nic::set_table(std::uint64_t handle, std::uint64_t* rules_of_table) {
  const std::lock_guard guard(api_);
  rules_.find(handle)->rules_of_table = rules_of_table;
  ++*rules_of_table;
}

void Nic::unlink(Rule& rule) {
  if (rule.rules_of_table != nullptr) --*rule.rules_of_table;
  if (!rule.is_active) return;
  rule.is_active = false;
  --active_count_;
  rule.group->remove(rule);
  if (rule.program.has_count) --counter_count_;
  change_users(rule, ~std::uint64_t{0});  // -1.
}

void Nic::lose_newest(std::uint64_t count) {
  const Exclusive exclusive(*this);
  for (; count != 0 && active_count_ != 0; --count) {
    Rule* newest = nullptr;
    rules_.for_each([&](std::uint64_t, Rule& rule) {
      if (!rule.is_active) return;
      if (newest == nullptr || rule.sequence > newest->sequence) newest = &rule;
    });
    unlink(*newest);
    newest->is_lost = true;
  }
}

Answer<bool> Nic::check_present(const Rule& rule) {
  if (!rule.is_lost) return true;
  return refuse(ENOENT, RTE_FLOW_ERROR_TYPE_HANDLE, nullptr, "the rule is not in the NIC");
}

Answer<Rule*> Nic::find(std::uint16_t port_id, std::uint64_t handle) {
  Rule* rule = rules_.find(handle);
  if (rule != nullptr && rule->port == port_id) return rule;
  count(books_.stale_touches);
  std::fprintf(
      stderr,
      "emulated NIC: port %u: flow handle %#llx is used, but %s. On a real NIC this reads or "
      "frees memory that is somebody else's.\n",
      port_id, static_cast<unsigned long long>(handle),
      rule == nullptr ? "it is gone or was never given" : "it belongs to another port");
  return refuse(EINVAL, RTE_FLOW_ERROR_TYPE_HANDLE,
                reinterpret_cast<const void*>(static_cast<std::uintptr_t>(handle)),
                "stale flow handle");
}

Answer<bool> Nic::destroy(std::uint16_t port_id, std::uint64_t handle) {
  if (auto asked = ask_hook(false); !asked) return asked;
  const Exclusive exclusive(*this);
  auto rule = find(port_id, handle);
  if (!rule) return tl::unexpected(rule.error());
  unlink(**rule);
  rules_.remove(handle);
  count(books_.destroys);
  return true;
}

Answer<bool> Nic::flush(std::uint16_t port_id) {
  const Exclusive exclusive(*this);
  rules_.for_each([&](std::uint64_t handle, Rule& rule) {
    if (rule.port != port_id) return;
    unlink(rule);
    rules_.remove(handle);
    count(books_.destroys);
  });
  return true;
}

Answer<bool> Nic::query(std::uint16_t port_id, rte_flow* flow, const rte_flow_action* actions,
                        void* data) {
  const std::lock_guard guard(api_);
  auto found = find(port_id, number_of(flow));
  if (!found) return tl::unexpected(found.error());
  Rule& rule = **found;
  if (auto present = check_present(rule); !present) return present;
  for (; actions->type != RTE_FLOW_ACTION_TYPE_END; ++actions) {
    if (actions->type == RTE_FLOW_ACTION_TYPE_VOID) continue;
    if (actions->type == RTE_FLOW_ACTION_TYPE_COUNT && rule.program.has_count) {
      auto& result = *static_cast<rte_flow_query_count*>(data);
      const std::uint64_t packets = rule.hits.packets.load(std::memory_order_relaxed);
      const std::uint64_t bytes = rule.hits.bytes.load(std::memory_order_relaxed);
      result.hits_set = 1;
      result.bytes_set = 1;
      result.hits = packets - rule.queried_packets;
      result.bytes = bytes - rule.queried_bytes;
      if (!result.reset) continue;
      rule.queried_packets = packets;
      rule.queried_bytes = bytes;
    } else if (actions->type == RTE_FLOW_ACTION_TYPE_AGE && rule.program.has_age) {
      auto& result = *static_cast<rte_flow_query_age*>(data);
      const std::uint64_t idle_s =
          (now_ms() - rule.last_hit_ms.load(std::memory_order_relaxed)) / 1000;
      result.sec_since_last_hit_valid = 1;
      result.sec_since_last_hit = static_cast<std::uint32_t>(idle_s) & 0xffffff;
      result.aged = idle_s >= rule.program.age_timeout_s ? 1 : 0;
    } else {
      return refuse(ENOTSUP, RTE_FLOW_ERROR_TYPE_ACTION, actions, "the rule has no such action");
    }
  }
  return true;
}

Answer<bool> Nic::isolate(std::uint16_t port_id, bool on) {
  const Exclusive exclusive(*this);
  if (ports_[port_id].is_started) {
    return refuse(EBUSY, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, nullptr, "port must be stopped first");
  }
  ports_[port_id].is_isolated = on;
  return true;
}

Answer<int> Nic::aged(std::uint16_t port_id, void** contexts, std::uint32_t count_max) {
  const std::lock_guard guard(api_);
  int found = 0;
  const auto add = [&](void* context, bool& is_told) {
    if (contexts != nullptr) {
      if (static_cast<std::uint32_t>(found) >= count_max) return;
      contexts[found] = context;
      is_told = true;
    }
    ++found;
  };
  const auto is_old = [now = now_ms()](std::uint64_t last_ms, std::uint32_t timeout_s) {
    return now - last_ms >= std::uint64_t{timeout_s} * 1000;
  };
  rules_.for_each([&](std::uint64_t handle, Rule& rule) {
    if (rule.port != port_id || !rule.program.has_age) return;
    if (!is_old(rule.last_hit_ms, rule.program.age_timeout_s)) {
      rule.is_aged = false;
    } else if (!rule.is_aged) {
      void* context = rule.program.age_context;
      if (context == nullptr)
        context = reinterpret_cast<void*>(static_cast<std::uintptr_t>(handle));
      add(context, rule.is_aged);
    }
  });
  indirects_.for_each([&](std::uint64_t handle, Indirect& age) {
    if (age.port != port_id || age.kind != Indirect::Kind::kAge) return;
    if (!is_old(age.last_hit_ms, age.timeout_s)) {
      age.is_aged = false;
    } else if (!age.is_aged && age.user_count != 0) {
      void* context = age.context;
      if (context == nullptr)
        context = reinterpret_cast<void*>(static_cast<std::uintptr_t>(handle));
      add(context, age.is_aged);
    }
  });
  return found;
}

}  // namespace emulated_nic

// SPDX-License-Identifier: BSD-3-Clause
#include "nic.hpp"

namespace emulated_nic {
namespace {

std::uint64_t number_of(const void* handle) {
  return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(handle));
}

}  // namespace

Answer<Indirect*> Nic::find_indirect(const rte_flow_action_handle* handle) {
  Indirect* indirect = indirects_.find(number_of(handle));
  if (indirect != nullptr) return indirect;
  count(books_.stale_touches);
  std::fprintf(stderr, "emulated NIC: indirect action %p is used, but it is gone.\n",
               static_cast<const void*>(handle));
  return refuse(EINVAL, RTE_FLOW_ERROR_TYPE_ACTION_CONF, handle, "stale indirect action");
}

Answer<bool> Nic::link_indirect(Op& op) {
  auto indirect = find_indirect(static_cast<const rte_flow_action_handle*>(op.target));
  if (!indirect) return tl::unexpected(indirect.error());
  const bool is_count = (*indirect)->kind == Indirect::Kind::kCount;
  op.kind = is_count ? OpKind::kSharedCount : OpKind::kSharedAge;
  op.target = *indirect;
  return true;
}

Answer<rte_flow_action_handle*> Nic::create_indirect(std::uint16_t port_id,
                                                     const rte_flow_action& action) {
  const Exclusive exclusive(*this);
  if (!ports_[port_id].is_started) {
    return refuse(ENODEV, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, nullptr, "port is not started");
  }
  const auto index = static_cast<std::size_t>(action.type);
  const ActionSet known = profile_.ingress_actions | profile_.transfer_actions;
  const bool is_count = action.type == RTE_FLOW_ACTION_TYPE_COUNT;
  const bool is_age = action.type == RTE_FLOW_ACTION_TYPE_AGE && action.conf != nullptr;
  if (!known.test(RTE_FLOW_ACTION_TYPE_INDIRECT) || !known.test(index) || (!is_count && !is_age)) {
    return refuse(ENOTSUP, RTE_FLOW_ERROR_TYPE_ACTION, &action, "not supported as indirect action");
  }
  if (is_count && counter_count_ >= profile_.room_counters) {
    return refuse(ENOMEM, RTE_FLOW_ERROR_TYPE_ACTION, &action, "no counter left");
  }
  auto indirect = std::make_unique<Indirect>();
  indirect->port = port_id;
  if (is_count) {
    ++counter_count_;
  } else {
    const auto& age = *static_cast<const rte_flow_action_age*>(action.conf);
    indirect->kind = Indirect::Kind::kAge;
    indirect->timeout_s = age.timeout;
    indirect->context = age.context;
    indirect->last_hit_ms = now_ms();
  }
  const std::uint64_t handle = indirects_.add(std::move(indirect));
  return reinterpret_cast<rte_flow_action_handle*>(static_cast<std::uintptr_t>(handle));
}

Answer<bool> Nic::destroy_indirect(std::uint16_t, rte_flow_action_handle* handle) {
  const Exclusive exclusive(*this);
  auto indirect = find_indirect(handle);
  if (!indirect) return tl::unexpected(indirect.error());
  if ((*indirect)->user_count != 0) {
    return refuse(EBUSY, RTE_FLOW_ERROR_TYPE_ACTION, nullptr, "indirect action is in use");
  }
  if ((*indirect)->kind == Indirect::Kind::kCount) --counter_count_;
  indirects_.remove(number_of(handle));
  return true;
}

Answer<bool> Nic::update_indirect(std::uint16_t, rte_flow_action_handle* handle,
                                  const void* update) {
  const Exclusive exclusive(*this);
  auto indirect = find_indirect(handle);
  if (!indirect) return tl::unexpected(indirect.error());
  const auto* action = static_cast<const rte_flow_action*>(update);
  if ((*indirect)->kind != Indirect::Kind::kAge || action == nullptr ||
      action->type != RTE_FLOW_ACTION_TYPE_AGE || action->conf == nullptr) {
    return refuse(ENOTSUP, RTE_FLOW_ERROR_TYPE_ACTION, nullptr, "this action has no update");
  }
  const auto& age = *static_cast<const rte_flow_action_age*>(action->conf);
  (*indirect)->timeout_s = age.timeout;
  return true;
}

Answer<bool> Nic::query_indirect(std::uint16_t, const rte_flow_action_handle* handle, void* data) {
  const std::lock_guard guard(api_);
  auto found = find_indirect(handle);
  if (!found) return tl::unexpected(found.error());
  Indirect& indirect = **found;
  if (indirect.kind == Indirect::Kind::kAge) {
    auto& result = *static_cast<rte_flow_query_age*>(data);
    const std::uint64_t idle_s =
        (now_ms() - indirect.last_hit_ms.load(std::memory_order_relaxed)) / 1000;
    result.sec_since_last_hit_valid = 1;
    result.sec_since_last_hit = static_cast<std::uint32_t>(idle_s) & 0xffffff;
    result.aged = idle_s >= indirect.timeout_s ? 1 : 0;
    return true;
  }
  auto& result = *static_cast<rte_flow_query_count*>(data);
  const std::uint64_t packets = indirect.hits.packets.load(std::memory_order_relaxed);
  const std::uint64_t bytes = indirect.hits.bytes.load(std::memory_order_relaxed);
  result.hits_set = 1;
  result.bytes_set = 1;
  result.hits = packets - indirect.queried_packets;
  result.bytes = bytes - indirect.queried_bytes;
  if (!result.reset) return true;
  indirect.queried_packets = packets;
  indirect.queried_bytes = bytes;
  return true;
}

}  // namespace emulated_nic

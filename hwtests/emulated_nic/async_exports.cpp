// SPDX-License-Identifier: BSD-3-Clause
// The queue-based rte_flow functions, as DPDK declares them.
#include <rte_flow.h>

#include "nic.hpp"

using emulated_nic::Answer;
using emulated_nic::AsyncPort;
using emulated_nic::Nic;

namespace {

template <class Handle>
std::uint64_t number_of(const Handle* handle) {
  return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(handle));
}
template <class Handle>
Handle* pointer_to(std::uint64_t number) {
  return reinterpret_cast<Handle*>(static_cast<std::uintptr_t>(number));
}

/// request(engine) of the port; -errno, or its answer as a number (true: 0).
template <class Request>
int ask(std::uint16_t port_id, rte_flow_error* error, Request request) {
  Nic& nic = Nic::instance();
  if (!nic.covers(port_id)) {
    return rte_flow_error_set(error, ENODEV, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, nullptr,
                              "not a port of the emulated NIC");
  }
  const auto answer = request(nic.async(port_id));
  if (!answer) return emulated_nic::report(answer.error(), error);
  if constexpr (std::is_same_v<std::remove_cvref_t<decltype(*answer)>, bool>) return 0;
  return static_cast<int>(*answer);
}

/// The handle that request(engine) gives, or null.
template <class Handle, class Request>
Handle* make(std::uint16_t port_id, rte_flow_error* error, Request request) {
  Handle* made = nullptr;
  ask(port_id, error, [&](AsyncPort& engine) -> Answer<bool> {
    const Answer<std::uint64_t> handle = request(engine);
    if (!handle) return tl::unexpected(handle.error());
    made = pointer_to<Handle>(*handle);
    return true;
  });
  return made;
}

template <class Handle>
std::vector<std::uint64_t> numbers(Handle* const* handles, std::uint8_t count) {
  std::vector<std::uint64_t> result;
  for (std::uint8_t i = 0; i < count; ++i) result.push_back(number_of(handles[i]));
  return result;
}

bool is_postponed(const rte_flow_op_attr* attr) { return attr != nullptr && attr->postpone != 0; }

}  // namespace

extern "C" {

int rte_flow_info_get(uint16_t port_id, struct rte_flow_port_info* port_info,
                      struct rte_flow_queue_info* queue_info, struct rte_flow_error* error) {
  return ask(port_id, error, [&](AsyncPort&) -> Answer<bool> {
    const auto& profile = Nic::instance().profile();
    if (!profile.has_queues) {
      return emulated_nic::refuse(ENOTSUP, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, nullptr,
                                  "no queues for rules");
    }
    const auto capped = [](std::uint64_t value) {
      return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, UINT32_MAX));
    };
    *port_info = {};
    port_info->max_nb_queues = 64;
    port_info->max_nb_counters = capped(profile.room_counters);
    port_info->max_nb_meters = capped(profile.meter_max);
    if (queue_info != nullptr) queue_info->max_size = 65536;
    return true;
  });
}

int rte_flow_configure(uint16_t port_id, const struct rte_flow_port_attr* port_attr,
                       uint16_t nb_queue, const struct rte_flow_queue_attr* queue_attr[],
                       struct rte_flow_error* error) {
  return ask(port_id, error, [&](AsyncPort& engine) {
    return engine.configure(port_attr == nullptr ? rte_flow_port_attr{} : *port_attr, nb_queue,
                            queue_attr);
  });
}

struct rte_flow_pattern_template* rte_flow_pattern_template_create(
    uint16_t port_id, const struct rte_flow_pattern_template_attr* template_attr,
    const struct rte_flow_item pattern[], struct rte_flow_error* error) {
  return make<rte_flow_pattern_template>(port_id, error, [&](AsyncPort& engine) {
    return engine.add_pattern(*template_attr, pattern);
  });
}

int rte_flow_pattern_template_destroy(uint16_t port_id,
                                      struct rte_flow_pattern_template* pattern_template,
                                      struct rte_flow_error* error) {
  return ask(port_id, error,
             [&](AsyncPort& engine) { return engine.remove_pattern(number_of(pattern_template)); });
}

struct rte_flow_actions_template* rte_flow_actions_template_create(
    uint16_t port_id, const struct rte_flow_actions_template_attr* template_attr,
    const struct rte_flow_action actions[], const struct rte_flow_action masks[],
    struct rte_flow_error* error) {
  return make<rte_flow_actions_template>(port_id, error, [&](AsyncPort& engine) {
    return engine.add_actions(*template_attr, actions, masks);
  });
}

int rte_flow_actions_template_destroy(uint16_t port_id,
                                      struct rte_flow_actions_template* actions_template,
                                      struct rte_flow_error* error) {
  return ask(port_id, error,
             [&](AsyncPort& engine) { return engine.remove_actions(number_of(actions_template)); });
}

struct rte_flow_template_table* rte_flow_template_table_create(
    uint16_t port_id, const struct rte_flow_template_table_attr* table_attr,
    struct rte_flow_pattern_template* pattern_templates[], uint8_t nb_pattern_templates,
    struct rte_flow_actions_template* actions_templates[], uint8_t nb_actions_templates,
    struct rte_flow_error* error) {
  return make<rte_flow_template_table>(port_id, error, [&](AsyncPort& engine) {
    return engine.add_table(*table_attr, numbers(pattern_templates, nb_pattern_templates),
                            numbers(actions_templates, nb_actions_templates));
  });
}

int rte_flow_template_table_destroy(uint16_t port_id,
                                    struct rte_flow_template_table* template_table,
                                    struct rte_flow_error* error) {
  return ask(port_id, error,
             [&](AsyncPort& engine) { return engine.remove_table(number_of(template_table)); });
}

struct rte_flow* rte_flow_async_create(
    uint16_t port_id, uint32_t queue_id, const struct rte_flow_op_attr* op_attr,
    struct rte_flow_template_table* template_table, const struct rte_flow_item pattern[],
    uint8_t pattern_template_index, const struct rte_flow_action actions[],
    uint8_t actions_template_index, void* user_data, struct rte_flow_error* error) {
  return make<rte_flow>(port_id, error, [&](AsyncPort& engine) {
    return engine.create(queue_id, is_postponed(op_attr),
                         {.table = number_of(template_table),
                          .items = pattern,
                          .pattern_index = pattern_template_index,
                          .actions = actions,
                          .actions_index = actions_template_index},
                         user_data);
  });
}

int rte_flow_async_destroy(uint16_t port_id, uint32_t queue_id,
                           const struct rte_flow_op_attr* op_attr, struct rte_flow* flow,
                           void* user_data, struct rte_flow_error* error) {
  return ask(port_id, error, [&](AsyncPort& engine) {
    return engine.destroy(queue_id, is_postponed(op_attr), number_of(flow), user_data);
  });
}

int rte_flow_push(uint16_t port_id, uint32_t queue_id, struct rte_flow_error* error) {
  return ask(port_id, error, [&](AsyncPort& engine) { return engine.push(queue_id); });
}

int rte_flow_pull(uint16_t port_id, uint32_t queue_id, struct rte_flow_op_result res[],
                  uint16_t n_res, struct rte_flow_error* error) {
  return ask(port_id, error, [&](AsyncPort& engine) { return engine.pull(queue_id, res, n_res); });
}

struct rte_flow_action_handle* rte_flow_async_action_handle_create(
    uint16_t port_id, uint32_t queue_id, const struct rte_flow_op_attr* op_attr,
    const struct rte_flow_indir_action_conf* conf, const struct rte_flow_action* action,
    void* user_data, struct rte_flow_error* error) {
  rte_flow_action_handle* handle = rte_flow_action_handle_create(port_id, conf, action, error);
  if (handle == nullptr) return nullptr;
  const int result = ask(port_id, error, [&](AsyncPort& engine) {
    return engine.complete(queue_id, is_postponed(op_attr), true, user_data);
  });
  if (result == 0) return handle;
  rte_flow_action_handle_destroy(port_id, handle, nullptr);
  return nullptr;
}

int rte_flow_async_action_handle_destroy(uint16_t port_id, uint32_t queue_id,
                                         const struct rte_flow_op_attr* op_attr,
                                         struct rte_flow_action_handle* handle, void* user_data,
                                         struct rte_flow_error* error) {
  return ask(port_id, error, [&](AsyncPort& engine) {
    const bool is_done = rte_flow_action_handle_destroy(port_id, handle, error) == 0;
    return engine.complete(queue_id, is_postponed(op_attr), is_done, user_data);
  });
}

int rte_flow_async_action_handle_update(uint16_t port_id, uint32_t queue_id,
                                        const struct rte_flow_op_attr* op_attr,
                                        struct rte_flow_action_handle* handle, const void* update,
                                        void* user_data, struct rte_flow_error* error) {
  return ask(port_id, error, [&](AsyncPort& engine) {
    const bool is_done = rte_flow_action_handle_update(port_id, handle, update, error) == 0;
    return engine.complete(queue_id, is_postponed(op_attr), is_done, user_data);
  });
}

int rte_flow_async_action_handle_query(uint16_t port_id, uint32_t queue_id,
                                       const struct rte_flow_op_attr* op_attr,
                                       const struct rte_flow_action_handle* handle, void* data,
                                       void* user_data, struct rte_flow_error* error) {
  return ask(port_id, error, [&](AsyncPort& engine) {
    const bool is_done = rte_flow_action_handle_query(port_id, handle, data, error) == 0;
    return engine.complete(queue_id, is_postponed(op_attr), is_done, user_data);
  });
}

int rte_flow_get_q_aged_flows(uint16_t port_id, uint32_t, void** contexts, uint32_t nb_contexts,
                              struct rte_flow_error* error) {
  return rte_flow_get_aged_flows(port_id, contexts, nb_contexts, error);
}

}  // extern "C"

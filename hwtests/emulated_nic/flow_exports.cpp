// SPDX-License-Identifier: BSD-3-Clause
// The synchronous rte_flow functions, as DPDK declares them.
#include <rte_flow.h>

#include <cstdio>

#include "nic.hpp"

using emulated_nic::Answer;
using emulated_nic::Nic;
using emulated_nic::report;

namespace {

int no_such_port(rte_flow_error* error) {
  return rte_flow_error_set(error, ENODEV, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, nullptr,
                            "not a port of the emulated NIC");
}

/// Runs `request` on the NIC if it has the port; 0, or -errno with the reason in `error`.
template <class Request>
int ask(std::uint16_t port_id, rte_flow_error* error, Request request) {
  Nic& nic = Nic::instance();
  if (!nic.covers(port_id)) return no_such_port(error);
  const auto answer = request(nic);
  if (!answer) return report(answer.error(), error);
  if (error != nullptr) *error = {};
  return static_cast<int>(*answer);
}

int not_here(rte_flow_error* error) {
  return rte_flow_error_set(error, ENOTSUP, RTE_FLOW_ERROR_TYPE_UNSPECIFIED, nullptr,
                            "not supported");
}

Answer<bool> done(const Answer<bool>& answer) {
  if (answer) return false;  // 0: success.
  return answer;
}

}  // namespace

extern "C" {

int rte_flow_validate(uint16_t port_id, const struct rte_flow_attr* attr,
                      const struct rte_flow_item pattern[], const struct rte_flow_action actions[],
                      struct rte_flow_error* error) {
  return ask(port_id, error,
             [&](Nic& nic) { return done(nic.validate(port_id, attr, pattern, actions)); });
}

struct rte_flow* rte_flow_create(uint16_t port_id, const struct rte_flow_attr* attr,
                                 const struct rte_flow_item pattern[],
                                 const struct rte_flow_action actions[],
                                 struct rte_flow_error* error) {
  rte_flow* flow = nullptr;
  ask(port_id, error, [&](Nic& nic) -> Answer<bool> {
    const auto created = nic.create(port_id, attr, pattern, actions);
    if (!created) return tl::unexpected(created.error());
    flow = *created;
    return false;
  });
  return flow;
}

int rte_flow_destroy(uint16_t port_id, struct rte_flow* flow, struct rte_flow_error* error) {
  return ask(port_id, error, [&](Nic& nic) {
    return done(nic.destroy(port_id, reinterpret_cast<std::uintptr_t>(flow)));
  });
}

int rte_flow_flush(uint16_t port_id, struct rte_flow_error* error) {
  return ask(port_id, error, [&](Nic& nic) { return done(nic.flush(port_id)); });
}

int rte_flow_query(uint16_t port_id, struct rte_flow* flow, const struct rte_flow_action* action,
                   void* data, struct rte_flow_error* error) {
  return ask(port_id, error,
             [&](Nic& nic) { return done(nic.query(port_id, flow, action, data)); });
}

int rte_flow_isolate(uint16_t port_id, int set, struct rte_flow_error* error) {
  return ask(port_id, error, [&](Nic& nic) { return done(nic.isolate(port_id, set != 0)); });
}

int rte_flow_dev_dump(uint16_t port_id, struct rte_flow* flow, FILE* file,
                      struct rte_flow_error* error) {
  return ask(port_id, error, [&](Nic& nic) -> Answer<bool> {
    const auto text = nic.dump(port_id, flow);
    if (!text) return tl::unexpected(text.error());
    std::fputs(text->c_str(), file);
    return false;
  });
}

int rte_flow_get_aged_flows(uint16_t port_id, void** contexts, uint32_t nb_contexts,
                            struct rte_flow_error* error) {
  return ask(port_id, error, [&](Nic& nic) {
    return nic.aged(port_id, nb_contexts == 0 ? nullptr : contexts, nb_contexts);
  });
}

struct rte_flow_action_handle* rte_flow_action_handle_create(
    uint16_t port_id, const struct rte_flow_indir_action_conf* conf,
    const struct rte_flow_action* action, struct rte_flow_error* error) {
  rte_flow_action_handle* handle = nullptr;
  ask(port_id, error, [&](Nic& nic) -> Answer<bool> {
    if (conf == nullptr || action == nullptr) {
      return emulated_nic::refuse(EINVAL, RTE_FLOW_ERROR_TYPE_ACTION_CONF, conf, "no action");
    }
    const auto created = nic.create_indirect(port_id, *action);
    if (!created) return tl::unexpected(created.error());
    handle = *created;
    return false;
  });
  return handle;
}

int rte_flow_action_handle_destroy(uint16_t port_id, struct rte_flow_action_handle* handle,
                                   struct rte_flow_error* error) {
  return ask(port_id, error, [&](Nic& nic) { return done(nic.destroy_indirect(port_id, handle)); });
}

int rte_flow_action_handle_update(uint16_t port_id, struct rte_flow_action_handle* handle,
                                  const void* update, struct rte_flow_error* error) {
  return ask(port_id, error,
             [&](Nic& nic) { return done(nic.update_indirect(port_id, handle, update)); });
}

int rte_flow_action_handle_query(uint16_t port_id, const struct rte_flow_action_handle* handle,
                                 void* data, struct rte_flow_error* error) {
  return ask(port_id, error,
             [&](Nic& nic) { return done(nic.query_indirect(port_id, handle, data)); });
}

int rte_flow_pick_transfer_proxy(uint16_t port_id, uint16_t* proxy_port_id,
                                 struct rte_flow_error* error) {
  return ask(port_id, error, [&](Nic& nic) -> Answer<bool> {
    *proxy_port_id = nic.profile().is_proxy_first ? nic.first_port() : port_id;
    return false;
  });
}

int rte_flow_tunnel_decap_set(uint16_t, struct rte_flow_tunnel*, struct rte_flow_action**,
                              uint32_t*, struct rte_flow_error* error) {
  return not_here(error);
}

int rte_flow_tunnel_match(uint16_t, struct rte_flow_tunnel*, struct rte_flow_item**, uint32_t*,
                          struct rte_flow_error* error) {
  return not_here(error);
}

int rte_flow_get_restore_info(uint16_t, struct rte_mbuf*, struct rte_flow_restore_info*,
                              struct rte_flow_error* error) {
  return not_here(error);
}

int rte_flow_tunnel_action_decap_release(uint16_t, struct rte_flow_action*, uint32_t,
                                         struct rte_flow_error* error) {
  return not_here(error);
}

int rte_flow_tunnel_item_release(uint16_t, struct rte_flow_item*, uint32_t,
                                 struct rte_flow_error* error) {
  return not_here(error);
}

struct rte_flow_item_flex_handle* rte_flow_flex_item_create(uint16_t,
                                                            const struct rte_flow_item_flex_conf*,
                                                            struct rte_flow_error* error) {
  not_here(error);
  return nullptr;
}

int rte_flow_flex_item_release(uint16_t, const struct rte_flow_item_flex_handle*,
                               struct rte_flow_error* error) {
  return not_here(error);
}

}  // extern "C"

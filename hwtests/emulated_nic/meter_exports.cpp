// SPDX-License-Identifier: BSD-3-Clause
// The rte_mtr functions, as DPDK declares them.
#include <rte_errno.h>
#include <rte_mtr.h>

#include "nic.hpp"

using emulated_nic::MeterAnswer;
using emulated_nic::MeterPort;
using emulated_nic::MeterRefused;
using emulated_nic::Nic;

namespace {

int refuse(const MeterRefused& refused, rte_mtr_error* error) {
  if (error != nullptr) {
    *error = {.type = refused.type, .cause = nullptr, .message = refused.message};
  }
  rte_errno = refused.code;
  return -refused.code;
}

/// request(meters, profile) with nothing else going on; 0, or -errno with the reason in `error`.
template <class Request>
int ask(std::uint16_t port_id, rte_mtr_error* error, Request request) {
  Nic& nic = Nic::instance();
  if (!nic.covers(port_id)) {
    return refuse({ENODEV, RTE_MTR_ERROR_TYPE_UNSPECIFIED, "not a port of the emulated NIC"},
                  error);
  }
  if (nic.profile().meter_max == 0) {
    return refuse({ENOTSUP, RTE_MTR_ERROR_TYPE_UNSPECIFIED, "no meters"}, error);
  }
  const Nic::Exclusive exclusive(nic);
  const MeterAnswer<bool> answer = request(nic.meters(port_id), nic.profile());
  return answer ? 0 : refuse(answer.error(), error);
}

using Profile = emulated_nic::Profile;

int not_here(rte_mtr_error* error) {
  return refuse({ENOTSUP, RTE_MTR_ERROR_TYPE_UNSPECIFIED, "meters are colour-blind"}, error);
}

}  // namespace

extern "C" {

int rte_mtr_capabilities_get(uint16_t port_id, struct rte_mtr_capabilities* cap,
                             struct rte_mtr_error* error) {
  return ask(port_id, error, [&](MeterPort&, const Profile& nic) {
    *cap = MeterPort::capabilities(nic);
    return true;
  });
}

int rte_mtr_meter_profile_add(uint16_t port_id, uint32_t meter_profile_id,
                              struct rte_mtr_meter_profile* profile, struct rte_mtr_error* error) {
  return ask(port_id, error, [&](MeterPort& meters, const Profile& nic) {
    return meters.add_profile(nic, meter_profile_id, *profile);
  });
}

int rte_mtr_meter_profile_delete(uint16_t port_id, uint32_t meter_profile_id,
                                 struct rte_mtr_error* error) {
  return ask(port_id, error, [&](MeterPort& meters, const Profile&) {
    return meters.remove_profile(meter_profile_id);
  });
}

// For METER_MARK only, which the emulation does not have: the answers are opaque to the program.
struct rte_flow_meter_profile* rte_mtr_meter_profile_get(uint16_t port_id,
                                                         uint32_t meter_profile_id,
                                                         struct rte_mtr_error* error) {
  rte_flow_meter_profile* found = nullptr;
  ask(port_id, error, [&](MeterPort& meters, const Profile&) {
    found = reinterpret_cast<rte_flow_meter_profile*>(meters.find_profile(meter_profile_id));
    return true;
  });
  return found;
}

int rte_mtr_meter_policy_validate(uint16_t port_id, struct rte_mtr_meter_policy_params* policy,
                                  struct rte_mtr_error* error) {
  return ask(port_id, error, [&](MeterPort&, const Profile&) -> MeterAnswer<bool> {
    const auto checked = MeterPort::check_policy(*policy);
    if (!checked) return tl::unexpected(checked.error());
    return true;
  });
}

int rte_mtr_meter_policy_add(uint16_t port_id, uint32_t policy_id,
                             struct rte_mtr_meter_policy_params* policy,
                             struct rte_mtr_error* error) {
  return ask(port_id, error, [&](MeterPort& meters, const Profile& nic) {
    return meters.add_policy(nic, policy_id, *policy);
  });
}

struct rte_flow_meter_policy* rte_mtr_meter_policy_get(uint16_t port_id, uint32_t policy_id,
                                                       struct rte_mtr_error* error) {
  rte_flow_meter_policy* found = nullptr;
  ask(port_id, error, [&](MeterPort& meters, const Profile&) {
    found = reinterpret_cast<rte_flow_meter_policy*>(meters.find_policy(policy_id));
    return true;
  });
  return found;
}

int rte_mtr_meter_policy_delete(uint16_t port_id, uint32_t policy_id, struct rte_mtr_error* error) {
  return ask(port_id, error,
             [&](MeterPort& meters, const Profile&) { return meters.remove_policy(policy_id); });
}

int rte_mtr_create(uint16_t port_id, uint32_t mtr_id, struct rte_mtr_params* params, int shared,
                   struct rte_mtr_error* error) {
  return ask(port_id, error, [&](MeterPort& meters, const Profile& nic) {
    return meters.add(nic, mtr_id, *params, shared != 0, emulated_nic::now_ns());
  });
}

int rte_mtr_destroy(uint16_t port_id, uint32_t mtr_id, struct rte_mtr_error* error) {
  return ask(port_id, error,
             [&](MeterPort& meters, const Profile&) { return meters.remove(mtr_id); });
}

int rte_mtr_meter_disable(uint16_t port_id, uint32_t mtr_id, struct rte_mtr_error* error) {
  return ask(port_id, error,
             [&](MeterPort& meters, const Profile&) { return meters.enable(mtr_id, false); });
}

int rte_mtr_meter_enable(uint16_t port_id, uint32_t mtr_id, struct rte_mtr_error* error) {
  return ask(port_id, error,
             [&](MeterPort& meters, const Profile&) { return meters.enable(mtr_id, true); });
}

int rte_mtr_meter_profile_update(uint16_t port_id, uint32_t mtr_id, uint32_t meter_profile_id,
                                 struct rte_mtr_error* error) {
  return ask(port_id, error, [&](MeterPort& meters, const Profile&) {
    return meters.set_profile(mtr_id, meter_profile_id, emulated_nic::now_ns());
  });
}

int rte_mtr_meter_policy_update(uint16_t port_id, uint32_t mtr_id, uint32_t meter_policy_id,
                                struct rte_mtr_error* error) {
  return ask(port_id, error, [&](MeterPort& meters, const Profile&) {
    return meters.set_policy(mtr_id, meter_policy_id);
  });
}

int rte_mtr_meter_dscp_table_update(uint16_t, uint32_t, enum rte_mtr_color_in_protocol,
                                    enum rte_color*, struct rte_mtr_error* error) {
  return not_here(error);
}

int rte_mtr_meter_vlan_table_update(uint16_t, uint32_t, enum rte_mtr_color_in_protocol,
                                    enum rte_color*, struct rte_mtr_error* error) {
  return not_here(error);
}

int rte_mtr_color_in_protocol_set(uint16_t, uint32_t, enum rte_mtr_color_in_protocol, uint32_t,
                                  struct rte_mtr_error* error) {
  return not_here(error);
}

int rte_mtr_color_in_protocol_get(uint16_t, uint32_t, uint64_t*, struct rte_mtr_error* error) {
  return not_here(error);
}

int rte_mtr_color_in_protocol_priority_get(uint16_t, uint32_t, enum rte_mtr_color_in_protocol,
                                           uint32_t*, struct rte_mtr_error* error) {
  return not_here(error);
}

int rte_mtr_stats_update(uint16_t port_id, uint32_t mtr_id, uint64_t stats_mask,
                         struct rte_mtr_error* error) {
  return ask(port_id, error, [&](MeterPort& meters, const Profile& nic) {
    return meters.set_stats(nic, mtr_id, stats_mask);
  });
}

int rte_mtr_stats_read(uint16_t port_id, uint32_t mtr_id, struct rte_mtr_stats* stats,
                       uint64_t* stats_mask, int clear, struct rte_mtr_error* error) {
  return ask(port_id, error, [&](MeterPort& meters, const Profile&) {
    return meters.read_stats(mtr_id, stats, stats_mask, clear != 0);
  });
}

}  // extern "C"

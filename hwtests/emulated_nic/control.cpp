// SPDX-License-Identifier: BSD-3-Clause
#include "control.h"

#include <cstring>

#include "nic.hpp"

using emulated_nic::Nic;

// What drivers call; Debian has no header of it (DPDK 22.11, lib/ethdev/ethdev_driver.h).
extern "C" {
struct rte_eth_dev* rte_eth_dev_allocated(const char* name);
int rte_eth_dev_callback_process(struct rte_eth_dev* dev, enum rte_eth_event_type event,
                                 void* argument);
}

namespace {

int load(emulated_nic::ProfileOrError loaded) {
  if (!loaded.error.empty()) {
    std::fprintf(stderr, "emulated NIC: %s\n", loaded.error.c_str());
    return -1;
  }
  Nic::instance().load(std::move(loaded.profile));
  return 0;
}

/// All that stood on the port is void, and who has asked to hear of `event` is told.
void lose_port(uint16_t port_id, rte_eth_event_type event) {
  Nic::instance().port_stopping(port_id);
  char name[RTE_ETH_NAME_MAX_LEN];
  if (rte_eth_dev_get_name_by_port(port_id, name) != 0) return;
  rte_eth_dev_callback_process(rte_eth_dev_allocated(name), event, nullptr);
}

}  // namespace

extern "C" {

int emulated_nic_load_profile(const char* path) { return load(emulated_nic::load_profile(path)); }

int emulated_nic_set_profile(const char* toml_text) {
  return load(emulated_nic::parse_profile(toml_text));
}

uint64_t emulated_nic_rule_count(void) { return Nic::instance().rule_count(); }

uint64_t emulated_nic_book(const char* name) {
  uint64_t value = UINT64_MAX;
  Nic::instance().books().for_each([&](const char* known, const auto& counter) {
    if (std::strcmp(known, name) == 0) value = counter.load(std::memory_order_relaxed);
  });
  return value;
}

char* emulated_nic_books_json(void) { return strdup(Nic::instance().books_json().c_str()); }

void emulated_nic_fail_creates(uint64_t nth, uint64_t count, int code) {
  Nic::instance().change_profile([=](Nic& nic, emulated_nic::Profile& profile) {
    const uint64_t done = nic.books().creates.load(std::memory_order_relaxed);
    profile.create_faults = {{.nth = done + nth, .count = count, .code = code}};
  });
}

void emulated_nic_set_hook(emulated_nic_hook hook, void* context) {
  Nic::instance().set_hook(hook, context);
}

void emulated_nic_lose_rules(uint64_t count) { Nic::instance().lose_newest(count); }

void emulated_nic_reset_port(uint16_t port_id) { lose_port(port_id, RTE_ETH_EVENT_INTR_RESET); }

void emulated_nic_remove_port(uint16_t port_id) { lose_port(port_id, RTE_ETH_EVENT_INTR_RMV); }

void emulated_nic_set_room(uint64_t rules) {
  Nic::instance().change_profile(
      [=](Nic&, emulated_nic::Profile& profile) { profile.room_total = rules; });
}

void emulated_nic_set_insertion_cost(uint64_t us) {
  Nic::instance().change_profile(
      [=](Nic&, emulated_nic::Profile& profile) { profile.insertion_us = us; });
}

void emulated_nic_set_clock(uint64_t now_ns) { emulated_nic::set_clock_ns(now_ns); }

void emulated_nic_set_link(uint16_t port_id, int is_up) {
  if (port_id < RTE_MAX_ETHPORTS) Nic::instance().port(port_id).is_link_down = is_up == 0;
}

}  // extern "C"

// SPDX-License-Identifier: BSD-3-Clause
// Functions of ethdev that the library stands in front of.
#include <rte_ethdev.h>

#include "nic.hpp"
#include "real.hpp"
#include "telemetry.hpp"

using emulated_nic::Nic;

namespace {

/// DPDK gives its own domains small numbers.
constexpr std::uint16_t kSwitchDomain = 0x0e00;
constexpr char kSwitchName[] = "emulated_nic";

void show_link_fault(std::uint16_t port_id, rte_eth_link* link) {
  Nic& nic = Nic::instance();
  if (link == nullptr || !nic.covers(port_id)) return;
  if (nic.port(port_id).is_link_down.load(std::memory_order_relaxed)) {
    link->link_status = RTE_ETH_LINK_DOWN;
  }
}

}  // namespace

extern "C" {

int rte_eth_dev_info_get(uint16_t port_id, struct rte_eth_dev_info* dev_info) {
  const int result = EMULATED_NIC_REAL(rte_eth_dev_info_get)(port_id, dev_info);
  if (result == 0 && Nic::instance().covers(port_id)) {
    dev_info->switch_info.name = kSwitchName;
    dev_info->switch_info.domain_id = kSwitchDomain;
    dev_info->switch_info.port_id = port_id;
    if (Nic::instance().profile().keeps_indirects) {
      dev_info->dev_capa |= RTE_ETH_DEV_CAPA_FLOW_SHARED_OBJECT_KEEP;
    }
  }
  return result;
}

int rte_eth_dev_start(uint16_t port_id) {
  const int result = EMULATED_NIC_REAL(rte_eth_dev_start)(port_id);
  Nic& nic = Nic::instance();
  // A second start of a started port succeeds too, and changes nothing.
  if (result == 0 && nic.covers(port_id) && !nic.port(port_id).is_started) {
    nic.port_started(port_id);
    emulated_nic::offer_telemetry();
  }
  return result;
}

int rte_eth_dev_stop(uint16_t port_id) {
  Nic& nic = Nic::instance();
  if (nic.covers(port_id)) nic.port_stopping(port_id);
  return EMULATED_NIC_REAL(rte_eth_dev_stop)(port_id);
}

int rte_eth_dev_close(uint16_t port_id) {
  Nic& nic = Nic::instance();
  if (nic.covers(port_id)) nic.port_closing(port_id);
  return EMULATED_NIC_REAL(rte_eth_dev_close)(port_id);
}

int rte_eth_link_get(uint16_t port_id, struct rte_eth_link* link) {
  const int result = EMULATED_NIC_REAL(rte_eth_link_get)(port_id, link);
  if (result == 0) show_link_fault(port_id, link);
  return result;
}

int rte_eth_link_get_nowait(uint16_t port_id, struct rte_eth_link* link) {
  const int result = EMULATED_NIC_REAL(rte_eth_link_get_nowait)(port_id, link);
  if (result == 0) show_link_fault(port_id, link);
  return result;
}

}  // extern "C"

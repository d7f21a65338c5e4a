// SPDX-License-Identifier: BSD-3-Clause
#include "plan/null_ports.hpp"

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <string>
#include <vector>

namespace hoist::ctl {
namespace {

Result<void> device_error(const std::string& what, int code) {
  return failure(Errc::kDevice, what + ": " + rte_strerror(code));
}

}  // namespace

Result<void> start_null_ports(std::uint32_t count) {
  // DPDK keeps and permutes the words: they must live as long as the process.
  static std::vector<std::string> words{"hoist-plan", "--no-huge",      "--no-shconf",
                                        "--no-pci",   "--no-telemetry", "-m",
                                        "256",        "--lcores=0",     "--log-level=4"};
  for (std::uint32_t i = 0; i < count; ++i) words.push_back("--vdev=net_null" + std::to_string(i));
  static std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  if (rte_eal_init(static_cast<int>(arguments.size()), arguments.data()) < 0) {
    return device_error("DPDK does not start", rte_errno);
  }
  rte_mempool* pool = rte_pktmbuf_pool_create("plan", 2047, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, 0);
  if (pool == nullptr) return device_error("no memory for packets", rte_errno);
  for (std::uint16_t port = 0; port < count; ++port) {
    const rte_eth_conf conf{};
    int result = rte_eth_dev_configure(port, 1, 1, &conf);
    if (result == 0) result = rte_eth_rx_queue_setup(port, 0, 64, 0, nullptr, pool);
    if (result == 0) result = rte_eth_tx_queue_setup(port, 0, 64, 0, nullptr);
    if (result == 0) result = rte_eth_dev_start(port);
    if (result != 0) return device_error("port " + std::to_string(port), -result);
  }
  return {};
}

void stop_null_ports(std::uint32_t count) {
  for (std::uint16_t port = 0; port < count; ++port) static_cast<void>(rte_eth_dev_stop(port));
}

}  // namespace hoist::ctl

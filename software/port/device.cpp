// SPDX-License-Identifier: BSD-3-Clause
#include "port/device.hpp"

#include <rte_dev.h>
#include <rte_errno.h>

#include <algorithm>
#include <optional>

namespace hoist::software {
namespace {

constexpr std::uint16_t kRxDescriptors = 1024, kTxDescriptors = 1024;

tl::unexpected<Error> device_failure(const std::string& step, int code) {
  return failure(Errc::kDevice, step + ": " + rte_strerror(code < 0 ? -code : code));
}

std::optional<std::uint16_t> find_by_name(const std::string& name) {
  std::uint16_t id = 0;
  if (rte_eth_dev_get_port_by_name(name.c_str(), &id) == 0) return id;
  return std::nullopt;
}

std::optional<std::uint16_t> find_by_devargs(const std::string& devargs) {
  rte_dev_iterator it{};
  std::uint16_t id = 0;
  RTE_ETH_FOREACH_MATCHING_DEV(id, devargs.c_str(), &it) {
    rte_eth_iterator_cleanup(&it);
    return id;
  }
  return std::nullopt;
}

// Representors are ports of their parent's device.
bool has_other_port(const rte_device* device) {
  std::uint16_t id = 0;
  RTE_ETH_FOREACH_DEV_OF(id, device) { return true; }
  return false;
}

}  // namespace

Result<std::unique_ptr<Device>> Device::open(const Config& config) {
  const std::string name = config.devargs.substr(0, config.devargs.find(','));
  std::optional<std::uint16_t> id = find_by_name(config.devargs);
  // A representor's devargs begin with its parent's address.
  const bool is_representor = config.devargs.find("representor=") != std::string::npos;
  if (!id && !is_representor) id = find_by_name(name);
  if (!id) {
    const int code = rte_dev_probe(config.devargs.c_str());
    if (code < 0 && code != -EEXIST) return device_failure("probe of " + config.devargs, code);
    id = find_by_devargs(config.devargs);
    if (!id && !is_representor) id = find_by_name(name);
    if (!id) return failure(Errc::kDevice, "probe of " + config.devargs + " gave no port");
  }
  std::unique_ptr<Device> device(new Device(*id));
  if (auto configured = device->configure(config); !configured) {
    return failure(configured.error().code, config.devargs + ": " + configured.error().message);
  }
  return device;
}

Result<void> Device::configure(const Config& config) {
  rte_eth_dev_info info{};
  if (const int code = rte_eth_dev_info_get(id_, &info); code != 0) {
    return device_failure("device info", code);
  }
  rx_queues_ = std::clamp<std::uint16_t>(config.rx_queues, 1,
                                         std::max<std::uint16_t>(info.max_rx_queues, 1));
  tx_queues_ = std::clamp<std::uint16_t>(config.tx_queues, 1,
                                         std::max<std::uint16_t>(info.max_tx_queues, 1));
  rte_eth_conf conf{};
  if (rx_queues_ > 1) {
    conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
    const std::uint64_t wanted =
        RTE_ETH_RSS_IP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_UDP | RTE_ETH_RSS_SCTP;
    conf.rx_adv_conf.rss_conf.rss_hf = wanted & info.flow_type_rss_offloads;
  }
  if (const int code = rte_eth_dev_configure(id_, rx_queues_, tx_queues_, &conf); code != 0) {
    return device_failure("configure", code);
  }
  if (auto queues = set_up_queues(info, config); !queues) return queues;
  if (const int code = rte_eth_dev_start(id_); code != 0) return device_failure("start", code);
  // A device that cannot be promiscuous takes all frames anyway, or only its own: not our failure.
  rte_eth_promiscuous_enable(id_);
  if (tx_queues_ < config.tx_queues) locks_ = std::make_unique<TransmitLock[]>(tx_queues_);
  return {};
}

Result<void> Device::set_up_queues(const rte_eth_dev_info& info, const Config& config) {
  std::uint16_t rx_size = kRxDescriptors;
  std::uint16_t tx_size = kTxDescriptors;
  if (const int code = rte_eth_dev_adjust_nb_rx_tx_desc(id_, &rx_size, &tx_size); code != 0) {
    return device_failure("descriptors", code);
  }
  const auto socket = static_cast<unsigned>(rte_eth_dev_socket_id(id_));
  for (std::uint16_t q = 0; q < rx_queues_; ++q) {
    const int code = rte_eth_rx_queue_setup(id_, q, rx_size, socket, nullptr, config.pool);
    if (code != 0) return device_failure("receive queue", code);
  }
  for (std::uint16_t q = 0; q < tx_queues_; ++q) {
    const int code = rte_eth_tx_queue_setup(id_, q, tx_size, socket, &info.default_txconf);
    if (code != 0) return device_failure("transmit queue", code);
  }
  return {};
}

Device::~Device() {
  rte_eth_dev_info info{};
  const bool has_info = rte_eth_dev_info_get(id_, &info) == 0;
  rte_eth_dev_stop(id_);
  rte_eth_dev_close(id_);
  if (!has_info || info.device == nullptr || has_other_port(info.device)) return;
  rte_dev_remove(info.device);
}

void Device::describe(PortStatus& status) const {
  status.ethdev = EthdevId{id_};
  rte_eth_dev_info info{};
  if (rte_eth_dev_info_get(id_, &info) == 0 && info.driver_name != nullptr) {
    status.driver = info.driver_name;
  }
  rte_ether_addr mac{};
  rte_eth_macaddr_get(id_, &mac);
  std::copy_n(mac.addr_bytes, 6, status.mac.begin());
  rte_eth_link link{};
  rte_eth_link_get_nowait(id_, &link);
  status.is_link_up = link.link_status == RTE_ETH_LINK_UP;
  status.speed_mbps = link.link_speed == RTE_ETH_SPEED_NUM_UNKNOWN ? 0 : link.link_speed;
  std::uint16_t mtu = 0;
  rte_eth_dev_get_mtu(id_, &mtu);
  status.mtu = mtu;
  status.queues = rx_queues_;
}

PortCounters Device::counters() const {
  rte_eth_stats stats{};
  rte_eth_stats_get(id_, &stats);
  return {.ingress_packets = stats.ipackets,
          .ingress_bytes = stats.ibytes,
          .ingress_dropped = stats.imissed + stats.rx_nombuf,
          .ingress_errors = stats.ierrors,
          .egress_packets = stats.opackets,
          .egress_bytes = stats.obytes,
          .egress_dropped = 0,
          .egress_errors = stats.oerrors};
}

std::uint32_t Device::max_frame() const {
  std::uint16_t mtu = 0;
  if (rte_eth_dev_get_mtu(id_, &mtu) != 0) mtu = RTE_ETHER_MTU;
  return mtu + std::uint32_t{RTE_ETHER_HDR_LEN} + 2 * 4;
}

void Device::set_admin_up(bool is_up) {
  // Devices without a link of their own cannot; the flag alone then keeps packets out.
  (void)(is_up ? rte_eth_dev_set_link_up(id_) : rte_eth_dev_set_link_down(id_));
}

}  // namespace hoist::software

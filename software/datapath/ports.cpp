// SPDX-License-Identifier: BSD-3-Clause
#include <rte_pause.h>

#include <algorithm>

#include "datapath/software_datapath.hpp"

namespace hoist::software {
namespace {

constexpr std::uint32_t kSmallPortNumbers = 4096;

}  // namespace

Result<BridgeId> SoftwareDatapath::add_bridge(const std::string& name) {
  const bool is_known =
      std::ranges::any_of(bridges_, [&](const auto& b) { return b->name == name; });
  if (is_known) return failure(Errc::kExists, "bridge " + name + " is there already");
  if (bridges_.size() == kMaxBridges) return failure(Errc::kFull, "no room for another bridge");
  bridges_.push_back(std::make_unique<Bridge>());
  bridges_.back()->name = name;
  publish_view();
  return BridgeId{static_cast<std::uint8_t>(bridges_.size() - 1)};
}

Result<PortStatus> SoftwareDatapath::add_port(BridgeId id, const PortConfig& config) {
  if (to_integer(id) >= bridges_.size()) return failure(Errc::kInvalidArgument, "no such bridge");
  if (find_port(id, config.number) != nullptr) {
    return failure(Errc::kExists, "port number of " + config.name + " is taken");
  }
  auto free_slot = std::ranges::find_if(ports_, [](const Port& p) { return !p.device; });
  if (free_slot == ports_.end() && ports_.size() == kMaxPorts) {
    return failure(Errc::kFull, "no room for another port");
  }
  auto device = Device::open({.devargs = config.devargs,
                              .rx_queues = config.queues,
                              .tx_queues = static_cast<std::uint16_t>(workers_.size()),
                              .pool = pool_.get()});
  if (!device)
    return failure(device.error().code, "port " + config.name + ": " + device.error().message);
  if (free_slot == ports_.end()) free_slot = ports_.emplace(ports_.end());
  Port& port = *free_slot;
  port = Port{};
  port.config = config;
  port.bridge = to_integer(id);
  port.device = std::move(*device);
  port.dropped_before = transmit_drops(static_cast<std::size_t>(free_slot - ports_.begin()));
  port.masks = make_port_masks(bridge(id).tables, config.number, nullptr, last_mask_id_);
  port.last_status = status_of(port);
  queues_.add_port(static_cast<std::uint16_t>(free_slot - ports_.begin()), port.device->id(),
                   port.device->rx_queues());
  publish_port_change();
  return port.last_status;
}

Result<void> SoftwareDatapath::remove_port(BridgeId id, PortNo number) {
  Port* port = find_port(id, number);
  if (port == nullptr) return failure(Errc::kNotFound, "no such port");
  std::unique_ptr<Device> device = std::move(port->device);
  queues_.remove_port(static_cast<std::uint16_t>(port - ports_.data()));
  bridge(id).published.macs.forget_port(number);
  publish_port_change();
  const Version gone = shared_.version.load(std::memory_order_relaxed);
  while (!is_settled(gone)) rte_pause();
  return {};
}

Result<void> SoftwareDatapath::set_port_flags(BridgeId id, PortNo number, std::uint32_t flags) {
  Port* port = find_port(id, number);
  if (port == nullptr) return failure(Errc::kNotFound, "no such port");
  const bool moves_link = ((port->flags ^ flags) & PortFlags::kDown) != 0;
  port->flags = flags;
  if (moves_link) port->device->set_admin_up((flags & PortFlags::kDown) == 0);
  publish_view();
  return {};
}

std::vector<PortStatus> SoftwareDatapath::ports(BridgeId id) const {
  std::vector<PortStatus> out;
  for (const Port& port : ports_) {
    if (port.device && port.bridge == to_integer(id)) out.push_back(status_of(port));
  }
  return out;
}

std::optional<PortCounters> SoftwareDatapath::port_counters(BridgeId id, PortNo number) const {
  const Port* port = find_port(id, number);
  if (port == nullptr) return std::nullopt;
  PortCounters counters = port->device->counters();
  const auto slot = static_cast<std::size_t>(port - ports_.data());
  counters.egress_dropped += transmit_drops(slot) - port->dropped_before;
  return counters;
}

SoftwareDatapath::Port* SoftwareDatapath::find_port(BridgeId id, PortNo number) {
  return const_cast<Port*>(std::as_const(*this).find_port(id, number));
}

const SoftwareDatapath::Port* SoftwareDatapath::find_port(BridgeId id, PortNo number) const {
  const auto it = std::ranges::find_if(ports_, [&](const Port& p) {
    return p.device && p.bridge == to_integer(id) && p.config.number == number;
  });
  return it == ports_.end() ? nullptr : &*it;
}

PortStatus SoftwareDatapath::status_of(const Port& port) const {
  PortStatus status{.name = port.config.name, .number = port.config.number, .flags = port.flags};
  port.device->describe(status);
  return status;
}

std::uint64_t SoftwareDatapath::transmit_drops(std::size_t slot) const {
  std::uint64_t sum = 0;
  for (const std::unique_ptr<Worker>& w : workers_) sum += w->transmit.dropped(slot);
  return sum;
}

/// Paths name ports by slot, so all of them are found anew.
void SoftwareDatapath::publish_port_change() {
  const Version version = next_version();
  change_log_.record(version, {}, true);
  ++port_epoch_;
  publish_view();
  publish_version(version);
}

void SoftwareDatapath::publish_view() {
  auto view = std::make_unique<View>();
  for (const std::unique_ptr<Bridge>& b : bridges_) {
    view->bridges.push_back({.tables = &b->published, .slots = {}, .slot_of_small = {}});
  }
  view->ports.resize(ports_.size());
  for (std::size_t slot = 0; slot < ports_.size(); ++slot) {
    if (ports_[slot].device) add_port_view(*view, slot);
  }
  index_ports(*view);
  queues_.fill(*view);
  // Release: pairs with the acquire in run_turn().
  const View* old = shared_.view.exchange(view.release(), std::memory_order_acq_rel);
  if (old != nullptr) reclaimer_.retire(std::unique_ptr<View>(const_cast<View*>(old)));
}

void SoftwareDatapath::add_port_view(View& view, std::size_t slot) const {
  const Port& port = ports_[slot];
  view.ports[slot] = {.is_present = true,
                      .bridge = port.bridge,
                      .ethdev = port.device->id(),
                      .number = port.config.number,
                      .flags = port.flags,
                      .max_frame = port.device->max_frame(),
                      .tx_queues = port.device->tx_queues(),
                      .trail_root = (port_epoch_ * kMaxPorts + slot) * 2,
                      .tx_lock = port.device->locks(),
                      .masks = port.masks};
  view.bridges[port.bridge].slots.push_back(static_cast<std::uint16_t>(slot));
}

void SoftwareDatapath::index_ports(View& view) {
  for (BridgeView& b : view.bridges) {
    std::ranges::sort(b.slots, {}, [&](std::uint16_t slot) { return view.ports[slot].number; });
    for (const std::uint16_t slot : b.slots) {
      const std::uint32_t number = to_integer(view.ports[slot].number);
      if (number >= kSmallPortNumbers) continue;
      if (b.slot_of_small.size() <= number) b.slot_of_small.resize(number + 1, kNoSlot);
      b.slot_of_small[number] = slot;
    }
  }
}

}  // namespace hoist::software

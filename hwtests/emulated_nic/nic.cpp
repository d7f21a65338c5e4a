// SPDX-License-Identifier: BSD-3-Clause
#include "nic.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace emulated_nic {

namespace {

std::atomic<std::uint64_t>& clock_of_test() {
  static std::atomic<std::uint64_t> now_ns{0};
  return now_ns;
}

}  // namespace

std::uint64_t now_ns() {
  const std::uint64_t set_ns = clock_of_test().load(std::memory_order_relaxed);
  if (set_ns != 0) return set_ns;
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

void set_clock_ns(std::uint64_t now_ns) { clock_of_test() = now_ns; }

Nic& Nic::instance() {
  static Nic* nic = new Nic;  // Never freed: threads may receive until the very end.
  return *nic;
}

Nic::Nic() {
  Profile profile;
  const char* path = std::getenv("EMULATED_NIC");
  if (path != nullptr) {
    auto loaded = load_profile(path);
    if (!loaded.error.empty()) {
      std::fprintf(stderr, "emulated NIC: %s\n", loaded.error.c_str());
      std::exit(EXIT_FAILURE);  // A test on the wrong NIC would prove nothing.
    }
    profile = std::move(loaded.profile);
  }
  load(std::move(profile));
}

Nic::Exclusive::Exclusive(Nic& nic) : nic_(nic), locked_((nic.api_.lock(), nic.rx_queues_.size())) {
  for (std::size_t i = 0; i < locked_; ++i) nic_.rx_queues_[i]->lock.lock();
}

Nic::Exclusive::~Exclusive() {
  for (std::size_t i = locked_; i-- > 0;) nic_.rx_queues_[i]->lock.unlock();
  nic_.api_.unlock();
}

void Nic::load(Profile profile) {
  const Exclusive exclusive(*this);
  std::vector<Rule*> old;
  rules_.for_each([&](std::uint64_t, Rule& rule) { old.push_back(&rule); });
  for (Rule* rule : old) unlink(*rule);
  rules_.for_each([&](std::uint64_t handle, Rule&) { rules_.remove(handle); });
  indirects_.for_each([&](std::uint64_t handle, Indirect&) { indirects_.remove(handle); });
  counter_count_ = 0;
  books_.reset();
  profile_ = std::move(profile);
  transfer_root_ = &group(0, true, 0);
  for (std::uint16_t i = 0; i < RTE_MAX_ETHPORTS; ++i) {
    ports_[i].ingress_root = &group(i, false, 0);
    ports_[i].is_isolated = false;
    async_[i] = std::make_unique<AsyncPort>(*this, i);
    meters_[i] = {};
    ports_[i].is_link_down = std::ranges::count(profile_.links_down, i) != 0;
  }
}

bool Nic::covers(std::uint16_t port_id) const {
  if (port_id >= RTE_MAX_ETHPORTS || profile_.name == "none") return false;
  return profile_.ports.empty() || std::ranges::count(profile_.ports, port_id) != 0;
}

std::uint16_t Nic::first_port() const {
  for (std::uint16_t port = 0; port < RTE_MAX_ETHPORTS; ++port) {
    if (rte_eth_dev_is_valid_port(port) != 0 && covers(port)) return port;
  }
  return RTE_MAX_ETHPORTS;
}

Group& Nic::group(std::uint16_t port_id, bool is_transfer, std::uint32_t id) {
  Groups& groups = is_transfer ? transfer_ : ports_[port_id].ingress;
  std::unique_ptr<Group>& group = groups[id];
  if (group == nullptr) group = std::make_unique<Group>(id);
  return *group;
}

void Nic::port_started(std::uint16_t port_id) {
  rte_eth_dev_info info;
  if (rte_eth_dev_info_get(port_id, &info) != 0) return;
  std::vector<RxQueue*> fresh;
  {
    const Exclusive exclusive(*this);
    Port& port = ports_[port_id];
    wrap_transmit(port_id, info.nb_tx_queues, port);
    while (port.rx.size() < info.nb_rx_queues) {
      RxQueue& queue = *port.rx.emplace_back(std::make_unique<RxQueue>());
      queue.port = port_id;
      queue.queue = static_cast<std::uint16_t>(port.rx.size() - 1);
      rx_queues_.push_back(&queue);
    }
    port.is_started = true;
    for (std::uint16_t i = 0; i < info.nb_rx_queues; ++i) {
      if (port.rx[i]->callback == nullptr) fresh.push_back(port.rx[i].get());
    }
  }
  for (RxQueue* queue : fresh) {
    queue->callback = rte_eth_add_rx_callback(
        port_id, queue->queue,
        [](std::uint16_t, std::uint16_t, rte_mbuf** mbufs, std::uint16_t count_all,
           std::uint16_t max, void* argument) {
          return instance().receive(*static_cast<RxQueue*>(argument), mbufs, count_all, max);
        },
        queue);
  }
}

void Nic::port_stopping(std::uint16_t port_id) {
  const Exclusive exclusive(*this);
  Port& port = ports_[port_id];
  if (!port.is_started) return;
  port.is_started = false;
  ++port.restarts;
  close_transmit(port);
  lose_rules(port_id);
  async_[port_id]->stopped();
  for (const auto& queue : port.rx) {
    rte_mbuf* mbuf;
    while (queue->mailbox.pop(&mbuf, 1) == 1) rte_pktmbuf_free(mbuf);
  }
}

void Nic::port_closing(std::uint16_t port_id) {
  const Exclusive exclusive(*this);
  Port& port = ports_[port_id];
  if (port.is_started) return;  // DPDK refuses to close it.
  meters_[port_id] = {};
  for (const auto& queue : port.rx) {
    if (queue->callback != nullptr) {
      rte_eth_remove_rx_callback(port_id, queue->queue, queue->callback);
    }
    queue->callback = nullptr;
  }
}

void Nic::lose_rules(std::uint16_t port_id) {
  std::uint64_t lost = 0;
  rules_.for_each([&](std::uint64_t handle, Rule& rule) {
    if (rule.port != port_id) return;
    unlink(rule);
    rules_.remove(handle);
    ++lost;
  });
  if (!profile_.keeps_indirects) lose_indirects(port_id);
  count(books_.lost_rules, lost);
}

void Nic::lose_indirects(std::uint16_t port_id) {
  indirects_.for_each([&](std::uint64_t handle, Indirect& indirect) {
    if (indirect.port != port_id || indirect.user_count != 0) return;
    if (indirect.kind == Indirect::Kind::kCount) --counter_count_;
    indirects_.remove(handle);
  });
}

}  // namespace emulated_nic

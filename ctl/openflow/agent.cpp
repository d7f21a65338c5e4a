// SPDX-License-Identifier: BSD-3-Clause
#include "openflow/agent.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace hoist::openflow {
namespace {

using std::chrono::microseconds;

/// How often the planes are looked after, and how often at most while somebody waits for them.
constexpr microseconds kTick{2000};
constexpr microseconds kUrgentTick{50};

/// Whoever has waited long can wait a little longer, and leaves the core to what it waits for.
microseconds urgent_delay(std::chrono::steady_clock::duration waited) {
  return std::clamp(std::chrono::duration_cast<microseconds>(waited) / 8, kUrgentTick, kTick);
}

}  // namespace

Agent::Agent(asio::io_context& io, Datapath& datapath, FlowManager& flow_manager,
             std::uint32_t max_rules)
    : io_(io), slab_(max_rules), planes_(datapath, flow_manager, slab_), timer_(io) {
  planes_.on_gone([this](const Rule& rule) {
    for (const auto& bridge : bridges_) {
      if (bridge->id() == rule.bridge) bridge->flow_removed(rule);
    }
  });
  planes_.on_meter_hit([this](const MeterHit& hit) {
    for (const auto& bridge : bridges_) {
      if (bridge->id() == hit.bridge) bridge->count(hit);
    }
  });
}

Agent::~Agent() { stop(); }

Bridge& Agent::add_bridge(Bridge::Config config) {
  bridges_.push_back(std::make_unique<Bridge>(std::move(config), planes_, slab_, instructions_));
  return *bridges_.back();
}

Bridge* Agent::find_bridge(std::string_view name) noexcept {
  const auto found =
      std::ranges::find_if(bridges_, [=](const auto& b) { return b->config().name == name; });
  return found == bridges_.end() ? nullptr : found->get();
}

void Agent::start() { tick(); }

void Agent::stop() {
  is_stopped_ = true;
  timer_.cancel();
  close_listeners();
  for (const auto& controller : controllers_) controller->timer.cancel();
  for (const auto& connection : connections_) connection->close("hoistd stops");
}

void Agent::tick() {
  if (is_stopped_) return;
  const microseconds delay = poll();
  if (on_tick_) on_tick_();
  timer_.expires_after(delay);
  timer_.async_wait([this](asio::error_code error) {
    if (!error) tick();
  });
}

microseconds Agent::poll() {
  const auto find = [this](BridgeId id) -> Bridge* {
    const auto found = std::ranges::find(bridges_, id, [](const auto& b) { return b->id(); });
    return found == bridges_.end() ? nullptr : found->get();
  };
  const bool more_packets = planes_.datapath().poll(
      [&](PacketIn&& packet) {
        if (Bridge* bridge = find(packet.bridge)) bridge->packet_in(packet);
      },
      [&](BridgeId id, const PortStatus& status) {
        if (Bridge* bridge = find(id)) bridge->port_changed(PortChange::kModify, status);
      });
  planes_.flow_manager().poll();
  planes_.poll();
  for (const auto& bridge : bridges_) bridge->expire();
  microseconds delay = more_packets ? kUrgentTick : kTick;
  for (const auto& connection : connections_) {
    connection->poll();
    connection->send();
    if (const auto waited = connection->waited()) delay = std::min(delay, urgent_delay(*waited));
  }
  return delay;
}

std::shared_ptr<Connection> Agent::add_connection(
    Connection::Socket socket, Bridge& bridge, Connection::Options options,
    std::function<void(const std::string&)> on_closed) {
  auto connection = std::make_shared<Connection>(std::move(socket), bridge, std::move(options));
  connections_.push_back(connection);
  connection->start([this, raw = connection.get(), on_closed](const std::string& reason) {
    on_closed(reason);
    std::erase_if(connections_, [raw](const auto& c) { return c.get() == raw; });
  });
  return connection;
}

}  // namespace hoist::openflow

// SPDX-License-Identifier: BSD-3-Clause
#include "reference_plane.hpp"

namespace hoist::test {

void ReferencePlane::start(const Scenario& scenario) {
  std::vector<reference::Interpreter::Port> ports;
  for (std::uint32_t n = 1; n <= scenario.port_count; ++n) ports.push_back({.number = PortNo{n}});
  bridge_.emplace(std::move(ports));
  for (const MeterConfig& meter : scenario.meters) bridge_->add_meter(meter);
}

void ReferencePlane::apply(const Changes& changes) { bridge_->apply(changes); }

BurstResult ReferencePlane::run(const Burst& burst) {
  fates_.clear();
  for (const Arrival& arrival : burst) {
    fates_.push_back(bridge_->receive(arrival.in_port, arrival.frame));
  }
  return sum();
}

void ReferencePlane::change_port(const PortChange& change) {
  bridge_->set_port_flags(change.port, change.flags);
}

BurstResult ReferencePlane::send(const PacketOut& packet) {
  fates_ = {bridge_->packet_out(packet.in_port, packet.frame, packet.actions)};
  return sum();
}

BurstResult ReferencePlane::sum() const {
  BurstResult result;
  for (const reference::Fate& fate : fates_) {
    for (const auto& sent : fate.sent) result.sent[sent.port].push_back(sent.frame);
    for (const auto& packet_in : fate.packet_ins) result.packet_ins.push_back(packet_in);
    for (std::size_t i = 0; i < kDropReasonCount; ++i) result.drops[i] += fate.drops[i];
  }
  return result;
}

Counts ReferencePlane::counts() {
  Counts counts;
  for (unsigned id = 0; id < kTableCount; ++id) {
    const auto& table = bridge_->table(static_cast<std::uint8_t>(id));
    if (table.count().lookups != 0) counts.tables[static_cast<std::uint8_t>(id)] = table.count();
    for (const auto& [rule, count] : table.rule_counts()) counts.rules[rule] += count;
  }
  for (const auto& [id, meter] : bridge_->meters()) counts.meters[id] = meter.stats();
  return counts;
}

}  // namespace hoist::test

// SPDX-License-Identifier: BSD-3-Clause
#include "offloaded_plane.hpp"

#include <gtest/gtest.h>

namespace hoist::test {

OffloadedPlane::OffloadedPlane(const std::string& name, const Options& options)
    : DatapathPlane(name, {options.flow_cache_entries, options.port_count, false}) {
  FlowManager::Config config;
  config.has_thread = false;
  // The flow manager tries again after a while, and the datapath's time stands still.
  flow_manager_ =
      FlowManager::create(config, datapath().resume_table(), [this] { return ++flow_manager_ms_; });
  for (const PortStatus& port : datapath().ports(bridge())) {
    settle(flow_manager_->attach_port(bridge(), port));
  }
}

OffloadedPlane::~OffloadedPlane() {
  for (const PortStatus& port : datapath().ports(bridge())) {
    settle(flow_manager_->detach_port(bridge(), port.number));
  }
}

void OffloadedPlane::turn() {
  flow_manager_->run_once();
  flow_manager_->poll();
}

void OffloadedPlane::settle(FlowManager::Sequence sequence) {
  for (int n = 0; n < 10'000 && !flow_manager_->is_settled(sequence); ++n) turn();
  EXPECT_TRUE(flow_manager_->is_settled(sequence));
}

void OffloadedPlane::tell(const Changes& changes) {
  pending_ = flow_manager_->submit(bridge(), changes);
  if (!is_racing_) settle(pending_);
}

void OffloadedPlane::tell(const std::vector<MeterChange>& changes) {
  settle(flow_manager_->submit_meters(bridge(), changes));
  meter_hits_.clear();
}

void OffloadedPlane::begin(const Changes& changes) {
  is_racing_ = true;
  apply(changes);
}

void OffloadedPlane::begin_detach(PortNo port) {
  is_racing_ = true;
  pending_ = flow_manager_->detach_port(bridge(), port);
}

void OffloadedPlane::begin_attach(PortNo port) {
  is_racing_ = true;
  for (const PortStatus& status : datapath().ports(bridge())) {
    if (status.number == port) pending_ = flow_manager_->attach_port(bridge(), status);
  }
}

bool OffloadedPlane::settle_one() {
  turn();
  if (!flow_manager_->is_settled(pending_)) return false;
  is_racing_ = false;
  return true;
}

void OffloadedPlane::turn_others() {
  if (!is_racing_) turn();
}

void OffloadedPlane::change_port(const PortChange& change) {
  DatapathPlane::change_port(change);
  for (const PortStatus& port : datapath().ports(bridge())) {
    if (port.number == change.port) settle(flow_manager_->attach_port(bridge(), port));
  }
}

std::string OffloadedPlane::explain() {
  std::string out;
  bool is_done = false;
  flow_manager_->describe({}, [&](std::vector<Placement> placements) {
    for (const Placement& p : placements) {
      out += "rule #" + std::to_string(to_integer(p.rule) - id_base()) + " tier " +
             std::to_string(to_integer(p.tier)) + " refusal " +
             std::to_string(to_integer(p.refusal)) + " " + p.reason + "\n";
    }
    is_done = true;
  });
  for (int n = 0; n < 1000 && !is_done; ++n) turn();
  return out;
}

void OffloadedPlane::collect(const std::function<void(const RuleHit&)>& visit) {
  settle(flow_manager_->refresh_counters());
  flow_manager_->collect([&](const RuleHit& hit) {
    hardware_packets_ += hit.count.packets;
    visit(hit);
  });
  flow_manager_->collect_meters([&](const MeterHit& hit) {
    meter_hits_[hit.meter].in += hit.in;
    meter_hits_[hit.meter].dropped += hit.dropped;
    metered_packets_ += hit.in.packets;
  });
}

void OffloadedPlane::add_hardware(std::map<MeterId, MeterStats>& meters) {
  for (const auto& [id, hit] : meter_hits_) {
    meters[id].in += hit.in;
    if (!meters[id].bands.empty()) meters[id].bands.front() += hit.dropped;
  }
}

}  // namespace hoist::test

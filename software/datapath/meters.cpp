// SPDX-License-Identifier: BSD-3-Clause
#include "datapath/software_datapath.hpp"

namespace hoist::software {

Result<void> SoftwareDatapath::set_meter(BridgeId id, const MeterConfig& config) {
  Bridge& b = bridge(id);
  const auto known = b.meters.find(config.id);
  if (known != b.meters.end()) return change_meter(*known->second, config);
  Meter* meter = meter_store_->create(config, shared_.clock.meter_time());
  if (meter == nullptr) return failure(Errc::kFull, "no room for another meter");
  b.meters.emplace(config.id, meter);
  if (config.id == MeterId::kController) {
    // Release: pairs with the acquire of workers: the meter is there.
    b.published.controller_meter.store(meter, std::memory_order_release);
  }
  return {};
}

Result<void> SoftwareDatapath::change_meter(Meter& meter, const MeterConfig& config) {
  const bool could_remark = meter.may_remark();
  if (!meter_store_->configure(meter, config, shared_.clock.meter_time())) {
    return failure(Errc::kFull, "no room for more bands");
  }
  if (could_remark == meter.may_remark()) return {};
  // What is cached, and every trail, was walked on the other assumption.
  publish_port_change();
  return {};
}

void SoftwareDatapath::remove_meter(BridgeId id, MeterId meter_id) {
  Bridge& b = bridge(id);
  const auto known = b.meters.find(meter_id);
  if (known == b.meters.end()) return;
  if (meter_id == MeterId::kController) {
    b.published.controller_meter.store(nullptr, std::memory_order_release);
  }
  meter_store_->destroy(*known->second);
  b.meters.erase(known);
}

bool SoftwareDatapath::meter_stats(BridgeId id, MeterId meter_id, MeterStats& stats) const {
  const MeterTable& meters = bridges_[to_integer(id)]->meters;
  const auto known = meters.find(meter_id);
  if (known == meters.end()) return false;
  known->second->read_stats(stats);
  return true;
}

}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
// A bridge's meters.
#include <string>
#include <utility>

#include "openflow/bridge.hpp"

namespace hoist::openflow {

Decoded<void> Bridge::apply(MeterMod&& mod, Origin origin) {
  if (mod.command == MeterMod::Command::kDelete) {
    remove_meters(mod.config.id, origin);
    return {};
  }
  if (Decoded<void> fit = meters_.check(mod); !fit) return fit;
  // OpenFlow has no word for it, so a modification leaves it as it is.
  const MeterRegistry::Meter* known = meters_.find(mod.config.id);
  if (known != nullptr) mod.config.accounting = known->config->accounting;
  return set_meter(std::move(mod.config));
}

Result<void> Bridge::set_accounting(MeterId id, MeterConfig::Accounting accounting) {
  const MeterRegistry::Meter* known = meters_.find(id);
  if (known == nullptr)
    return failure(Errc::kNotFound, "no meter " + std::to_string(to_integer(id)));
  MeterConfig config = *known->config;
  config.accounting = accounting;
  if (const Decoded<void> done = set_meter(std::move(config)); !done) {
    return failure(Errc::kFull, done.error().detail);
  }
  return {};
}

Decoded<void> Bridge::set_meter(MeterConfig&& config) {
  const Result<void> done = planes_.datapath().set_meter(id(), config);
  if (!done) return fault(ErrorName::kMeterModOutOfMeters, done.error().message);
  const MeterRegistry::Meter& meter = meters_.set(std::move(config), now_ms());
  pending_meters_.push_back({meter.config->id, meter.config});
  return {};
}

/// One that is not there is no error (as Open vSwitch).
void Bridge::remove_meters(MeterId id, Origin origin) {
  const std::vector<MeterId> gone = meters_.select(id);
  if (gone.empty()) return;
  for (const MeterId meter : gone) rules_.remove_users(meter, origin);
  flush();
  for (const MeterId meter : gone) {
    planes_.datapath().remove_meter(this->id(), meter);
    meters_.remove(meter);
    pending_meters_.push_back({meter, nullptr});
  }
  submit_meters();
}

void Bridge::submit_meters() {
  if (pending_meters_.empty()) return;
  planes_.submit_meters(id(), std::exchange(pending_meters_, {}));
}

bool Bridge::meter_stats(MeterId id, MeterStats& stats) const {
  const MeterRegistry::Meter* meter = meters_.find(id);
  if (meter == nullptr || !planes_.datapath().meter_stats(this->id(), id, stats)) return false;
  stats.in += meter->in;
  if (!stats.bands.empty()) stats.bands.front() += meter->dropped;
  return true;
}

}  // namespace hoist::openflow

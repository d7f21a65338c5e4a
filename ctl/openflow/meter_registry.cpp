// SPDX-License-Identifier: BSD-3-Clause
#include "openflow/meter_registry.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace hoist::openflow {
namespace {

/// Numbers that controllers give, and the two that stand for the switch's own doings.
bool is_settable(MeterId id) noexcept {
  if (id == MeterId::kSlowpath || id == MeterId::kController) return true;
  return to_integer(id) != 0 && id <= MeterId::kMax;
}

std::string name(MeterId id) { return "meter " + std::to_string(to_integer(id)); }

}  // namespace

Decoded<void> MeterRegistry::check(const MeterMod& mod) const {
  const MeterConfig& config = mod.config;
  if (!is_settable(config.id)) {
    return fault(ErrorName::kMeterModInvalid, name(config.id) + " cannot be set");
  }
  const bool exists = meters_.contains(config.id);
  if (mod.command == MeterMod::Command::kAdd && exists) {
    return fault(ErrorName::kMeterModExists, name(config.id) + " exists");
  }
  if (mod.command == MeterMod::Command::kModify && !exists) {
    return fault(ErrorName::kMeterModUnknownMeter, "no " + name(config.id));
  }
  if (config.bands.size() > MeterConfig::kBandsMax) {
    return fault(ErrorName::kMeterModOutOfBands, "more than 8 bands");
  }
  if (std::ranges::any_of(config.bands, [](const MeterBand& band) { return band.rate == 0; })) {
    return fault(ErrorName::kMeterModBadRate, "a rate of 0");
  }
  return {};
}

const MeterRegistry::Meter& MeterRegistry::set(MeterConfig&& config, std::uint64_t now_ms) {
  const auto [found, is_new] = meters_.try_emplace(config.id);
  if (is_new) found->second.created_ms = now_ms;
  found->second.config = std::make_shared<const MeterConfig>(std::move(config));
  return found->second;
}

void MeterRegistry::count(const MeterHit& hit) {
  const auto found = meters_.find(hit.meter);
  if (found == meters_.end()) return;
  found->second.in += hit.in;
  found->second.dropped += hit.dropped;
}

std::vector<MeterId> MeterRegistry::select(MeterId id) const {
  if (id != MeterId::kAll) return meters_.contains(id) ? std::vector{id} : std::vector<MeterId>{};
  std::vector<MeterId> out;
  out.reserve(meters_.size());
  for (const auto& [known, meter] : meters_) out.push_back(known);
  std::ranges::sort(out);
  return out;
}

MeterFeatures MeterRegistry::features() {
  constexpr std::uint32_t kDrop = 1u << to_integer(MeterBand::Type::kDrop);
  constexpr std::uint32_t kRemark = 1u << to_integer(MeterBand::Type::kDscpRemark);
  return {.max_meter = to_integer(MeterId::kMax),
          .band_types = kDrop | kRemark,
          .capabilities =
              MeterConfig::kKbps | MeterConfig::kPktps | MeterConfig::kBurst | MeterConfig::kStats,
          .max_bands = MeterConfig::kBandsMax,
          .max_color = 0};
}

}  // namespace hoist::openflow

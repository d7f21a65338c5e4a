// SPDX-License-Identifier: BSD-3-Clause
#include "meter/meter_form.hpp"

#include <string>

namespace hoist::offload {
namespace {

constexpr std::uint64_t kBytesPerKilobit = 125;

const char* why_not(const MeterConfig& config) {
  if (config.bands.size() != 1) return "hardware has meters of one band";
  if (config.bands[0].type != MeterBand::Type::kDrop) return "hardware has no dscp_remark";
  const bool counts_packets = (config.flags & MeterConfig::kPktps) != 0;
  if (!counts_packets && config.accounting != MeterConfig::Accounting::kLayer2) {
    return "hardware counts layer-2 bytes";
  }
  return nullptr;
}

}  // namespace

std::variant<MeterForm, Refused> meter_form(const MeterConfig& config,
                                            const MeterCapabilities& capabilities) {
  if (capabilities.meter_max == 0) return meter_refused(config.id, "the NIC has no meters");
  if (const char* why = why_not(config)) return meter_refused(config.id, why);
  const MeterBand& band = config.bands[0];
  MeterForm form{.counts_packets = (config.flags & MeterConfig::kPktps) != 0};
  if (form.counts_packets && !capabilities.has_packet_mode) {
    return meter_refused(config.id, "the NIC's meters count bytes");
  }
  const std::uint64_t unit = form.counts_packets ? 1 : kBytesPerKilobit;
  form.rate = band.rate * unit;
  form.burst = std::uint64_t{band.burst_size != 0 ? band.burst_size : band.rate} * unit;
  if (form.rate > capabilities.rate_max) {
    return meter_refused(config.id, "the rate is above the NIC's " +
                                        std::to_string(capabilities.rate_max) + " a second");
  }
  return form;
}

Refused meter_refused(MeterId id, const std::string& why) {
  return Refused{Refusal::kMeterInSoftware,
                 "meter " + std::to_string(to_integer(id)) + " is in software: " + why};
}

}  // namespace hoist::offload

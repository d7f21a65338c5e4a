// SPDX-License-Identifier: BSD-3-Clause
#include "support/pipeline/random_meters.hpp"

#include <algorithm>
#include <array>

namespace hoist::test {
namespace {

bool one_in(Random& random, unsigned n) { return random() % n == 0; }

MeterBand random_band(Random& random, bool is_pktps) {
  constexpr std::array<std::uint32_t, 5> kPacketRates = {1, 2, 5, 10, 100};
  constexpr std::array<std::uint32_t, 5> kBitRates = {1, 8, 16, 80, 800};
  MeterBand band;
  band.rate = is_pktps ? kPacketRates[random() % 5] : kBitRates[random() % 5];
  if (!one_in(random, 4)) {
    band.burst_size = static_cast<std::uint32_t>(1 + random() % (is_pktps ? 6 : 16));
  }
  if (one_in(random, 3)) {
    band.type = MeterBand::Type::kDscpRemark;
    band.prec_level = static_cast<std::uint8_t>(1 + random() % 2);
  }
  return band;
}

MeterConfig random_meter(Random& random, MeterId id) {
  MeterConfig config{.id = id};
  const bool is_pktps = one_in(random, 2);
  config.flags = is_pktps ? MeterConfig::kPktps : MeterConfig::kKbps;
  config.accounting = static_cast<MeterConfig::Accounting>(one_in(random, 2) ? 0 : random() % 3);
  for (auto n = one_in(random, 3) ? random() % 4 : 1; n > 0; --n) {
    config.bands.push_back(random_band(random, is_pktps));
  }
  return config;
}

}  // namespace

std::vector<MeterConfig> random_meters(Random& random) {
  std::vector<MeterConfig> meters;
  const bool only_drops = one_in(random, 2);
  for (std::uint32_t n = 1; n <= kRandomMeters; ++n) {
    meters.push_back(random_meter(random, MeterId{n}));
  }
  if (one_in(random, 4)) {
    meters.push_back({.id = MeterId::kController,
                      .flags = MeterConfig::kPktps,
                      .bands = {{.rate = 2, .burst_size = 3}}});
  }
  for (MeterConfig& meter : meters) {
    for (MeterBand& band : meter.bands) {
      if (only_drops) band = {.rate = band.rate, .burst_size = band.burst_size};
    }
  }
  return meters;
}

bool may_remark(const std::vector<MeterConfig>& meters) {
  return std::ranges::any_of(meters, [](const MeterConfig& meter) {
    return std::ranges::any_of(meter.bands, [](const MeterBand& band) {
      return band.type == MeterBand::Type::kDscpRemark;
    });
  });
}

}  // namespace hoist::test

// SPDX-License-Identifier: BSD-3-Clause
#include "support/reference/meter.hpp"

#include <algorithm>

namespace hoist::reference {
namespace {

constexpr std::int64_t kSecond_ns = 1'000'000'000;

}  // namespace

Meter::Meter(const MeterConfig& config, std::uint64_t now_ns) : config_(config) {
  for (const MeterBand& band : config.bands) buckets_.push_back({depth(band), now_ns});
  stats_.bands.resize(config.bands.size());
}

Meter::Verdict Meter::police(std::size_t frame_bytes, std::size_t bytes_before_network,
                             std::uint64_t now_ns) {
  stats_.in += {1, frame_bytes};
  const MeterBand* acting = nullptr;
  const Wide price = cost(frame_bytes, bytes_before_network);
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    fill(b, now_ns);
    if (price <= buckets_[b].tokens) {
      buckets_[b].tokens -= price;
      continue;
    }
    const MeterBand& band = config_.bands[b];
    if (acting == nullptr || band.rate > acting->rate) acting = &band;
  }
  if (acting == nullptr) return {};
  stats_.bands[static_cast<std::size_t>(acting - config_.bands.data())] += {1, frame_bytes};
  if (acting->type == MeterBand::Type::kDrop) return {.is_dropped = true};
  return {.levels = acting->prec_level};
}

Meter::Wide Meter::rate(const MeterBand& band) const {
  const bool is_pktps = (config_.flags & MeterConfig::kPktps) != 0;
  return Wide{band.rate} * (is_pktps ? 1 : 1000);
}

Meter::Wide Meter::depth(const MeterBand& band) const {
  const bool is_pktps = (config_.flags & MeterConfig::kPktps) != 0;
  if (band.burst_size == 0) return rate(band) * kSecond_ns;
  return Wide{band.burst_size} * (is_pktps ? 1 : 1000) * kSecond_ns;
}

Meter::Wide Meter::cost(std::size_t frame_bytes, std::size_t bytes_before_network) const {
  if ((config_.flags & MeterConfig::kPktps) != 0) return kSecond_ns;
  std::size_t bytes = frame_bytes;
  if (config_.accounting == MeterConfig::Accounting::kLayer1) bytes += 24;
  if (config_.accounting == MeterConfig::Accounting::kLayer3) bytes -= bytes_before_network;
  return Wide(8 * bytes) * kSecond_ns;
}

void Meter::fill(std::size_t b, std::uint64_t now_ns) {
  Bucket& bucket = buckets_[b];
  const MeterBand& band = config_.bands[b];
  const Wide earned = Wide(now_ns - bucket.filled_ns) * rate(band);
  bucket.tokens = std::min(bucket.tokens + earned, depth(band));
  bucket.filled_ns = now_ns;
}

std::uint8_t with_higher_drop_precedence(std::uint8_t dscp, unsigned levels) {
  for (std::uint8_t af_class = 1; af_class <= 4; ++af_class) {
    for (std::uint8_t precedence = 1; precedence <= 3; ++precedence) {
      if (dscp != 8 * af_class + 2 * precedence) continue;
      const unsigned raised = std::min(3u, precedence + levels);
      return static_cast<std::uint8_t>(8 * af_class + 2 * raised);
    }
  }
  return dscp;
}

}  // namespace hoist::reference

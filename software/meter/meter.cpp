// SPDX-License-Identifier: BSD-3-Clause
#include "meter/meter.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <new>

namespace hoist::software {

namespace {

__extension__ using Uint128 = unsigned __int128;

constexpr unsigned kCostShift = 24;
constexpr std::uint64_t kSecond = std::uint64_t{1'000'000'000} << kMeterTimeShift;
constexpr std::uint32_t kLayer1Extra = 24;  // FCS 4, preamble and start delimiter 8, gap 12.
/// Half the range of MeterTime, less a second for clocks that differ: a longer burst is cut to it.
constexpr std::uint64_t kToleranceMax = (std::uint64_t{1} << 62) - kSecond;

// Counters are shared by workers: relaxed, for nothing is ordered by them.
void add(std::atomic<std::uint64_t>& counter, std::uint64_t n) noexcept {
  counter.fetch_add(n, std::memory_order_relaxed);
}

/// A smaller burst must not make packets wait for what was passed under a larger one.
void shorten_schedule(MeterBandState& band, MeterTime limit) noexcept {
  std::uint64_t seen = band.schedule.load(std::memory_order_relaxed);
  while (static_cast<std::int64_t>(seen - limit) > 0 &&
         !band.schedule.compare_exchange_weak(seen, limit, std::memory_order_relaxed)) {
  }
}

/// The later of two times that are less than half the range apart.
MeterTime later(MeterTime a, MeterTime b) noexcept {
  return static_cast<std::int64_t>(a - b) > 0 ? a : b;
}

}  // namespace

MeterRate meter_rate(const MeterBand& band, bool is_pktps) noexcept {
  // kbps: a byte takes 8 / (rate x 1000) s; pktps: a packet takes 1 / rate s. Rounded to nearest.
  const Uint128 numerator = (Uint128{kSecond} << kCostShift) * (is_pktps ? 1 : 8);
  const std::uint64_t denominator = std::uint64_t{band.rate} * (is_pktps ? 1 : 1000);
  const std::uint64_t burst = band.burst_size != 0 ? band.burst_size : band.rate;
  const Uint128 tolerance = Uint128{kSecond} * burst / band.rate;  // burst and rate: like units
  return {.cost_per_unit = static_cast<std::uint64_t>((numerator + denominator / 2) / denominator),
          .tolerance = static_cast<std::uint64_t>(std::min<Uint128>(tolerance, kToleranceMax))};
}

Meter* Meter::create(void* memory, const MeterConfig& config, MeterTime now) noexcept {
  assert(!config.bands.empty() && config.bands.size() <= MeterConfig::kBandsMax);
  auto* meter = new (memory) Meter(config.bands.size());
  for (std::size_t i = 1; i < meter->band_count(); ++i) new (&meter->band(i)) MeterBandState{};
  for (std::size_t i = 0; i < meter->band_count(); ++i) {
    meter->band(i).schedule.store(now, std::memory_order_relaxed);
  }
  meter->configure(config, now);
  return meter;
}

void Meter::configure(const MeterConfig& config, MeterTime now) noexcept {
  assert(config.bands.size() == band_count_);
  const bool is_pktps = (config.flags & MeterConfig::kPktps) != 0;
  const bool is_layer1 = config.accounting == MeterConfig::Accounting::kLayer1;
  const bool is_layer3 = config.accounting == MeterConfig::Accounting::kLayer3;
  std::uint32_t types = 0;
  for (std::size_t i = 0; i < band_count_; ++i) {
    const MeterBand& from = config.bands[i];
    const MeterRate rate = meter_rate(from, is_pktps);
    // A worker between the two stores meets one burst with a mixture: harmless.
    band(i).cost_per_unit.store(rate.cost_per_unit, std::memory_order_relaxed);
    band(i).tolerance.store(rate.tolerance, std::memory_order_relaxed);
    shorten_schedule(band(i), now + rate.tolerance);
    const unsigned type =
        from.type == MeterBand::Type::kDrop ? 0 : 8 + std::min<unsigned>(from.prec_level, 7);
    types |= type << (4 * i);
  }
  band_types_.store(types, std::memory_order_relaxed);
  unit_.store(is_pktps ? 0 : 1, std::memory_order_relaxed);
  extra_bytes_.store(is_layer1 ? kLayer1Extra : 0, std::memory_order_relaxed);
  counts_from_l3_.store(is_layer3 ? 1 : 0, std::memory_order_relaxed);
}

void Meter::police(std::span<const std::uint16_t> lengths, std::uint16_t l3_offset, MeterTime now,
                   MeterVerdict& verdict) noexcept {
  assert(lengths.size() <= 64);
  std::array<std::uint32_t, 64> units;
  std::uint64_t bytes = 0;
  const bool counts_bytes = unit_.load(std::memory_order_relaxed) != 0;
  const auto extra = static_cast<std::uint32_t>(extra_bytes_.load(std::memory_order_relaxed));
  const std::uint32_t less = counts_from_l3_.load(std::memory_order_relaxed) != 0 ? l3_offset : 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    bytes += lengths[i];
    units[i] = counts_bytes ? lengths[i] + extra - std::min<std::uint32_t>(less, lengths[i]) : 1;
  }
  add(packets_, lengths.size());
  add(bytes_, bytes);
  std::array<std::uint64_t, MeterConfig::kBandsMax> exceeded;
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < band_count_; ++i) {
    exceeded[i] = charge(band(i), {units.data(), lengths.size()}, now);
    any |= exceeded[i];
  }
  verdict.drop = 0;
  verdict.remark = 0;
  if (any != 0) settle({exceeded.data(), band_count_}, lengths, verdict);
}

/// Returns the packets that exceed the band. Whoever loses the race for the word starts over with
/// the winner's, so no unit of credit is given twice.
std::uint64_t Meter::charge(MeterBandState& band, std::span<const std::uint32_t> units,
                            MeterTime now) noexcept {
  const std::uint64_t cost_per_unit = band.cost_per_unit.load(std::memory_order_relaxed);
  const std::uint64_t tolerance = band.tolerance.load(std::memory_order_relaxed);
  // Relaxed: the word guards nothing but itself.
  std::uint64_t seen = band.schedule.load(std::memory_order_relaxed);
  while (true) {
    const MeterTime start = later(seen, now);
    // How far past `now` the schedule may reach; `used` of it is taken.
    std::uint64_t used = start - now;
    std::uint64_t exceeded = 0;
    for (std::size_t i = 0; i < units.size(); ++i) {
      const auto cost = static_cast<std::uint64_t>(Uint128{cost_per_unit} * units[i] >> kCostShift);
      const bool conforms = used <= tolerance && cost <= tolerance - used;
      used += conforms ? cost : 0;
      exceeded |= std::uint64_t{!conforms} << i;
    }
    if (used == start - now) return exceeded;  // nothing passed, or nothing to pay
    if (band.schedule.compare_exchange_weak(seen, now + used, std::memory_order_relaxed)) {
      return exceeded;
    }
  }
}

/// Of the bands that a packet exceeds the one of the highest rate acts (OpenFlow 1.3, 5.7.1).
void Meter::settle(std::span<const std::uint64_t> exceeded, std::span<const std::uint16_t> lengths,
                   MeterVerdict& verdict) noexcept {
  std::uint64_t any = 0;
  for (const std::uint64_t e : exceeded) any |= e;
  const std::uint32_t types = band_types_.load(std::memory_order_relaxed);
  for (std::uint64_t rest = any; rest != 0; rest &= rest - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(rest));
    std::size_t acting = exceeded.size();
    for (std::size_t b = 0; b < exceeded.size(); ++b) {
      if ((exceeded[b] >> i & 1) == 0) continue;
      // The highest rate is the lowest cost.
      const bool is_higher = acting == exceeded.size() ||
                             band(b).cost_per_unit.load(std::memory_order_relaxed) <
                                 band(acting).cost_per_unit.load(std::memory_order_relaxed);
      if (is_higher) acting = b;
    }
    add(band(acting).packets, 1);
    add(band(acting).bytes, lengths[i]);
    const std::uint32_t type = types >> (4 * acting) & 15;
    if (type == 0) {
      verdict.drop |= std::uint64_t{1} << i;
    } else {
      verdict.remark |= std::uint64_t{1} << i;
      verdict.prec_level[i] = static_cast<std::uint8_t>(type - 8);
    }
  }
}

MeterStats Meter::stats() const {
  MeterStats stats;
  stats.in = {packets_.load(std::memory_order_relaxed), bytes_.load(std::memory_order_relaxed)};
  for (std::size_t i = 0; i < band_count_; ++i) {
    stats.bands.push_back({band(i).packets.load(std::memory_order_relaxed),
                           band(i).bytes.load(std::memory_order_relaxed)});
  }
  return stats;
}

MeterBandState& Meter::band(std::size_t i) noexcept {
  if (i == 0) return first_;
  return *std::launder(reinterpret_cast<MeterBandState*>(reinterpret_cast<char*>(this) + 64 * i));
}

const MeterBandState& Meter::band(std::size_t i) const noexcept {
  return const_cast<Meter*>(this)->band(i);
}

}  // namespace hoist::software

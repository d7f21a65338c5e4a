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

void copy(const MeterBandState& from, MeterBandState& to) noexcept {
  to.schedule.store(from.schedule.load(std::memory_order_relaxed), std::memory_order_relaxed);
  to.packets.store(from.packets.load(std::memory_order_relaxed), std::memory_order_relaxed);
  to.bytes.store(from.bytes.load(std::memory_order_relaxed), std::memory_order_relaxed);
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

Meter* Meter::create(void* line, void* further, const MeterConfig& config, MeterTime now) noexcept {
  auto* meter = new (line) Meter;
  meter->first_.schedule.store(now, std::memory_order_relaxed);
  meter->configure(config, further, now);
  return meter;
}

void Meter::configure(const MeterConfig& config, void* further, MeterTime now) noexcept {
  assert(config.bands.size() <= MeterConfig::kBandsMax);
  const Shape old = shape();
  Shape next{.types = 0,
             .band_count = static_cast<unsigned>(config.bands.size()),
             .counts_bytes = (config.flags & MeterConfig::kPktps) == 0,
             .accounting = static_cast<unsigned>(config.accounting),
             .further_at = 0};
  if (further != nullptr) {
    const auto distance = static_cast<char*>(further) - reinterpret_cast<char*>(this);
    next.further_at = static_cast<std::int32_t>(distance / static_cast<std::ptrdiff_t>(kLine));
  }
  for (std::size_t i = 0; i < config.bands.size(); ++i) {
    const MeterBand& from = config.bands[i];
    MeterBandState& to = band(next, i);
    const bool is_new = i != 0 && (next.further_at != old.further_at || i >= old.band_count);
    if (is_new) {
      new (&to) MeterBandState{};
      to.schedule.store(now, std::memory_order_relaxed);
      if (i < old.band_count) copy(band(old, i), to);
    }
    const MeterRate rate = meter_rate(from, !next.counts_bytes);
    // A worker between these stores meets one burst with a mixture: harmless.
    to.cost_per_unit.store(rate.cost_per_unit, std::memory_order_relaxed);
    to.tolerance.store(rate.tolerance, std::memory_order_relaxed);
    shorten_schedule(to, now + rate.tolerance);
    const unsigned type =
        from.type == MeterBand::Type::kDrop ? 0 : 8 + std::min<unsigned>(from.prec_level, 7);
    next.types |= type << (4 * i);
  }
  shape_.store(next.packed(), std::memory_order_release);  // pairs with the acquire in shape()
}

void Meter::police(std::span<const std::uint16_t> lengths, const std::uint16_t* l3_offsets,
                   MeterTime now, MeterVerdict& verdict) noexcept {
  assert(lengths.size() <= 64);
  const Shape shape = this->shape();
  std::array<std::uint32_t, 64> units;
  std::uint64_t bytes = 0;
  const bool is_layer1 =
      shape.accounting == static_cast<unsigned>(MeterConfig::Accounting::kLayer1);
  const std::uint32_t extra = is_layer1 ? kLayer1Extra : 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    bytes += lengths[i];
    units[i] = shape.counts_bytes ? lengths[i] + extra : 1;
  }
  if (shape.counts_bytes && shape.accounting == kLayer3) {
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      units[i] -= std::min(l3_offsets[i], lengths[i]);
    }
  }
  add(packets_, lengths.size());
  add(bytes_, bytes);
  std::array<std::uint64_t, MeterConfig::kBandsMax> exceeded;
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < shape.band_count; ++i) {
    exceeded[i] = charge(band(shape, i), {units.data(), lengths.size()}, now);
    any |= exceeded[i];
  }
  verdict.drop = 0;
  verdict.remark = 0;
  if (any != 0) settle(shape, {exceeded.data(), shape.band_count}, lengths, verdict);
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
void Meter::settle(const Shape& shape, std::span<const std::uint64_t> exceeded,
                   std::span<const std::uint16_t> lengths, MeterVerdict& verdict) noexcept {
  std::uint64_t any = 0;
  for (const std::uint64_t e : exceeded) any |= e;
  for (std::uint64_t rest = any; rest != 0; rest &= rest - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(rest));
    std::size_t acting = exceeded.size();
    for (std::size_t b = 0; b < exceeded.size(); ++b) {
      if ((exceeded[b] >> i & 1) == 0) continue;
      // The highest rate is the lowest cost.
      const bool is_higher = acting == exceeded.size() ||
                             band(shape, b).cost_per_unit.load(std::memory_order_relaxed) <
                                 band(shape, acting).cost_per_unit.load(std::memory_order_relaxed);
      if (is_higher) acting = b;
    }
    add(band(shape, acting).packets, 1);
    add(band(shape, acting).bytes, lengths[i]);
    const std::uint32_t type = shape.types >> (4 * acting) & 15;
    if (type == 0) {
      verdict.drop |= std::uint64_t{1} << i;
    } else {
      verdict.remark |= std::uint64_t{1} << i;
      verdict.prec_level[i] = static_cast<std::uint8_t>(type - 8);
    }
  }
}

void Meter::read_stats(MeterStats& stats) const {
  auto& self = const_cast<Meter&>(*this);  // Nothing is written.
  const Shape shape = this->shape();
  stats.in = {packets_.load(std::memory_order_relaxed), bytes_.load(std::memory_order_relaxed)};
  stats.bands.clear();
  for (std::size_t i = 0; i < shape.band_count; ++i) {
    const MeterBandState& from = self.band(shape, i);
    stats.bands.push_back(
        {from.packets.load(std::memory_order_relaxed), from.bytes.load(std::memory_order_relaxed)});
  }
}

MeterBandState& Meter::band(const Shape& shape, std::size_t i) noexcept {
  if (i == 0) return first_;
  const auto line = static_cast<std::ptrdiff_t>(i) - 1 + shape.further_at;
  auto* at = reinterpret_cast<char*>(this) + line * static_cast<std::ptrdiff_t>(kLine);
  return *std::launder(reinterpret_cast<MeterBandState*>(at));
}

}  // namespace hoist::software

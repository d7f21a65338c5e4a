// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include "hoist/meter.hpp"

namespace hoist::software {

/// A point in time in 1/256 ns. 2^64 of them are 834 days: only differences mean anything.
using MeterTime = std::uint64_t;
inline constexpr unsigned kMeterTimeShift = 8;

/// What a meter says of up to 64 packets; bit i is packet i.
struct MeterVerdict {
  std::uint64_t drop = 0;
  std::uint64_t remark = 0;
  std::array<std::uint8_t, 64> prec_level;  ///< Valid where `remark` has the bit.
};

/// One band: a virtual scheduling algorithm (GCRA, ITU-T I.371) whose whole state is one atomic
/// word.
///
/// `schedule` is the time at which the traffic passed so far would have ended had it come exactly
/// at the rate. A packet conforms while max(schedule, now) + its cost <= now + tolerance, which is
/// a token bucket of depth `tolerance` that starts full. A refused packet costs nothing.
///
/// Ranges. A unit (byte or packet) costs cost_per_unit / 2^24 of 1/256 ns. The dearest byte, at 1
/// kbps, costs 8 ms = 2^31 units of time: 2^55 with its fraction, and a burst of 64 frames of 64
/// KiB (2^22 bytes) 2^77, hence the 128-bit product. The cheapest, at the largest rate of 2^32
/// kbps, costs 0.0019 ns = 0.48: 2^22.9 with its fraction, exact to 10^-7; a 64-byte frame then
/// costs 31 units, and rounding it to whole units is worth at most 1.6 %; at 100 Gbps it costs
/// 1,311: 0.04 %.
struct alignas(8) MeterBandState {
  std::atomic<std::uint64_t> schedule;       ///< MeterTime.
  std::atomic<std::uint64_t> cost_per_unit;  ///< MeterTime << 24. Written by the control thread.
  std::atomic<std::uint64_t> tolerance;      ///< MeterTime. Written by the control thread.
  std::atomic<std::uint64_t> packets;        ///< Dropped or remarked by this band.
  std::atomic<std::uint64_t> bytes;
};

/// A meter: one cache line with one band, another line for each further one. Any number of workers
/// may police at once; the rate holds exactly for their sum. One compare-and-swap a band and burst,
/// no lock, no division.
class alignas(64) Meter {
 public:
  /// Bytes that a meter of `band_count` bands needs, aligned to 64.
  static constexpr std::size_t size(std::size_t band_count) noexcept { return 64 * band_count; }
  /// Control thread: makes a meter in `memory` of size(config.bands.size()) bytes. 1 to 8 bands, a
  /// rate above 0 each (checked before).
  static Meter* create(void* memory, const MeterConfig& config, MeterTime now) noexcept;

  /// Control thread: new rates and bursts at once, for the same number of bands; counters stay. The
  /// buckets keep what they hold, up to their new depth.
  void configure(const MeterConfig& config, MeterTime now) noexcept;

  /// Worker: charges packets in order. `lengths`: frame bytes without FCS; `l3_offset`: bytes
  /// before the network header, for layer-3 accounting. `now`: read once a burst; need not be the
  /// same or monotonic between workers.
  void police(std::span<const std::uint16_t> lengths, std::uint16_t l3_offset, MeterTime now,
              MeterVerdict& verdict) noexcept;

  [[nodiscard]] MeterStats stats() const;  ///< Any thread.
  [[nodiscard]] std::size_t band_count() const noexcept { return band_count_; }

 private:
  explicit Meter(std::size_t band_count) noexcept
      : band_count_(static_cast<std::uint8_t>(band_count)) {}
  [[nodiscard]] MeterBandState& band(std::size_t i) noexcept;
  [[nodiscard]] const MeterBandState& band(std::size_t i) const noexcept;
  std::uint64_t charge(MeterBandState& band, std::span<const std::uint32_t> units,
                       MeterTime now) noexcept;
  void settle(std::span<const std::uint64_t> exceeded, std::span<const std::uint16_t> lengths,
              MeterVerdict& verdict) noexcept;

  // Control thread writes, workers read.
  std::uint8_t band_count_;
  std::atomic<std::uint8_t> unit_{0};  ///< 0: packets, else bytes.
  std::atomic<std::int8_t> extra_bytes_{0};
  std::atomic<std::uint8_t> counts_from_l3_{0};
  std::atomic<std::uint32_t> band_types_{0};  ///< 4 bits a band: 0 drop, else 8 + prec_level.
  // Workers write.
  std::atomic<std::uint64_t> packets_{0};
  std::atomic<std::uint64_t> bytes_{0};
  MeterBandState first_{};
};
static_assert(sizeof(Meter) == 64);

/// Rates in one place: what a band's configuration means in MeterTime.
struct MeterRate {
  std::uint64_t cost_per_unit;  ///< MeterTime << 24 a byte or packet.
  std::uint64_t tolerance;      ///< MeterTime.
};
[[nodiscard]] MeterRate meter_rate(const MeterBand& band, bool is_pktps) noexcept;

}  // namespace hoist::software

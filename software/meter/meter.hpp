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

/// A meter: one cache line with its first band, another line for each further one. Any number of
/// workers may police at once; the rate holds exactly for their sum. One compare-and-swap a band
/// and burst, no lock, no division.
class alignas(64) Meter {
 public:
  static constexpr std::size_t kLine = 64;
  /// Lines that `band_count` bands need besides the meter's own.
  static constexpr std::size_t further_lines(std::size_t band_count) noexcept {
    return band_count < 2 ? 0 : band_count - 1;
  }

  /// Control thread: makes a meter in `line`. `further`: further_lines() of the bands, less than a
  /// gigabyte away. Both must be aligned to 64. 0 to 8 bands, a rate above 0 each (checked before);
  /// without bands a meter only counts.
  static Meter* create(void* line, void* further, const MeterConfig& config,
                       MeterTime now) noexcept;

  /// Control thread: new rates and bursts at once; counters stay. The buckets keep what they hold,
  /// up to their new depth. `further`: the lines that it has, or others if the number of bands
  /// changes; workers may read the old ones until they have been quiescent.
  void configure(const MeterConfig& config, void* further, MeterTime now) noexcept;

  /// Worker: charges packets in order. `lengths`: frame bytes without FCS. `l3_offsets`: bytes
  /// before each packet's network header; read only if needs_l3_offsets(). `now`: read once a
  /// burst; need not be the same or monotonic between workers.
  void police(std::span<const std::uint16_t> lengths, const std::uint16_t* l3_offsets,
              MeterTime now, MeterVerdict& verdict) noexcept;

  [[nodiscard]] bool needs_l3_offsets() const noexcept { return shape().accounting == kLayer3; }
  /// Whether some band may change packets.
  [[nodiscard]] bool may_remark() const noexcept { return shape().types != 0; }
  void read_stats(MeterStats& stats) const;  ///< Any thread.
  [[nodiscard]] std::size_t band_count() const noexcept { return shape().band_count; }
  /// Control thread. Null with less than two bands.
  [[nodiscard]] void* further() noexcept { return band_count() < 2 ? nullptr : &band(shape(), 1); }

 private:
  static constexpr unsigned kLayer3 = static_cast<unsigned>(MeterConfig::Accounting::kLayer3);

  /// All that the control thread decides, in one word, so that a worker sees all of it or nothing.
  struct Shape {
    std::uint32_t types;      ///< 4 bits a band: 0 drop, else 8 + prec_level.
    unsigned band_count;      ///< 4 bits.
    bool counts_bytes;        ///< Else packets.
    unsigned accounting;      ///< 2 bits: MeterConfig::Accounting.
    std::int32_t further_at;  ///< 25 bits: in lines from here.

    [[nodiscard]] std::uint64_t packed() const noexcept {
      return types | std::uint64_t{band_count} << 32 | std::uint64_t{counts_bytes} << 36 |
             std::uint64_t{accounting} << 37 | static_cast<std::uint64_t>(further_at) << 39;
    }
    static Shape of(std::uint64_t word) noexcept {
      return {static_cast<std::uint32_t>(word), static_cast<unsigned>(word >> 32 & 15),
              (word >> 36 & 1) != 0, static_cast<unsigned>(word >> 37 & 3),
              static_cast<std::int32_t>(static_cast<std::int64_t>(word) >> 39)};
    }
  };

  Meter() = default;
  /// Acquire: pairs with the release in configure(), so that further bands are there.
  [[nodiscard]] Shape shape() const noexcept {
    return Shape::of(shape_.load(std::memory_order_acquire));
  }
  [[nodiscard]] MeterBandState& band(const Shape& shape, std::size_t i) noexcept;
  static std::uint64_t charge(MeterBandState& band, std::span<const std::uint32_t> units,
                              MeterTime now) noexcept;
  void settle(const Shape& shape, std::span<const std::uint64_t> exceeded,
              std::span<const std::uint16_t> lengths, MeterVerdict& verdict) noexcept;

  std::atomic<std::uint64_t> shape_{0};  ///< Control thread writes, workers read.
  // Workers write.
  std::atomic<std::uint64_t> packets_{0};
  std::atomic<std::uint64_t> bytes_{0};
  MeterBandState first_{};
};
static_assert(sizeof(Meter) == Meter::kLine);

/// Rates in one place: what a band's configuration means in MeterTime.
struct MeterRate {
  std::uint64_t cost_per_unit;  ///< MeterTime << 24 a byte or packet.
  std::uint64_t tolerance;      ///< MeterTime.
};
[[nodiscard]] MeterRate meter_rate(const MeterBand& band, bool is_pktps) noexcept;

}  // namespace hoist::software

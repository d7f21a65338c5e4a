// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "hoist/types.hpp"

namespace hoist {

/// Where software goes on with a packet that hardware handed over.
struct ResumePoint {
  enum class Kind : std::uint8_t {
    kTable,  ///< Look up `table_id`; hardware has counted nothing of that table.
    kRule,   ///< Hardware has matched and counted `rule`; run its instructions without a lookup.
  };
  Kind kind = Kind::kTable;
  BridgeId bridge{};
  std::uint8_t table_id = 0;
  RuleId rule = RuleId::kNone;
  bool operator==(const ResumePoint&) const = default;
};

/// Resume tokens: what a packet's MARK means. A token is `epoch << kIndexBits | index`, at most 24
/// bits (mlx5 carries 0..0xffffef); index 0 is never used, so MARK 0 means "no token".
///
/// Invariants: 1. a slot's epoch changes whenever it is given away again, so a mark that outlived its
/// rule is seen as stale; 2. slots are written by the offload thread alone, read by workers; 3. a slot
/// is one 64-bit word, so a reader sees all of an old point or all of a new one.
class ResumeTable {
 public:
  static constexpr unsigned kIndexBits = 18;
  static constexpr unsigned kEpochBits = 5;
  static constexpr std::uint32_t kCapacity = 1u << kIndexBits;

  /// Worker, any: the point behind a mark, or nothing if it is stale or was never given.
  [[nodiscard]] std::optional<ResumePoint> find(std::uint32_t mark) const noexcept {
    const std::uint32_t index = mark & (kCapacity - 1);
    const std::uint32_t epoch = mark >> kIndexBits;
    // Acquire: pairs with the release in store(), so that what the point names is published too.
    const std::uint64_t word = slots_[index].load(std::memory_order_acquire);
    if (index == 0 || (word >> kUsedBit & 1) == 0 || (word >> kEpochShift & kEpochMask) != epoch) {
      return std::nullopt;
    }
    return ResumePoint{.kind = static_cast<ResumePoint::Kind>(word >> 32 & 1),
                       .bridge = BridgeId{static_cast<std::uint8_t>(word >> 41 & 0xff)},
                       .table_id = static_cast<std::uint8_t>(word >> 33 & 0xff),
                       .rule = RuleId{static_cast<std::uint32_t>(word)}};
  }

  /// Offload thread: gives slot `index` (1 to kCapacity - 1) a new meaning; returns the mark for it.
  std::uint32_t store(std::uint32_t index, const ResumePoint& point) noexcept {
    const std::uint64_t old = slots_[index].load(std::memory_order_relaxed);
    const std::uint64_t epoch = ((old >> kEpochShift) + 1) & kEpochMask;
    const std::uint64_t word =
        std::uint64_t{to_integer(point.rule)} | std::uint64_t{to_integer(point.kind)} << 32 |
        std::uint64_t{point.table_id} << 33 | std::uint64_t{to_integer(point.bridge)} << 41 |
        std::uint64_t{1} << kUsedBit | epoch << kEpochShift;
    slots_[index].store(word, std::memory_order_release);
    return static_cast<std::uint32_t>(epoch) << kIndexBits | index;
  }

  /// Offload thread: the rule of this slot's point has gone. Its marks mean "look up its table" from now
  /// on, so that packets on their way are carried by what came after it; they are stale once the slot is
  /// given away again.
  void forget_rule(std::uint32_t index) noexcept {
    const std::uint64_t old = slots_[index].load(std::memory_order_relaxed);
    slots_[index].store(old & ~(std::uint64_t{1} << 32 | 0xffffffffu), std::memory_order_release);
  }

  /// Offload thread: marks of this slot are stale from now on.
  void clear(std::uint32_t index) noexcept {
    const std::uint64_t old = slots_[index].load(std::memory_order_relaxed);
    slots_[index].store(old & ~(std::uint64_t{1} << kUsedBit), std::memory_order_release);
  }

 private:
  static constexpr unsigned kUsedBit = 63;
  static constexpr unsigned kEpochShift = 50;
  static constexpr std::uint64_t kEpochMask = (1u << kEpochBits) - 1;
  std::array<std::atomic<std::uint64_t>, kCapacity> slots_{};
};

}  // namespace hoist

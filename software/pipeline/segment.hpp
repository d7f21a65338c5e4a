// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hoist/drop_reason.hpp"
#include "hoist/types.hpp"
#include "pipeline/op.hpp"
#include "worker/counter.hpp"

namespace hoist::software {

class Meter;

/// One lookup on a path: the rule that matched, or kNone for a miss.
struct Step {
  RuleId rule;
  std::uint8_t table_id;
  std::uint8_t bridge;
  std::uint16_t pad = 0;
  bool operator==(const Step&) const = default;
};
static_assert(sizeof(Step) == 8);

/// What a segment does and stands for: this, ops, data words, steps, in one block. Equal paths have
/// equal bytes from op_count on.
struct SegmentCode {
  std::uint32_t next;         ///< Index of the next segment in the same hash chain.
  std::uint32_t block_class;  ///< Of the block it lies in (SegmentStore).
  std::uint16_t op_count;
  std::uint16_t step_count;
  std::uint32_t data_count;    ///< 64-bit words.
  std::uint32_t final_reason;  ///< DropReason of a packet that came to nothing.
  std::uint32_t pad = 0;

  [[nodiscard]] std::span<const Op> ops() const noexcept {
    return {reinterpret_cast<const Op*>(this + 1), op_count};
  }
  [[nodiscard]] const std::uint64_t* data() const noexcept {
    return reinterpret_cast<const std::uint64_t*>(reinterpret_cast<const Op*>(this + 1) + op_count);
  }
  [[nodiscard]] std::span<const Step> steps() const noexcept {
    return {reinterpret_cast<const Step*>(data() + data_count), step_count};
  }
  [[nodiscard]] std::size_t size() const noexcept {
    return sizeof *this + op_count * sizeof(Op) + data_count * sizeof(std::uint64_t) +
           step_count * sizeof(Step);
  }
};
static_assert(sizeof(SegmentCode) == 24);
inline constexpr std::size_t kSegmentIdentityOffset = offsetof(SegmentCode, op_count);

/// A segment whose whole work is one of these needs no look at its code.
enum class SegmentFate : std::uint8_t {
  kRun,     ///< Interpret the code.
  kMeter,   ///< Police by `meter`, then send unchanged out of `port_slot`.
  kOutput,  ///< Send unchanged out of `port_slot`.
  kDrop,    ///< Free; count `drop_reason`.
  kTrack,   ///< One kTrack op that goes on in a table.
};

/// A path's hot part: one cache line, written by its worker alone.
struct alignas(64) Segment {
  Counter packets;
  Counter bytes;
  Counter last_used_ms;
  std::uint64_t table_bits;  ///< Bit t % 64 is set if the path looks up table t.
  const SegmentCode* code;
  std::uint32_t generation;  ///< Changes when the slot is given to another path.
  std::uint32_t hash;
  SegmentFate fate;
  DropReason drop_reason;
  std::uint16_t port_slot;
  Meter* meter;  ///< Of the first op, if it is a kMeter to be asked for a whole burst, else null.

  void count(std::uint64_t packet_count, std::uint64_t byte_count, std::uint64_t now_ms) noexcept {
    packets.add(packet_count);
    bytes.add(byte_count);
    last_used_ms.set(now_ms);
  }
};
static_assert(sizeof(Segment) == 64);

/// A cache entry's way to a segment. The generation tells whether the slot still holds that path.
struct SegmentRef {
  std::uint32_t index;
  std::uint32_t generation;
};

}  // namespace hoist::software

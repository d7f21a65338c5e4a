// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace hoist::software {

/// What an Op does. Programs (rules) hold any but those marked "segment only"; segments (paths)
/// hold only those of the first part. `data`: index of a 64-bit word in the owner's data.
enum class OpCode : std::uint8_t {
  kOutput,      ///< Program: c = PortNo, b = max_len. Segment: a, b = port slot.
  kFlood,       ///< Segment: a, c = in_port.
  kAll,         ///< Segment: a, c = in_port.
  kNormal,      ///< Segment: a, c = in_port.
  kController,  ///< Program: a = reason, b = max_len, c = controller_id, d = data: size, userdata.
                ///< Segment: a, d = data (PacketInState).
  kSetField,    ///< a = FieldId; d = data: value and mask, a FieldValue each.
  kSetVlan,     ///< b = tci, c = mask: pushes an 802.1Q tag where there is none.
  kPushVlan,    ///< b = TPID.
  kPopVlan,
  kPushMpls,  ///< b = Ethernet type.
  kPopMpls,   ///< b = Ethernet type.
  kDecTtl,    ///< Takes one off the IP TTL. Program: d = data: count, then controller ids.
  kDecMplsTtl,
  kCopyTtlOut,
  kCopyTtlIn,
  /// Connection tracking. Program: a = not 0 if what is asked for depends on the packet; d = data:
  /// TrackCode. Segment: a; d = data: TrackBranch.
  kTrack,
  kClearTrack,  ///< The packet is untracked again.
  kMeter,  ///< d = Meter*. Segment: b = steps before it, c = segment that counts what it drops.
  kDrop,   ///< Segment only. Counts b = DropReason; the packet may go on.

  kMove,       ///< a = source field, b = target field, c = packed start, start, count.
  kOutputReg,  ///< a = field, b = max_len, c = packed start, 0, count.
  kStackPush,  ///< a = field, c = packed start, 0, count.
  kStackPop,   ///< a = field, c = packed start, 0, count.
  kResubmit,   ///< a = table, c = in_port.
  kExit,
  kClear,     ///< Empties the action set.
  kWrite,     ///< The next op goes into the action set: a = rank, c = kind.
  kMetadata,  ///< d = data: value, mask.
  kGoto,      ///< a = table.
};

/// One step of a program or a segment.
struct Op {
  OpCode code;
  std::uint8_t a = 0;
  std::uint16_t b = 0;
  std::uint32_t c = 0;
  std::uint64_t d = 0;
};
static_assert(sizeof(Op) == 16);

class Meter;
/// The meter of a kMeter op. Meters' memory is never given back, so it can always be followed.
[[nodiscard]] inline Meter* meter_of(const Op& op) noexcept {
  return reinterpret_cast<Meter*>(op.d);
}

/// Bits of fields, as kMove and its like pack them into `c`.
struct PackedBits {
  std::uint8_t start;
  std::uint8_t target_start;
  std::uint8_t count;  ///< 1 to 128.

  [[nodiscard]] constexpr std::uint32_t packed() const noexcept {
    return std::uint32_t{start} | std::uint32_t{target_start} << 8 | std::uint32_t{count} << 16;
  }
  static constexpr PackedBits of(std::uint32_t c) noexcept {
    return {static_cast<std::uint8_t>(c), static_cast<std::uint8_t>(c >> 8),
            static_cast<std::uint8_t>(c >> 16)};
  }
};

/// In `a` of a segment's output-like op: nothing after it needs the packet.
inline constexpr std::uint8_t kTakesPacket = 1;

/// How often one packet may go on in a table behind ct; Open vSwitch has 6.
inline constexpr unsigned kMaxBranches = 8;

/// Open vSwitch's bounds on one packet's way through the tables.
inline constexpr unsigned kMaxDepth = 64;      ///< Lookups of a table at or before the current one.
inline constexpr unsigned kMaxLookups = 4096;  ///< Lookups after the first.

}  // namespace hoist::software

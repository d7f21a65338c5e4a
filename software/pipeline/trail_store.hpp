// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "hoist/error.hpp"
#include "hoist/flow_key.hpp"
#include "hoist/types.hpp"
#include "pipeline/reserved_memory.hpp"
#include "pipeline/segment.hpp"
#include "simd.hpp"

namespace hoist::software {

/// What matched last on a way through the tables, and by which trail it was come to.
struct TrailKey {
  /// Stands for a rule where packets leave for a table behind ct; `program` is their SegmentRef.
  static constexpr RuleId kBranch{0xffffffff};

  std::uint64_t from;     ///< A port's trail_root (even), or a trail's id (odd).
  std::uint64_t program;  ///< Serial of the rule's program; 0: nothing matched.
  RuleId rule;            ///< kNone: nothing matched.
  bool operator==(const TrailKey&) const = default;
};

/// Rules that matched one after another, and what comes next. It holds for every packet that they
/// match, whatever else is in it: where a packet's bytes decide, the trail ends in kWalk.
struct alignas(64) Trail {
  enum class Next : std::uint8_t {
    kNothing,  ///< The place is free.
    kSegment,  ///< The path is complete: `segment()`.
    kLookUp,   ///< Set `values` of the pipeline state, then look up `table_id`.
    kWalk,     ///< Ask the Walker.
  };
  static constexpr std::size_t kValues = 3;

  TrailKey key;
  Next next;
  std::uint8_t table_id;
  std::uint8_t value_count;
  std::array<std::uint8_t, kValues> value_index;  ///< Words of a FlowKey.
  std::uint64_t to;                               ///< A SegmentRef, or this trail's own id.
  std::array<std::uint64_t, kValues> values;

  [[nodiscard]] SegmentRef segment() const noexcept { return std::bit_cast<SegmentRef>(to); }
  /// Sets the state that the next lookup sees.
  void set_state(FlowKey& state) const noexcept {
    for (std::size_t i = 0; i < value_count; ++i) words(state)[value_index[i]] = values[i];
  }
};
static_assert(sizeof(Trail) == 64);

/// One worker's trails: so that packets that the flow cache does not know are carried from table to
/// table by what matched, without interpreting programs or comparing paths. Only an accelerator: a
/// trail that finds no place is walked. Nothing is ever taken out: keys name programs and ports by
/// numbers that are never given twice, so a trail that no longer holds is never met, and its place
/// is taken by another. Owning worker.
class TrailStore {
 public:
  /// `capacity`: a power of two. Fails with kFull.
  static Result<TrailStore> create(std::uint32_t capacity);

  /// Each key has two places, in neighbouring lines.
  [[nodiscard]] Trail* places(const TrailKey& key) const noexcept {
    const std::uint32_t seed = simd::hash_step(static_cast<std::uint32_t>(key.from), key.program);
    return &trails_[simd::hash_step(seed, to_integer(key.rule)) & mask_ & ~1u];
  }
  /// `places`: of this key. Null: it is not known.
  [[nodiscard]] static Trail* find(const TrailKey& key, Trail* places) noexcept {
    if (places[0].key == key) return &places[0];
    if (places[1].key == key) return &places[1];
    return nullptr;
  }
  /// A trail of this key, which is not known, with nothing else set; over another if need be.
  Trail& add(const TrailKey& key) noexcept;
  [[nodiscard]] std::uint64_t next_id() noexcept { return last_id_ += 2; }

 private:
  ReservedMemory memory_;
  Trail* trails_ = nullptr;
  std::uint32_t mask_ = 0;
  std::uint32_t victim_ = 0;
  std::uint64_t last_id_ = 1;
};

}  // namespace hoist::software

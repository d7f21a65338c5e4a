// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "classifier/classifier.hpp"
#include "hoist/flow_key.hpp"
#include "pipeline/trail_store.hpp"

namespace hoist::software {

[[nodiscard]] TrailKey trail_key(std::uint64_t from, const Entry* entry) noexcept;

/// Writes down a walk's trail while the Walker is under way. Does nothing unless begin() was called
/// since the last reset().
class TrailRecorder {
 public:
  void reset() noexcept { trails_ = nullptr; }
  /// The walk starts with a lookup, with this pipeline state: all that comes from `root` has the
  /// same, but for what connection tracking has found if it has been asked.
  void begin(TrailStore& trails, std::uint64_t root, const FlowKey& key) noexcept;
  /// Says whether there is something in the pipeline state that the root does not tell.
  [[nodiscard]] bool is_tracked() const noexcept { return is_tracked_; }
  /// What the lookup came to. Null: nothing matched.
  void found(const Entry* entry) noexcept;
  /// The next lookup is of `table_id`, with this pipeline state.
  void look_up(std::uint8_t table_id, const FlowKey& key) noexcept;
  /// What happens from here on does not follow from what matched alone.
  void leave() noexcept;
  /// The walk is at its end.
  void finish(SegmentRef segment) noexcept;

 private:
  static constexpr std::size_t kStateWords = kFlowKeyWords - kPacketWords;

  [[nodiscard]] Trail& here() noexcept;

  TrailStore* trails_ = nullptr;
  TrailKey key_{};
  bool is_tracked_ = false;
  std::array<std::uint64_t, kStateWords> state_{};  ///< At the last lookup.
};

}  // namespace hoist::software

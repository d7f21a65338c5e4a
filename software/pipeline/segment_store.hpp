// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "hoist/error.hpp"
#include "pipeline/reserved_memory.hpp"
#include "pipeline/segment.hpp"

namespace hoist::software {

/// One worker's segments, interned: equal paths are one segment. All memory is reserved at the
/// start; adding a segment allocates nothing.
///
/// Who writes what: the owning worker everything but `states_`' kDead. Control reads counters and
/// code of segments that are kLive, and condemns those whose rules are gone and settled, after it
/// has read their counters for the last time; a condemned one is never found again. The worker
/// takes it back.
class SegmentStore {
 public:
  enum class State : std::uint8_t { kFree, kLive, kDead };
  static constexpr std::uint32_t kNone = 0;  ///< Segment 0 is never given.

  /// `capacity`: segments, a power of two. Fails with kFull.
  static Result<std::unique_ptr<SegmentStore>> create(std::uint32_t capacity);

  /// Worker. The segment of this path, made if there is none; kNone if there is no room. `code`
  /// need not outlive the call.
  std::uint32_t intern(const SegmentCode& code) noexcept;
  /// Worker. Takes condemned segments back, at most a few a call.
  void reclaim() noexcept;

  [[nodiscard]] Segment& at(std::uint32_t index) noexcept { return segments_[index]; }
  [[nodiscard]] const Segment& at(std::uint32_t index) const noexcept { return segments_[index]; }
  [[nodiscard]] SegmentRef ref(std::uint32_t index) const noexcept {
    return {index, segments_[index].generation};
  }

  /// Worker. Says whether the path is still there and counted: a rule may come back under an id
  /// whose earlier segments are condemned and not yet taken back.
  [[nodiscard]] bool is_live(SegmentRef ref) const noexcept {
    return segments_[ref.index].generation == ref.generation && state(ref.index) == State::kLive;
  }

  /// Any thread. Indices run from 1 to below this.
  [[nodiscard]] std::uint32_t end() const noexcept { return end_.load(std::memory_order_acquire); }
  /// Any thread. Acquire: pairs with the release in intern(), so that a live segment's code is
  /// there.
  [[nodiscard]] State state(std::uint32_t index) const noexcept {
    return states_[index].load(std::memory_order_acquire);
  }
  /// Control thread, of a live segment whose rules no worker can reach any more.
  void condemn(std::uint32_t index) noexcept {
    states_[index].store(State::kDead, std::memory_order_release);
    dead_.fetch_add(1, std::memory_order_release);
  }

 private:
  static constexpr unsigned kClassCount = 12;  // blocks of 64, 128, ... bytes
  static constexpr std::size_t kSmallestBlock = 64;

  [[nodiscard]] SegmentCode* copy(const SegmentCode& code) noexcept;
  void free_block(SegmentCode* code) noexcept;
  [[nodiscard]] std::uint32_t take_index() noexcept;
  void take_back(std::uint32_t index) noexcept;

  ReservedMemory segment_memory_, state_memory_, bucket_memory_, block_memory_;
  Segment* segments_ = nullptr;
  std::atomic<State>* states_ = nullptr;
  std::uint32_t* buckets_ = nullptr;
  std::uint32_t capacity_ = 0;
  std::atomic<std::uint32_t> end_{1};
  std::uint32_t free_index_ = kNone;  // Free segments are linked through `hash`.
  std::uint32_t sweep_ = 1;
  std::uint32_t reclaimed_ = 0;
  std::size_t block_used_ = 0;
  std::array<std::uint8_t*, kClassCount> free_blocks_{};
  alignas(64) std::atomic<std::uint32_t> dead_{0};  // written by control
};

}  // namespace hoist::software

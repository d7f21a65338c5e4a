// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "hoist/field.hpp"
#include "pipeline/segment.hpp"
#include "pipeline/track_op.hpp"

namespace hoist::software {

/// What a segment's kController op points to, followed by the words of pipeline state that are not
/// zero (bit i of state_map: word kPacketWords + i) and userdata_size bytes.
struct PacketInState {
  std::uint32_t rule;
  std::uint8_t table_id;
  std::uint8_t reason;
  std::uint16_t controller_id;
  std::uint16_t max_len;
  std::uint16_t pad0;
  std::uint32_t userdata_size;
  std::uint32_t in_port;
  std::uint32_t pad1;
  std::uint64_t state_map;
};
static_assert(sizeof(PacketInState) == 32);

/// Collects a path while a packet is walked through the tables. Reused; allocates only in create().
class PathBuilder {
 public:
  PathBuilder();

  void reset() noexcept {
    op_count_ = data_count_ = step_count_ = 0;
    is_full_ = false;
  }
  void emit(const Op& op) noexcept {
    if (op_count_ == kOps) return fill();
    ops_[op_count_++] = op;
  }
  void step(const Step& step) noexcept {
    if (step_count_ == kSteps) return fill();
    steps_[step_count_++] = step;
  }
  /// What comes after it is done for those packets only that the meter lets through.
  void meter(Meter& meter) noexcept {
    emit({.code = OpCode::kMeter,
          .b = static_cast<std::uint16_t>(step_count_),
          .d = reinterpret_cast<std::uintptr_t>(&meter)});
  }
  void set_field(FieldId field, const FieldValue& value, const FieldValue& mask) noexcept;
  /// `state`: the key of the packet, of which the pipeline state is kept for the branch's table.
  void track(const TrackBranch& branch, const FlowKey& state,
             std::span<const FieldValue> stack) noexcept;
  void controller(const PacketInState& state, const FlowKey& key, const void* userdata) noexcept;

  /// Says whether something did not fit.
  [[nodiscard]] bool is_full() const noexcept { return is_full_; }

  /// The path as one block, valid until the next reset(). Edits that nothing sees are left out.
  const SegmentCode& finish(DropReason final_reason) noexcept;
  /// Of a finished path, the way of packets that meter op `op` drops; valid until the next call.
  const SegmentCode& cut_at(std::size_t op) noexcept;
  /// Notes in a finished path which segment is cut_at(op).
  void set_cut(std::size_t op, std::uint32_t segment) noexcept;

 private:
  static constexpr std::size_t kOps = 4096, kData = 8192, kSteps = 4100;

  void fill() noexcept { is_full_ = true; }
  [[nodiscard]] std::uint64_t* add_data(std::size_t words) noexcept;
  void trim() noexcept;

  std::unique_ptr<Op[]> ops_;
  std::unique_ptr<std::uint64_t[]> data_;
  std::unique_ptr<Step[]> steps_;
  std::unique_ptr<std::uint64_t[]> block_;
  std::unique_ptr<std::uint64_t[]> cut_block_;
  std::size_t op_count_ = 0, data_count_ = 0, step_count_ = 0;
  bool is_full_ = false;
};

}  // namespace hoist::software

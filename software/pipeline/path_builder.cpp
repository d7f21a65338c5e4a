// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/path_builder.hpp"

#include <algorithm>
#include <bit>

namespace hoist::software {
namespace {

bool is_edit(OpCode code) {
  switch (code) {
    case OpCode::kSetField:
    case OpCode::kSetVlan:
    case OpCode::kPushVlan:
    case OpCode::kPopVlan:
    case OpCode::kPushMpls:
    case OpCode::kPopMpls:
    case OpCode::kDecTtl:
    case OpCode::kDecMplsTtl:
    case OpCode::kCopyTtlOut:
    case OpCode::kCopyTtlIn:
      return true;
    default:
      return false;
  }
}

}  // namespace

PathBuilder::PathBuilder()
    : ops_(std::make_unique<Op[]>(kOps)),
      data_(std::make_unique<std::uint64_t[]>(kData)),
      steps_(std::make_unique<Step[]>(kSteps)),
      block_(
          std::make_unique<std::uint64_t[]>(sizeof(SegmentCode) / 8 + kOps * 2 + kData + kSteps)),
      cut_block_(std::make_unique<std::uint64_t[]>(sizeof(SegmentCode) / 8 + kSteps)) {}

std::uint64_t* PathBuilder::add_data(std::size_t words) noexcept {
  if (data_count_ + words > kData) {
    fill();
    return nullptr;
  }
  std::uint64_t* at = &data_[data_count_];
  data_count_ += words;
  return at;
}

void PathBuilder::set_field(FieldId field, const FieldValue& value,
                            const FieldValue& mask) noexcept {
  const std::size_t index = data_count_;
  std::uint64_t* at = add_data(4);
  if (at == nullptr) return;
  std::memcpy(at, value.data(), 16);
  std::memcpy(at + 2, mask.data(), 16);
  emit({.code = OpCode::kSetField, .a = to_integer(field), .d = index});
}

void PathBuilder::track(const TrackBranch& branch, const FlowKey& state,
                        std::span<const FieldValue> stack) noexcept {
  const std::size_t index = data_count_;
  TrackBranch full = branch;
  for (std::size_t i = kPacketWords; branch.has_table && i < kFlowKeyWords; ++i) {
    full.state_map |= std::uint64_t{words(state)[i] != 0} << (i - kPacketWords);
  }
  if (branch.has_table) full.stack_count = static_cast<std::uint16_t>(stack.size());
  const auto state_words = static_cast<std::size_t>(std::popcount(full.state_map));
  std::uint64_t* at = add_data(sizeof full / 8 + state_words + full.stack_count * std::size_t{2});
  if (at == nullptr) return;
  std::memcpy(at, &full, sizeof full);
  at += sizeof full / 8;
  for (std::uint64_t m = full.state_map; m != 0; m &= m - 1) {
    *at++ = words(state)[kPacketWords + static_cast<std::size_t>(std::countr_zero(m))];
  }
  if (full.stack_count != 0) std::memcpy(at, stack.data(), stack.size_bytes());
  emit({.code = OpCode::kTrack, .d = index});
}

void PathBuilder::controller(const PacketInState& state, const FlowKey& key,
                             const void* userdata) noexcept {
  const std::size_t index = data_count_;
  PacketInState full = state;
  full.state_map = 0;
  for (std::size_t i = kPacketWords; i < kFlowKeyWords; ++i) {
    full.state_map |= std::uint64_t{words(key)[i] != 0} << (i - kPacketWords);
  }
  const auto state_words = static_cast<std::size_t>(std::popcount(full.state_map));
  const std::size_t userdata_words = (state.userdata_size + 7) / 8;
  std::uint64_t* at = add_data(sizeof full / 8 + state_words + userdata_words);
  if (at == nullptr) return;
  std::memcpy(at, &full, sizeof full);
  at += sizeof full / 8;
  for (std::uint64_t m = full.state_map; m != 0; m &= m - 1) {
    *at++ = words(key)[kPacketWords + static_cast<std::size_t>(std::countr_zero(m))];
  }
  if (userdata_words != 0) {
    at[userdata_words - 1] = 0;
    std::memcpy(at, userdata, state.userdata_size);
  }
  emit({.code = OpCode::kController, .d = index});
}

void PathBuilder::trim() noexcept {
  std::size_t taken = op_count_;
  while (taken != 0 && (is_edit(ops_[taken - 1].code) || ops_[taken - 1].code == OpCode::kDrop)) {
    --taken;
  }
  // A meter that comes last still has to see the packet.
  if (taken != 0 && ops_[taken - 1].code != OpCode::kMeter) ops_[taken - 1].a = kTakesPacket;
  std::size_t kept = taken;
  for (std::size_t i = taken; i < op_count_; ++i) {
    if (!is_edit(ops_[i].code)) ops_[kept++] = ops_[i];
  }
  op_count_ = kept;
}

const SegmentCode& PathBuilder::finish(DropReason final_reason) noexcept {
  trim();
  auto* code = reinterpret_cast<SegmentCode*>(block_.get());
  *code = SegmentCode{.next = 0,
                      .block_class = 0,
                      .op_count = static_cast<std::uint16_t>(op_count_),
                      .step_count = static_cast<std::uint16_t>(step_count_),
                      .data_count = static_cast<std::uint32_t>(data_count_),
                      .final_reason = static_cast<std::uint32_t>(final_reason)};
  auto* at = reinterpret_cast<std::uint8_t*>(code + 1);
  std::memcpy(at, ops_.get(), op_count_ * sizeof(Op));
  at += op_count_ * sizeof(Op);
  std::memcpy(at, data_.get(), data_count_ * sizeof(std::uint64_t));
  at += data_count_ * sizeof(std::uint64_t);
  std::memcpy(at, steps_.get(), step_count_ * sizeof(Step));
  return *code;
}

const SegmentCode& PathBuilder::cut_at(std::size_t op) noexcept {
  const auto& whole = *reinterpret_cast<const SegmentCode*>(block_.get());
  auto* code = reinterpret_cast<SegmentCode*>(cut_block_.get());
  *code = SegmentCode{.next = 0,
                      .block_class = 0,
                      .op_count = 0,
                      .step_count = whole.ops()[op].b,
                      .data_count = 0,
                      .final_reason = static_cast<std::uint32_t>(DropReason::kMeter)};
  std::memcpy(static_cast<void*>(code + 1), steps_.get(), code->step_count * sizeof(Step));
  return *code;
}

void PathBuilder::set_cut(std::size_t op, std::uint32_t segment) noexcept {
  auto* code = reinterpret_cast<SegmentCode*>(block_.get());
  reinterpret_cast<Op*>(code + 1)[op].c = segment;
}

}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/segment_store.hpp"

#include <bit>
#include <cstring>

#include "pipeline/track_op.hpp"
#include "simd.hpp"

namespace hoist::software {
namespace {

constexpr std::size_t kBlockBytesPerSegment = 512;  // Reserved, touched as it fills.

std::size_t identity_size(const SegmentCode& code) { return code.size() - kSegmentIdentityOffset; }
const std::uint8_t* identity(const SegmentCode& code) {
  return reinterpret_cast<const std::uint8_t*>(&code) + kSegmentIdentityOffset;
}

std::uint32_t hash_of(const SegmentCode& code) {
  const std::uint8_t* p = identity(code);
  const std::size_t size = identity_size(code);  // A multiple of 8.
  std::uint32_t a = 0x9e3779b9;
  std::uint32_t b = static_cast<std::uint32_t>(size);
  std::size_t i = 0;
  for (; i + 16 <= size; i += 16) {
    a = simd::hash_step(a, simd::load64(p + i));
    b = simd::hash_step(b, simd::load64(p + i + 8));
  }
  if (i < size) a = simd::hash_step(a, simd::load64(p + i));
  return simd::hash_step(a, b);
}

/// A meter that comes twice has to see each packet twice before it sees the next.
bool has_meter_twice(std::span<const Op> ops) {
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].code != OpCode::kMeter) continue;
    for (std::size_t j = i + 1; j < ops.size(); ++j) {
      if (ops[j].code == OpCode::kMeter && ops[j].d == ops[i].d) return true;
    }
  }
  return false;
}

void set_fate(Segment& segment, const SegmentCode& code) {
  segment.fate = SegmentFate::kRun;
  segment.drop_reason = static_cast<DropReason>(code.final_reason);
  segment.port_slot = 0;
  segment.meter = nullptr;
  if (code.op_count == 0) segment.fate = SegmentFate::kDrop;
  if (code.op_count == 1 && code.ops()[0].code == OpCode::kOutput) {
    segment.fate = SegmentFate::kOutput;
    segment.port_slot = code.ops()[0].b;
  }
  if (code.op_count == 1 && code.ops()[0].code == OpCode::kTrack) {
    const auto* branch = reinterpret_cast<const TrackBranch*>(code.data() + code.ops()[0].d);
    if (branch->has_table) segment.fate = SegmentFate::kTrack;
  }
  const bool is_metered = code.op_count != 0 && code.ops()[0].code == OpCode::kMeter;
  if (is_metered && !has_meter_twice(code.ops())) {
    segment.meter = meter_of(code.ops()[0]);
    const bool is_sent = code.op_count == 2 && code.ops()[1].code == OpCode::kOutput;
    if (is_sent && code.ops()[0].c == SegmentStore::kNone) {
      segment.fate = SegmentFate::kMeter;
      segment.port_slot = code.ops()[1].b;
    }
  }
  if (code.op_count == 1 && code.ops()[0].code == OpCode::kDrop) {
    segment.fate = SegmentFate::kDrop;
    segment.drop_reason = static_cast<DropReason>(code.ops()[0].b);
  }
}

}  // namespace

Result<std::unique_ptr<SegmentStore>> SegmentStore::create(std::uint32_t capacity) {
  auto store = std::make_unique<SegmentStore>();
  store->capacity_ = capacity;
  const std::size_t n = capacity;
  auto reserve = [](ReservedMemory& memory, std::size_t size) -> Result<void> {
    auto created = ReservedMemory::create(size);
    if (!created) return tl::unexpected(created.error());
    memory = std::move(*created);
    return {};
  };
  for (auto [memory, size] : {std::pair{&store->segment_memory_, n * sizeof(Segment)},
                              std::pair{&store->state_memory_, n * sizeof(State)},
                              std::pair{&store->bucket_memory_, n * sizeof(std::uint32_t)},
                              std::pair{&store->block_memory_, n * kBlockBytesPerSegment}}) {
    if (auto reserved = reserve(*memory, size); !reserved) return tl::unexpected(reserved.error());
  }
  store->segments_ = store->segment_memory_.as<Segment>();
  store->states_ = store->state_memory_.as<std::atomic<State>>();
  store->buckets_ = store->bucket_memory_.as<std::uint32_t>();
  return store;
}

std::uint32_t SegmentStore::intern(const SegmentCode& code) noexcept {
  const std::uint32_t hash = hash_of(code);
  std::uint32_t& head = buckets_[hash & (capacity_ - 1)];
  for (std::uint32_t i = head; i != kNone; i = segments_[i].code->next) {
    if (segments_[i].hash != hash || code.size() != segments_[i].code->size()) continue;
    if (std::memcmp(identity(code), identity(*segments_[i].code), identity_size(code)) != 0)
      continue;
    if (states_[i].load(std::memory_order_acquire) == State::kLive) return i;
  }
  SegmentCode* const block = copy(code);
  if (block == nullptr) return kNone;
  const std::uint32_t index = take_index();
  if (index == kNone) {
    free_block(block);
    return kNone;
  }
  Segment& segment = segments_[index];
  segment.packets.set(0);
  segment.bytes.set(0);
  segment.last_used_ms.set(0);
  segment.table_bits = 0;
  for (const Step& step : code.steps())
    segment.table_bits |= std::uint64_t{1} << (step.table_id % 64);
  segment.code = block;
  ++segment.generation;
  segment.hash = hash;
  set_fate(segment, code);
  block->next = head;
  head = index;
  states_[index].store(State::kLive, std::memory_order_release);
  return index;
}

void SegmentStore::reclaim() noexcept {
  constexpr unsigned kSweepsPerCall = 256;
  // Acquire: pairs with the release in condemn().
  if (dead_.load(std::memory_order_acquire) == reclaimed_) return;
  const std::uint32_t end = end_.load(std::memory_order_relaxed);
  for (unsigned i = 0; i < kSweepsPerCall; ++i) {
    if (++sweep_ >= end) sweep_ = 1;
    if (states_[sweep_].load(std::memory_order_acquire) == State::kDead) take_back(sweep_);
  }
}

void SegmentStore::take_back(std::uint32_t index) noexcept {
  Segment& segment = segments_[index];
  auto* code = const_cast<SegmentCode*>(segment.code);
  std::uint32_t* link = &buckets_[segment.hash & (capacity_ - 1)];
  while (*link != index) link = &const_cast<SegmentCode*>(segments_[*link].code)->next;
  *link = code->next;
  free_block(code);
  segment.code = nullptr;
  ++segment.generation;  // Cache entries that point here no longer do.
  ++reclaimed_;
  states_[index].store(State::kFree, std::memory_order_relaxed);
  // A slot whose generation is about to repeat is left alone for good.
  if (segment.generation >= 0xfffffff0u) return;
  segment.hash = free_index_;
  free_index_ = index;
}

std::uint32_t SegmentStore::take_index() noexcept {
  if (free_index_ != kNone) {
    const std::uint32_t index = free_index_;
    free_index_ = segments_[index].hash;
    return index;
  }
  const std::uint32_t end = end_.load(std::memory_order_relaxed);
  if (end == capacity_) return kNone;
  end_.store(end + 1, std::memory_order_release);
  return end;
}

SegmentCode* SegmentStore::copy(const SegmentCode& code) noexcept {
  const std::size_t size = code.size();
  const std::size_t units = (size + kSmallestBlock - 1) / kSmallestBlock;
  const auto block_class = static_cast<unsigned>(std::bit_width(units - 1));
  if (block_class >= kClassCount) return nullptr;
  const std::size_t block_size = kSmallestBlock << block_class;
  std::uint8_t* block = free_blocks_[block_class];
  if (block != nullptr) {
    std::memcpy(&free_blocks_[block_class], block, sizeof(std::uint8_t*));
  } else {
    if (block_used_ + block_size > block_memory_.size()) return nullptr;
    block = block_memory_.as<std::uint8_t>() + block_used_;
    block_used_ += block_size;
  }
  std::memcpy(block, &code, size);
  auto* out = reinterpret_cast<SegmentCode*>(block);
  out->block_class = block_class;
  return out;
}

void SegmentStore::free_block(SegmentCode* code) noexcept {
  const std::uint32_t block_class = code->block_class;
  auto* block = reinterpret_cast<std::uint8_t*>(code);
  std::memcpy(block, &free_blocks_[block_class], sizeof(std::uint8_t*));
  free_blocks_[block_class] = block;
}

}  // namespace hoist::software

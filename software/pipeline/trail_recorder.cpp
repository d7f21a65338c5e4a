// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/trail_recorder.hpp"

#include <algorithm>
#include <cstddef>

#include "pipeline/program.hpp"

namespace hoist::software {

TrailKey trail_key(std::uint64_t from, const Entry* entry) noexcept {
  if (entry == nullptr) return {.from = from, .program = 0, .rule = RuleId::kNone};
  return {.from = from, .program = entry->program->serial, .rule = entry->rule};
}

void TrailRecorder::begin(TrailStore& trails, std::uint64_t root, const FlowKey& key) noexcept {
  trails_ = &trails;
  key_.from = root;
  is_tracked_ = key.ct_state != Be32{0};
  std::copy_n(words(key) + kPacketWords, kStateWords, state_.begin());
}

void TrailRecorder::found(const Entry* entry) noexcept {
  if (trails_ != nullptr) key_ = trail_key(key_.from, entry);
}

void TrailRecorder::look_up(std::uint8_t table_id, const FlowKey& key) noexcept {
  if (trails_ == nullptr) return;
  Trail change{};
  for (std::size_t i = 0; i < kStateWords; ++i) {
    const std::uint64_t value = words(key)[kPacketWords + i];
    if (value == state_[i]) continue;
    // Of what is in one word with tracking's findings the root does not tell either.
    constexpr std::size_t kTracked = offsetof(FlowKey, pkt_mark) / sizeof(KeyWord) - kPacketWords;
    if (is_tracked_ && i >= kTracked) return leave();
    if (change.value_count == Trail::kValues) return leave();
    change.value_index[change.value_count] = static_cast<std::uint8_t>(kPacketWords + i);
    change.values[change.value_count++] = state_[i] = value;
  }
  Trail& trail = here();
  if (trail.next != Trail::Next::kLookUp) {
    change.key = key_;
    change.next = Trail::Next::kLookUp;
    change.table_id = table_id;
    change.to = trails_->next_id();
    trail = change;
  }
  key_.from = trail.to;
}

void TrailRecorder::leave() noexcept {
  if (trails_ == nullptr) return;
  here().next = Trail::Next::kWalk;
  trails_ = nullptr;
}

void TrailRecorder::finish(SegmentRef segment) noexcept {
  if (trails_ == nullptr) return;
  Trail& trail = here();
  trail.next = Trail::Next::kSegment;
  trail.to = std::bit_cast<std::uint64_t>(segment);
}

Trail& TrailRecorder::here() noexcept {
  Trail* known = TrailStore::find(key_, trails_->places(key_));
  return known != nullptr ? *known : trails_->add(key_);
}

}  // namespace hoist::software

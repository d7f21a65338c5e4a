// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>

#include "hoist/resume.hpp"

namespace hoist::offload {

/// Gives out resume tokens. Offload thread. An index that was freed is used again as late as
/// possible, so that epochs last.
class TokenPool {
 public:
  explicit TokenPool(ResumeTable& table) : table_(table) {}

  /// The mark for a point; 0: none left.
  std::uint32_t take(const ResumePoint& point) {
    std::uint32_t index = 0;
    if (next_ < ResumeTable::kCapacity) {
      index = next_++;
    } else if (!free_.empty()) {
      index = free_.front();
      free_.pop_front();
    }
    return index == 0 ? 0 : table_.store(index, point);
  }
  /// The rule of the mark has gone. Packets on their way with it are looked up in its table.
  void release(std::uint32_t mark) {
    if (mark == 0) return;
    const std::uint32_t index = mark & (ResumeTable::kCapacity - 1);
    table_.forget_rule(index);
    free_.push_back(index);
  }

 private:
  ResumeTable& table_;
  std::uint32_t next_ = 1;
  std::deque<std::uint32_t> free_;
};

}  // namespace hoist::offload

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cassert>
#include <cstdint>
#include <iterator>
#include <map>

namespace hoist::software {

/// How many entries there are of each priority, to know the highest.
class PriorityCounts {
 public:
  /// Returns whether the highest priority changed.
  bool add(std::uint16_t priority) {
    const bool is_new_max = counts_.empty() || max() < priority;
    ++counts_[priority];
    return is_new_max;
  }
  bool remove(std::uint16_t priority) {
    const auto it = counts_.find(priority);
    assert(it != counts_.end());
    if (--it->second != 0) return false;
    const bool was_max = std::next(it) == counts_.end();
    counts_.erase(it);
    return was_max;
  }
  [[nodiscard]] bool empty() const noexcept { return counts_.empty(); }
  /// Must not be empty.
  [[nodiscard]] std::uint16_t max() const noexcept { return counts_.rbegin()->first; }

 private:
  std::map<std::uint16_t, std::uint32_t> counts_;
};

}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
#include "classifier/mask_registry.hpp"

#include <algorithm>
#include <cassert>

namespace hoist::software {

const FlowMask& MaskRegistry::acquire(const MiniMatch& match) {
  const std::uint64_t h = FlowMask::hash(match);
  const auto [first, last] = masks_.equal_range(h);
  const auto it = std::find_if(
      first, last, [&](const auto& item) { return item.second.mask->is_mask_of(match); });
  if (it != last) {
    ++it->second.uses;
    return *it->second.mask;
  }
  return *masks_.emplace(h, Item{std::make_unique<FlowMask>(match), 1})->second.mask;
}

void MaskRegistry::release(const FlowMask& mask, Reclaimer& reclaimer) {
  const auto [first, last] = masks_.equal_range(mask.hash());
  const auto it =
      std::find_if(first, last, [&](const auto& item) { return item.second.mask.get() == &mask; });
  assert(it != last);
  if (--it->second.uses != 0) return;
  reclaimer.retire(std::move(it->second.mask));
  masks_.erase(it);
}

}  // namespace hoist::software

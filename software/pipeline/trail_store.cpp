// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/trail_store.hpp"

namespace hoist::software {

Result<TrailStore> TrailStore::create(std::uint32_t capacity) {
  auto memory = ReservedMemory::create(capacity * sizeof(Trail));
  if (!memory) return tl::unexpected(memory.error());
  TrailStore store;
  store.memory_ = std::move(*memory);
  store.trails_ = store.memory_.as<Trail>();
  store.mask_ = capacity - 1;
  return store;
}

Trail& TrailStore::add(const TrailKey& key) noexcept {
  Trail* at = places(key);
  const bool is_second = at[0].next != Trail::Next::kNothing &&
                         (at[1].next == Trail::Next::kNothing || (victim_++ & 1) != 0);
  Trail& trail = at[is_second];
  trail = Trail{};
  trail.key = key;
  return trail;
}

}  // namespace hoist::software

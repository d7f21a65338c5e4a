// SPDX-License-Identifier: BSD-3-Clause
#include "cache/flow_cache.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace hoist::software {
namespace {

constexpr std::uint64_t kMaskIdBits = 0xffffffff;

/// The entry of this key at one of the places of a group, `first` first, or null.
template <class Entry>
Entry* find(Entry* group, std::uint32_t first, std::uint64_t tag, const void* key) noexcept {
  for (std::uint32_t i = 0; i < FlowCache::kPlaces; ++i) {
    Entry& e = group[first ^ i];
    const bool is_same_mask = ((e.tag ^ tag) & kMaskIdBits) == 0;
    if (is_same_mask && std::memcmp(&e.key, key, sizeof e.key) == 0) return &e;
  }
  return nullptr;
}

/// Where a new entry goes: over an older one of its own key, else into a free place, else over one
/// by turns.
template <class Entry>
Entry& place_for(Entry* group, std::uint32_t first, std::uint64_t tag, const void* key,
                 std::uint32_t& victim) noexcept {
  if (Entry* known = find(group, first, tag, key)) return *known;
  for (std::uint32_t i = 0; i < FlowCache::kPlaces; ++i) {
    if (group[first ^ i].tag == 0) return group[first ^ i];
  }
  return group[first ^ (victim++ % FlowCache::kPlaces)];
}

}  // namespace

Result<FlowCache> FlowCache::create(std::uint32_t entries) {
  FlowCache cache;
  if (entries == 0) return cache;
  const std::uint32_t window_entries = std::bit_ceil(std::max(entries, 64u));
  const std::uint32_t wide_entries = window_entries / 4;
  auto window = ReservedMemory::create(window_entries / kPlaces * sizeof(WindowGroup));
  if (!window) return tl::unexpected(window.error());
  auto wide = ReservedMemory::create(wide_entries * sizeof(WideEntry));
  if (!wide) return tl::unexpected(wide.error());
  cache.window_memory_ = std::move(*window);
  cache.wide_memory_ = std::move(*wide);
  cache.window_memory_.provide(0, cache.window_memory_.size());
  cache.groups_ = cache.window_memory_.as<WindowGroup>();
  cache.wide_ = cache.wide_memory_.as<WideEntry>();
  cache.window_mask_ = window_entries - 1;
  cache.wide_mask_ = wide_entries - 1;
  return cache;
}

FlowCache::WindowEntry* FlowCache::find_any(const WindowKey& key, std::uint32_t hash) noexcept {
  const std::uint64_t tag = simd::load64(key.bytes.data() + 48);
  const std::uint32_t first = first_place(hash);
  WindowGroup& group = groups_[first / kPlaces];
  return find(group.entries.data(), first % kPlaces, tag, key.bytes.data());
}

std::uint32_t FlowCache::insert(const WindowKey& key, std::uint32_t hash,
                                SegmentRef segment) noexcept {
  const std::uint64_t tag = simd::load64(key.bytes.data() + 48);
  const std::uint32_t first = first_place(hash);
  WindowGroup& group = groups_[first / kPlaces];
  WindowEntry& entry =
      place_for(group.entries.data(), first % kPlaces, tag, key.bytes.data(), victim_);
  std::memcpy(entry.key.data(), key.bytes.data(), entry.key.size());
  entry.tag = tag;
  entry.segment = segment;
  return place_of(&entry, hash);
}

std::uint32_t FlowCache::make_key(const FlowKey& packet, const ClassMask& mask, Version version,
                                  WideEntry& key) noexcept {
  for (std::size_t i = 0; i < kPacketWords; ++i) key.key[i] = words(packet)[i] & mask.wide[i];
  key.tag = cache_tag(mask.id, version);
  return simd::hash_words<kPacketWords>(key.key.data(), mask.id);
}

FlowCache::WideEntry* FlowCache::find_any(const WideEntry& key, std::uint32_t hash) noexcept {
  const std::uint32_t first = hash & wide_mask_;
  return find(wide_ + (first & ~(kPlaces - 1)), first % kPlaces, key.tag, key.key.data());
}

void FlowCache::insert(const WideEntry& key, std::uint32_t hash) noexcept {
  const std::uint32_t first = hash & wide_mask_;
  WideEntry* group = wide_ + (first & ~(kPlaces - 1));
  place_for(group, first % kPlaces, key.tag, key.key.data(), victim_) = key;
}

}  // namespace hoist::software

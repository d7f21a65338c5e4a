// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "cache/port_masks.hpp"
#include "conntrack/connection.hpp"
#include "hoist/datapath.hpp"
#include "hoist/error.hpp"
#include "pipeline/reserved_memory.hpp"
#include "pipeline/segment.hpp"
#include "simd.hpp"

namespace hoist::software {

/// Mask id and version of an entry in one word; 0: the entry is free.
[[nodiscard]] constexpr std::uint64_t cache_tag(std::uint32_t mask_id,
                                                Datapath::Version version) noexcept {
  return std::uint64_t{version} << 32 | mask_id;
}

/// What is looked for: a regular packet's window under its class's mask, then the tag.
struct alignas(64) WindowKey {
  std::array<std::uint8_t, 56> bytes;
  std::uint64_t zero;
};

/// One worker's flow cache: from a packet's consulted bits to the segment of its path. Exact: an
/// entry is compared in full. Two arrays, because regular packets are compared unparsed (one cache
/// line an entry), all others by FlowKey (two). Each key has kPlaces places, side by side and in an
/// order of its own.
///
/// An entry holds for the version in its tag; whether it still does for a later one is the caller's
/// to find out (ChangeLog). Owning worker.
class FlowCache {
 public:
  using Version = Datapath::Version;
  static constexpr std::uint32_t kPlaces = 4;  ///< A power of two.

  struct alignas(64) WindowEntry {
    std::array<std::uint8_t, 48> key;
    std::uint64_t tag;
    SegmentRef segment;
  };
  struct alignas(64) WideEntry {
    std::array<std::uint64_t, kPacketWords> key;
    std::uint64_t tag;
    SegmentRef segment;
  };
  static_assert(sizeof(WindowEntry) == 64 && sizeof(WideEntry) == 128);

  /// Beside a regular packet's entry whose segment is SegmentFate::kTrack: its connection, and the
  /// segment that followed for what was found. Whoever inserts such an entry sets it.
  struct alignas(32) Companion {
    ConnectionRef connection;
    SegmentRef next;
    Version version;  ///< Up to which `next` holds.
    std::uint16_t label_changes;
    std::uint8_t state;  ///< CtState.
    bool is_reply;
  };
  static_assert(sizeof(Companion) == 32);

  /// A key's places and their companions, near enough to share an entry in the TLB.
  struct WindowGroup {
    std::array<WindowEntry, kPlaces> entries;
    std::array<Companion, kPlaces> companions;
  };
  static_assert(sizeof(WindowGroup) == 384);

  /// `entries`: of regular packets, rounded up to a power of two, and a quarter as many others; 0:
  /// none, and nothing but is_enabled() may be called.
  static Result<FlowCache> create(std::uint32_t entries);
  [[nodiscard]] bool is_enabled() const noexcept { return groups_ != nullptr; }

  // Regular packets.
  // -------------------------------------------------------------------------------

  /// `frame`: at least 48 bytes. Returns the hash.
  static std::uint32_t make_key(const std::uint8_t* frame, const ClassMask& mask, Version version,
                                WindowKey& key) noexcept {
    simd::mask_window(frame, mask.window.data(), cache_tag(mask.id, version), key.bytes.data());
    return simd::hash_words<6>(key.bytes.data(), mask.id);
  }
  void prefetch_window(std::uint32_t hash) const noexcept {
    __builtin_prefetch(&window_entry(first_place(hash)));
  }
  /// Where an entry with this hash is looked for first.
  [[nodiscard]] std::uint32_t first_place(std::uint32_t hash) const noexcept {
    return hash & window_mask_;
  }
  /// The entry of this very key and version at its first place, or null.
  [[nodiscard]] const WindowEntry* find_now(const WindowKey& key,
                                            std::uint32_t hash) const noexcept {
    const WindowEntry* entry = &window_entry(first_place(hash));
    return simd::equal56(entry, &key) ? entry : nullptr;
  }
  /// The entry of this key at any of its places, of any version, or null.
  [[nodiscard]] WindowEntry* find_any(const WindowKey& key, std::uint32_t hash) noexcept;
  /// Returns the entry's place.
  std::uint32_t insert(const WindowKey& key, std::uint32_t hash, SegmentRef segment) noexcept;
  /// Its place, for an entry with this hash.
  [[nodiscard]] std::uint32_t place_of(const WindowEntry* entry,
                                       std::uint32_t hash) const noexcept {
    const WindowGroup& group = groups_[first_place(hash) / kPlaces];
    return (first_place(hash) & ~(kPlaces - 1)) |
           static_cast<std::uint32_t>(entry - group.entries.data());
  }
  [[nodiscard]] Companion& companion(std::uint32_t place) noexcept {
    return groups_[place / kPlaces].companions[place % kPlaces];
  }

  // All others.
  // ------------------------------------------------------------------------------------

  /// `key.tag` holds mask id and version, `key.key` the masked words.
  static std::uint32_t make_key(const FlowKey& packet, const ClassMask& mask, Version version,
                                WideEntry& key) noexcept;
  void prefetch_wide(std::uint32_t hash) const noexcept {
    __builtin_prefetch(&wide_[hash & wide_mask_]);
    __builtin_prefetch(&wide_[hash & wide_mask_].key[8]);
  }
  [[nodiscard]] WideEntry* find_any(const WideEntry& key, std::uint32_t hash) noexcept;
  void insert(const WideEntry& key, std::uint32_t hash) noexcept;

 private:
  [[nodiscard]] WindowEntry& window_entry(std::uint32_t place) const noexcept {
    return groups_[place / kPlaces].entries[place % kPlaces];
  }

  ReservedMemory window_memory_;
  ReservedMemory wide_memory_;
  WindowGroup* groups_ = nullptr;
  WideEntry* wide_ = nullptr;
  std::uint32_t window_mask_ = 0;
  std::uint32_t wide_mask_ = 0;
  std::uint32_t victim_ = 0;
};

}  // namespace hoist::software

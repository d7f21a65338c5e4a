// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "classifier/ref.hpp"
#include "classifier/stored_entry.hpp"

namespace hoist::software {

/// Eight chains of a Leaf, and what each asks of one word of the key: passes if (word & mask) ==
/// value.
struct alignas(64) LeafChunk {
  static constexpr std::size_t kLanes = 8;
  std::array<std::atomic<std::uint64_t>, kLanes> values;
  std::array<std::atomic<std::uint64_t>, kLanes> masks;
  std::array<Slot, kLanes> slots;  ///< The tag is the highest priority of the chain.

  /// Bit i is set if chain i passes. Free lanes never do.
  [[nodiscard]] std::uint32_t passing(std::uint64_t word) const noexcept {
#if defined(__AVX512F__) && !defined(__SANITIZE_THREAD__)
    // PERF: the whole classifier takes a quarter less on sets with full leaves. The control thread
    // may write a lane meanwhile; a lane torn between old and new passes or not, and neither harms:
    // what passes is compared whole, and what is new is not for readers that do not see it whole.
    const __m512i value = _mm512_load_si512(values.data());
    const __m512i mask = _mm512_load_si512(masks.data());
    const __m512i key = _mm512_set1_epi64(static_cast<long long>(word));
    return _mm512_cmpeq_epi64_mask(_mm512_and_si512(key, mask), value);
#else
    return passing_scalar(word);
#endif
  }
  [[nodiscard]] std::uint32_t passing_scalar(std::uint64_t word) const noexcept {
    std::uint32_t lanes = 0;
    for (std::uint32_t i = 0; i < kLanes; ++i) {
      const std::uint64_t masked = word & masks[i].load(std::memory_order_relaxed);
      lanes |= std::uint32_t{masked == values[i].load(std::memory_order_relaxed)} << i;
    }
    return lanes;
  }

  /// Control thread.
  void set_filter(std::size_t lane, std::uint64_t value, std::uint64_t mask) noexcept {
    values[lane].store(value, std::memory_order_relaxed);
    masks[lane].store(mask, std::memory_order_relaxed);
  }
  void set_free(std::size_t lane) noexcept { set_filter(lane, 1, 0); }
};
static_assert(sizeof(LeafChunk) == 192);

/// Some chains of entries, compared one by one: those at least that pass a filter on one word of
/// the key, the word that tells these chains apart best. So most are passed over without a look at
/// their memory. Sorted by priority when made; what is put into free lanes later is not. One
/// writer, any number of readers.
class alignas(64) Leaf {
 public:
  /// Takes chains in any order, with room for `capacity` of them.
  static Leaf* create(std::span<StoredEntry* const> chains, std::size_t capacity);
  static void destroy(void* leaf) noexcept;

  [[nodiscard]] std::span<const LeafChunk> chunks() const noexcept {
    return {reinterpret_cast<const LeafChunk*>(this + 1), chunk_count_};
  }
  /// The word of the key that the filters are for.
  [[nodiscard]] unsigned word() const noexcept { return word_; }

  // The rest: control thread.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool is_full() const noexcept { return size_ == chunk_count_ * LeafChunk::kLanes; }
  /// The slot whose chain has this match, or null.
  [[nodiscard]] Slot* find(const StoredEntry& entry) noexcept;
  /// Any chain of it; it must not be empty.
  [[nodiscard]] StoredEntry* any() const noexcept;
  void add(StoredEntry* chain) noexcept;
  void erase(Slot* slot) noexcept;

 private:
  Leaf(std::size_t chunk_count, unsigned word) noexcept
      : chunk_count_(static_cast<std::uint32_t>(chunk_count)),
        word_(static_cast<std::uint8_t>(word)) {}
  [[nodiscard]] std::span<LeafChunk> mutable_chunks() noexcept {
    return {reinterpret_cast<LeafChunk*>(this + 1), chunk_count_};
  }
  [[nodiscard]] std::uint64_t filter_value(const StoredEntry& chain) const noexcept {
    return chain.mask->word(word_) == 0 ? 0 : chain.value(word_);
  }

  const std::uint32_t chunk_count_;
  const std::uint8_t word_;
  std::uint32_t size_ = 0;
};

}  // namespace hoist::software

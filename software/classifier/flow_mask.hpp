// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "hoist/match.hpp"

namespace hoist::software {

/// Spreads the bits of `h` combined with one more word over all of 64 bits: the two halves of a
/// full product, because the low half alone would lose what lies in the word's high bits.
[[nodiscard]] inline std::uint64_t mix(std::uint64_t h, std::uint64_t word) noexcept {
  __extension__ using Product = unsigned __int128;
  const auto product = static_cast<Product>(h ^ word) * 0x9e3779b97f4a7c15u;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// A set of bits of a FlowKey: only the words that are not zero, in ascending order. Starts a cache
/// line, and most masks end in it.
class alignas(64) FlowMask {
 public:
  /// Words that are compared or hashed without a branch, whether there are that many or not.
  static constexpr std::size_t kInline = 3;

  FlowMask() = default;
  explicit FlowMask(const MiniMatch& match) : map_(match.map()) {
    std::ranges::transform(match.words(), words_.begin(), &MiniMatch::Word::mask);
    std::uint64_t m = map_;
    for (std::size_t i = 0; i < kInline && m != 0; ++i, m &= m - 1) {
      inline_index_[i] = static_cast<std::uint8_t>(std::countr_zero(m));
    }
  }

  /// Bit i is set if word i of the key has any bit of the set.
  [[nodiscard]] std::uint64_t map() const noexcept { return map_; }
  /// One element for each bit of map().
  [[nodiscard]] std::span<const std::uint64_t> words() const noexcept {
    return {words_.data(), static_cast<std::size_t>(std::popcount(map_))};
  }
  /// The set's bits in word i of the key.
  [[nodiscard]] std::uint64_t word(unsigned i) const noexcept {
    const std::uint64_t bit = std::uint64_t{1} << i;
    return (map_ & bit) == 0 ? 0
                             : words_[static_cast<std::size_t>(std::popcount(map_ & (bit - 1)))];
  }
  /// The first kInline of words(), 0 where there are fewer, and which words of the key they are.
  [[nodiscard]] const std::uint64_t* inline_words() const noexcept { return words_.data(); }
  [[nodiscard]] const std::array<std::uint8_t, kInline>& inline_index() const noexcept {
    return inline_index_;
  }
  /// Adds a word behind those there are. `bits` must not be 0.
  void append(unsigned i, std::uint64_t bits) noexcept {
    const std::size_t n = words().size();
    if (n < kInline) inline_index_[n] = static_cast<std::uint8_t>(i);
    words_[n] = bits;
    map_ |= std::uint64_t{1} << i;
  }
  /// ORs the set into `key`.
  void add_to(FlowKey& key) const noexcept {
    const std::uint64_t* w = words_.data();
    for (std::uint64_t m = map_; m != 0; m &= m - 1) hoist::words(key)[std::countr_zero(m)] |= *w++;
  }

  [[nodiscard]] bool is_mask_of(const MiniMatch& match) const noexcept {
    return map_ == match.map() &&
           std::ranges::equal(words(), match.words(), {}, {}, &MiniMatch::Word::mask);
  }
  [[nodiscard]] std::uint64_t hash() const noexcept {
    std::uint64_t h = map_;
    for (const std::uint64_t w : words()) h = mix(h, w);
    return h;
  }
  /// The hash() of the match's mask.
  [[nodiscard]] static std::uint64_t hash(const MiniMatch& match) noexcept {
    std::uint64_t h = match.map();
    for (const MiniMatch::Word& w : match.words()) h = mix(h, w.mask);
    return h;
  }

 private:
  std::uint64_t map_ = 0;
  std::array<std::uint8_t, kInline> inline_index_{};
  std::array<std::uint64_t, kFlowKeyWords> words_{};
};

}  // namespace hoist::software

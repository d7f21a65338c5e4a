// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "hoist/match.hpp"

namespace hoist::software {

/// Spreads the bits of `h` combined with one more word over all of 64 bits.
[[nodiscard]] inline std::uint64_t mix(std::uint64_t h, std::uint64_t word) noexcept {
  h = (h ^ word) * 0x9e3779b97f4a7c15u;
  return h ^ (h >> 32);
}

/// A set of bits of a FlowKey: only the words that are not zero, in ascending order.
struct FlowMask {
  std::uint64_t map = 0;  ///< Bit i is set if word i has any bit.
  std::vector<std::uint64_t> words;

  FlowMask() = default;
  explicit FlowMask(const MiniMatch& match) : map(match.map()) {
    words.reserve(match.words().size());
    for (const MiniMatch::Word& w : match.words()) words.push_back(w.mask);
  }

  bool operator==(const FlowMask&) const = default;

  [[nodiscard]] bool is_mask_of(const MiniMatch& match) const noexcept {
    return map == match.map() &&
           std::ranges::equal(words, match.words(), {}, {}, &MiniMatch::Word::mask);
  }

  /// ORs the set into `key`.
  void add_to(FlowKey& key) const noexcept {
    const std::uint64_t* w = words.data();
    for (std::uint64_t m = map; m != 0; m &= m - 1) hoist::words(key)[std::countr_zero(m)] |= *w++;
  }

  [[nodiscard]] static std::uint64_t hash(const MiniMatch& match) noexcept {
    std::uint64_t h = match.map();
    for (const MiniMatch::Word& w : match.words()) h = mix(h, w.mask);
    return h;
  }
};

}  // namespace hoist::software

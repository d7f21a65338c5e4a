// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>

#include "hoist/flow_key.hpp"

namespace hoist {

/// What a rule matches, laid out in full: handy to build, 544 bytes to keep.
/// Invariant: value has no bit outside mask.
struct Match {
  FlowKey value{};
  FlowKey mask{};
  bool operator==(const Match&) const = default;
};

/// A Match in little room: only the words whose mask is not zero. Immutable once made.
class MiniMatch {
 public:
  struct Word {
    std::uint64_t value;
    std::uint64_t mask;
    bool operator==(const Word&) const = default;
  };

  MiniMatch() = default;
  explicit MiniMatch(const Match& match) {
    const KeyWord* mask = hoist::words(match.mask);
    for (std::size_t i = 0; i < kFlowKeyWords; ++i) map_ |= std::uint64_t{mask[i] != 0} << i;
    words_ = std::make_unique<Word[]>(size());
    const KeyWord* value = hoist::words(match.value);
    std::size_t n = 0;
    for (std::uint64_t m = map_; m != 0; m &= m - 1) {
      const int i = std::countr_zero(m);
      words_[n++] = Word{value[i], mask[i]};
    }
  }
  MiniMatch(MiniMatch&&) noexcept = default;
  MiniMatch& operator=(MiniMatch&&) noexcept = default;
  MiniMatch(const MiniMatch& other) : map_(other.map_), words_(std::make_unique<Word[]>(size())) {
    std::copy_n(other.words_.get(), size(), words_.get());
  }
  MiniMatch& operator=(const MiniMatch& other) {
    if (this != &other) *this = MiniMatch(other);
    return *this;
  }

  /// Bit i is set if word i of the key is consulted.
  [[nodiscard]] std::uint64_t map() const noexcept { return map_; }
  /// One element for each bit of map(), in ascending order of word.
  [[nodiscard]] std::span<const Word> words() const noexcept { return {words_.get(), size()}; }

  [[nodiscard]] bool matches(const FlowKey& key) const noexcept {
    const Word* w = words_.get();
    for (std::uint64_t m = map_; m != 0; m &= m - 1, ++w) {
      if ((hoist::words(key)[std::countr_zero(m)] & w->mask) != w->value) return false;
    }
    return true;
  }

  [[nodiscard]] Match expand() const noexcept {
    Match match;
    const Word* w = words_.get();
    for (std::uint64_t m = map_; m != 0; m &= m - 1, ++w) {
      hoist::words(match.value)[std::countr_zero(m)] = w->value;
      hoist::words(match.mask)[std::countr_zero(m)] = w->mask;
    }
    return match;
  }

  bool operator==(const MiniMatch& other) const noexcept {
    return map_ == other.map_ && std::ranges::equal(words(), other.words());
  }

 private:
  [[nodiscard]] std::size_t size() const noexcept {
    return static_cast<std::size_t>(std::popcount(map_));
  }
  std::uint64_t map_ = 0;
  std::unique_ptr<Word[]> words_;
};

/// Says whether some packet could match both.
[[nodiscard]] inline bool overlaps(const MiniMatch& a, const MiniMatch& b) noexcept {
  const MiniMatch::Word* wa = a.words().data();
  const MiniMatch::Word* wb = b.words().data();
  for (std::uint64_t m = a.map() | b.map(); m != 0; m &= m - 1) {
    const std::uint64_t bit = m & -m;
    const bool in_a = (a.map() & bit) != 0;
    const bool in_b = (b.map() & bit) != 0;
    if (in_a && in_b && ((wa->value ^ wb->value) & wa->mask & wb->mask) != 0) return false;
    wa += in_a ? 1 : 0;
    wb += in_b ? 1 : 0;
  }
  return true;
}

/// Says whether every packet that `narrow` matches is matched by `wide` too (OpenFlow 1.3, 6.4:
/// non-strict modify and delete).
[[nodiscard]] inline bool covers(const MiniMatch& wide, const MiniMatch& narrow) noexcept {
  if ((wide.map() & ~narrow.map()) != 0) return false;
  const MiniMatch::Word* ww = wide.words().data();
  const MiniMatch::Word* wn = narrow.words().data();
  for (std::uint64_t m = narrow.map(); m != 0; m &= m - 1, ++wn) {
    if ((wide.map() & (m & -m)) == 0) continue;
    if ((ww->mask & ~wn->mask) != 0 || ((ww->value ^ wn->value) & ww->mask) != 0) return false;
    ++ww;
  }
  return true;
}

}  // namespace hoist

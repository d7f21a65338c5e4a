// SPDX-License-Identifier: BSD-3-Clause
#include "classifier/split.hpp"

#include <array>
#include <bit>
#include <bitset>
#include <cassert>
#include <cmath>
#include <cstdint>

namespace hoist::software {
namespace {

/// Worth, in bits of gain, of an entry that a mask covers. Measured: 0 makes more branches, 4
/// fuller leaves; both are slower on ClassBench's sets.
constexpr double kCoverWorth = 2.0;

using Members = std::bitset<kSplitSample>;

/// k * log2(k).
const std::array<double, kSplitSample + 1>& k_log_k() {
  static const auto kTable = [] {
    std::array<double, kSplitSample + 1> t{};
    for (std::size_t k = 2; k < t.size(); ++k) {
      t[k] = static_cast<double>(k) * std::log2(static_cast<double>(k));
    }
    return t;
  }();
  return kTable;
}

/// Some bits of one byte of the key, as a candidate for a mask.
struct Candidate {
  std::uint64_t bits;  ///< In place in the word.
  std::uint8_t word;
  std::uint8_t shift;
  Members covered;  ///< The entries that have these bits.
  std::array<std::uint8_t, kSplitSample> values;
};

/// Entries by number, and the group that each is in: those that agree on all bits chosen so far.
struct Partition {
  Members covered;
  std::array<std::uint8_t, kSplitSample> group{};
  double score = 0;
};

class Chooser {
 public:
  explicit Chooser(std::span<StoredEntry* const> entries) : entries_(entries) {
    assert(entries.size() <= kSplitSample);
    std::uint64_t map = 0;
    for (const StoredEntry* e : entries) map |= e->mask->map();
    for (; map != 0; map &= map - 1) add_word(static_cast<std::uint8_t>(std::countr_zero(map)));
  }

  /// The mask of highest gain for the members; empty if none has any.
  FlowMask choose(const Members& members, Members& covered) {
    Partition best;
    best.covered = members;
    best.score = kCoverWorth * static_cast<double>(members.count());
    std::array<std::uint64_t, kFlowKeyWords> mask{};
    while (const Candidate* c = best_step(members, best)) mask[c->word] |= c->bits;
    covered = best.covered;
    FlowMask chosen;
    for (unsigned w = 0; w < mask.size(); ++w) {
      if (mask[w] != 0) chosen.append(w, common_bits(w, covered));
    }
    return chosen;
  }

 private:
  /// The bits of a word that all these entries have.
  [[nodiscard]] std::uint64_t common_bits(unsigned word, const Members& members) const {
    std::uint64_t bits = ~std::uint64_t{0};
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (members[i]) bits &= entries_[i]->mask->word(word);
    }
    return bits;
  }
  void add_word(std::uint8_t word);
  void add_candidate(std::uint8_t word, std::uint8_t shift, std::uint64_t byte_mask);
  [[nodiscard]] Partition refine(const Members& members, const Partition& from, const Candidate& c);

  /// Takes the candidate that raises the score most; null if none does.
  const Candidate* best_step(const Members& members, Partition& best) {
    const Candidate* chosen = nullptr;
    const Partition from = best;
    for (const Candidate& c : candidates_) {
      Partition next = refine(members, from, c);
      if (next.score <= best.score + 1e-9) continue;
      best = next;
      chosen = &c;
    }
    return chosen;
  }

  /// Numbers pairs (group, value) in order of appearance. A hash table of twice the pairs there can
  /// be.
  struct Pair {
    std::uint32_t epoch;
    std::uint16_t key;
    std::uint8_t number;
  };
  static constexpr std::size_t kPairs = kSplitSample * 2;

  std::span<StoredEntry* const> entries_;
  std::vector<Candidate> candidates_;
  std::array<Pair, kPairs> pairs_{};
  std::uint32_t epoch_ = 0;
};

void Chooser::add_word(std::uint8_t word) {
  for (std::uint8_t shift = 0; shift < 64; shift = static_cast<std::uint8_t>(shift + 8)) {
    std::array<std::uint8_t, 256> counts{};
    std::size_t commonest = 0;  // Of the masks that have some bits of the byte.
    for (const StoredEntry* e : entries_) {
      const auto m = static_cast<std::uint8_t>(e->mask->word(word) >> shift);
      ++counts[m];
      if (m != 0 && m != 0xff && (commonest == 0 || counts[m] > counts[commonest])) commonest = m;
    }
    if (counts[0xff] != 0) add_candidate(word, shift, 0xff);
    if (commonest != 0) add_candidate(word, shift, commonest);
  }
}

void Chooser::add_candidate(std::uint8_t word, std::uint8_t shift, std::uint64_t byte_mask) {
  Candidate c{byte_mask << shift, word, shift, {}, {}};
  bool has_difference = false;
  int first = -1;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const StoredEntry& e = *entries_[i];
    if ((c.bits & ~e.mask->word(word)) != 0) continue;
    c.covered.set(i);
    c.values[i] = static_cast<std::uint8_t>((e.value(word) & c.bits) >> shift);
    if (first < 0) first = c.values[i];
    has_difference |= c.values[i] != first;
  }
  if (has_difference) candidates_.push_back(c);
}

Partition Chooser::refine(const Members& members, const Partition& from, const Candidate& c) {
  Partition to;
  to.covered = from.covered & c.covered;
  std::array<std::uint8_t, kSplitSample> sizes{};
  std::uint8_t groups = 0;
  ++epoch_;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (!to.covered[i]) continue;
    const auto key = static_cast<std::uint16_t>(from.group[i] << 8 | c.values[i]);
    std::size_t at = (key * 0x9e37u >> 4) % kPairs;
    while (pairs_[at].epoch == epoch_ && pairs_[at].key != key) at = (at + 1) % kPairs;
    if (pairs_[at].epoch != epoch_) pairs_[at] = {epoch_, key, groups++};
    to.group[i] = pairs_[at].number;
    ++sizes[to.group[i]];
  }
  const auto& table = k_log_k();
  const auto all = static_cast<double>(members.count());
  to.score = static_cast<double>(to.covered.count()) * (std::log2(all) + kCoverWorth);
  for (std::size_t g = 0; g < groups; ++g) to.score -= table[sizes[g]];
  return to;
}

}  // namespace

std::vector<FlowMask> choose_masks(std::span<StoredEntry* const> entries, std::size_t enough,
                                   std::size_t max_masks) {
  std::vector<FlowMask> masks;
  Chooser chooser(entries);
  Members left;
  for (std::size_t i = 0; i < entries.size(); ++i) left.set(i);
  while (left.count() > enough && masks.size() < max_masks) {
    Members covered;
    FlowMask mask = chooser.choose(left, covered);
    if (mask.map() == 0) break;
    left &= ~covered;
    masks.push_back(std::move(mask));
  }
  return masks;
}

}  // namespace hoist::software

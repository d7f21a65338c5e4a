// SPDX-License-Identifier: BSD-3-Clause
#include "classifier/stored_entry.hpp"

#include <algorithm>
#include <new>

namespace hoist::software {

StoredEntry* StoredEntry::create(const Entry& entry, Classifier::Version from,
                                 const MiniMatch& match, const FlowMask& mask) {
  const std::size_t words = std::max(FlowMask::kInline, match.words().size());
  const std::size_t size = sizeof(StoredEntry) + words * sizeof(std::uint64_t);
  auto* stored = new (::operator new(size)) StoredEntry{{entry}, from, kForever, nullptr, &mask, 0};
  auto* value = reinterpret_cast<std::uint64_t*>(stored + 1);
  std::fill_n(value, words, 0);
  for (const MiniMatch::Word& w : match.words()) *value++ = w.value;
  return stored;
}

bool StoredEntry::rest_matches(const FlowKey& key) const noexcept {
  const std::uint64_t* value = values();
  const std::uint64_t* bits = mask->words().data();
  std::uint64_t difference = 0;
  for (std::uint64_t m = mask->map(); m != 0; m &= m - 1) {
    difference |= (words(key)[std::countr_zero(m)] & *bits++) ^ *value++;
  }
  return difference == 0;
}

void StoredEntry::destroy(StoredEntry* entry) noexcept { ::operator delete(entry); }

}  // namespace hoist::software

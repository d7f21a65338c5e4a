// SPDX-License-Identifier: BSD-3-Clause
#include "classifier/stored_entry.hpp"

#include <new>

namespace hoist::software {

StoredEntry* StoredEntry::create(const Entry& entry, Classifier::Version from,
                                 const MiniMatch& match, const FlowMask& mask) {
  const std::size_t size = sizeof(StoredEntry) + match.words().size() * sizeof(std::uint64_t);
  auto* stored = new (::operator new(size)) StoredEntry{{entry}, from, kForever, nullptr, &mask, 0};
  auto* value = reinterpret_cast<std::uint64_t*>(stored + 1);
  for (const MiniMatch::Word& w : match.words()) *value++ = w.value;
  return stored;
}

void StoredEntry::destroy(StoredEntry* entry) noexcept { ::operator delete(entry); }

}  // namespace hoist::software

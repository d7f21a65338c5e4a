// SPDX-License-Identifier: BSD-3-Clause
#include "conntrack/expectation_table.hpp"

#include <utility>

namespace hoist::software {

Result<ExpectationTable> ExpectationTable::create(std::uint64_t seed) {
  ExpectationTable table;
  auto entries = ReservedMemory::create(kCapacity * sizeof(Entry));
  if (!entries) return tl::unexpected(entries.error());
  auto heads = ReservedMemory::create(kBuckets * sizeof(std::atomic<std::uint32_t>));
  if (!heads) return tl::unexpected(heads.error());
  table.entry_memory_ = std::move(*entries);
  table.head_memory_ = std::move(*heads);
  table.entries_ = table.entry_memory_.as<Entry>();
  table.heads_ = table.head_memory_.as<std::atomic<std::uint32_t>>();
  table.seed_ = seed;
  return table;
}

ExpectationTable& ExpectationTable::operator=(ExpectationTable&& other) noexcept {
  entry_memory_ = std::move(other.entry_memory_);
  head_memory_ = std::move(other.head_memory_);
  entries_ = std::exchange(other.entries_, nullptr);
  heads_ = std::exchange(other.heads_, nullptr);
  seed_ = other.seed_;
  taken_ = other.taken_;
  first_free_ = other.first_free_;
  return *this;
}

const ExpectationTable::Entry* ExpectationTable::find_in(std::uint32_t bucket,
                                                         const Tuple& tuple) const noexcept {
  for (std::uint32_t at = head(bucket); at != 0; at = entries_[at - 1].next) {
    if (entries_[at - 1].what.tuple == tuple) return &entries_[at - 1];
  }
  return nullptr;
}

bool ExpectationTable::find(const Tuple& tuple, Expectation& out) const noexcept {
  const std::uint32_t bucket = bucket_of(tuple);
  // Relaxed: who misses what is added at this moment comes a packet early.
  if (head(bucket) == 0) return false;
  Tuple any = tuple;
  any.src_port = Be16{0};
  const std::lock_guard guard(lock_);
  const Entry* found = find_in(bucket, any);
  if (found != nullptr) out = found->what;
  return found != nullptr;
}

void ExpectationTable::add(const Expectation& expectation, Own& own) noexcept {
  const std::uint32_t bucket = bucket_of(expectation.tuple);
  const std::lock_guard guard(lock_);
  if (find_in(bucket, expectation.tuple) != nullptr) return;
  if (own.count == kOwnMost) drop_oldest(own);
  const std::uint32_t place = take_place();
  if (place == 0) return;
  entries_[place - 1] = {
      .what = expectation, .bucket = bucket, .next = head(bucket), .older = own.newest};
  heads_[bucket].store(place, std::memory_order_relaxed);
  own.newest = place;
  ++own.count;
}

void ExpectationTable::forget(Own& own) noexcept {
  const std::lock_guard guard(lock_);
  while (own.newest != 0) {
    const std::uint32_t older = entries_[own.newest - 1].older;
    unlink(own.newest);
    own.newest = older;
  }
  own.count = 0;
}

void ExpectationTable::drop_oldest(Own& own) noexcept {
  std::uint32_t* link = &own.newest;
  while (entries_[*link - 1].older != 0) link = &entries_[*link - 1].older;
  unlink(std::exchange(*link, 0));
  --own.count;
}

std::uint32_t ExpectationTable::take_place() noexcept {
  if (first_free_ != 0) return std::exchange(first_free_, entries_[first_free_ - 1].next);
  return taken_ == kCapacity ? 0 : ++taken_;
}

/// Takes an entry out of its bucket and gives its place back.
void ExpectationTable::unlink(std::uint32_t place) noexcept {
  Entry& entry = entries_[place - 1];
  std::uint32_t before = 0;
  for (std::uint32_t at = head(entry.bucket); at != place; at = entries_[at - 1].next) before = at;
  if (before == 0) {
    heads_[entry.bucket].store(entry.next, std::memory_order_relaxed);
  } else {
    entries_[before - 1].next = entry.next;
  }
  entry.next = std::exchange(first_free_, place);
}

}  // namespace hoist::software

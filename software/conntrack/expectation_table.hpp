// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>

#include "conntrack/connection.hpp"
#include "hoist/error.hpp"
#include "pipeline/reserved_memory.hpp"

namespace hoist::software {

/// A connection that a helper has read about in another one, its parent.
struct Expectation {
  Tuple tuple;       ///< Of its first packet; the source port is 0: any.
  Tuple parent;      ///< The parent's opening direction.
  ConnectionRef by;  ///< The parent.
  std::uint32_t mark;
  std::array<std::uint64_t, 2> label;  ///< Network order. The parent's, as mark is.
  NatKind nat;                         ///< Which end is moved.
  Be16 nat_port;                       ///< kDestination: where to; 0: it stays.
  std::array<std::uint8_t, 16> nat_address;
};

/// All expectations, found by the tuple of the packet at hand. Any thread; where there are none,
/// nobody takes the lock.
///
/// Invariants. 1. A tuple has at most one expectation; the first stays. 2. Each belongs to an owner
/// (the parent's helper), which lists its own, newest first; kOwnMost a list.
class ExpectationTable {
 public:
  static constexpr std::uint32_t kCapacity = 1u << 14;
  static constexpr std::uint32_t kOwnMost = 64;

  /// An owner's expectations. All zero: none. Under the table's lock.
  struct Own {
    std::uint32_t newest;  ///< Place + 1.
    std::uint32_t count;
  };

  /// Fails with kFull.
  static Result<ExpectationTable> create(std::uint64_t seed);
  ExpectationTable() = default;
  ExpectationTable(ExpectationTable&& other) noexcept { *this = std::move(other); }
  ExpectationTable& operator=(ExpectationTable&& other) noexcept;

  /// Drops the owner's oldest if it has too many; does nothing if the table is full or the tuple
  /// expected already.
  void add(const Expectation& expectation, Own& own) noexcept;
  /// Forgets all of an owner's.
  void forget(Own& own) noexcept;
  /// What is expected of the first packet of a connection with this tuple.
  [[nodiscard]] bool find(const Tuple& tuple, Expectation& out) const noexcept;
  /// Calls visit(expectation) for each, with the lock held.
  template <class Visit>
  void each(Visit visit) const {
    const std::lock_guard guard(lock_);
    for (std::uint32_t b = 0; b < kBuckets; ++b) {
      for (std::uint32_t at = head(b); at != 0; at = entries_[at - 1].next) {
        visit(entries_[at - 1].what);
      }
    }
  }

 private:
  static constexpr std::uint32_t kBuckets = 1u << 12;
  struct Entry {
    Expectation what;
    std::uint32_t bucket;
    std::uint32_t next;   ///< In the bucket, or of the free ones. Place + 1, as all of these.
    std::uint32_t older;  ///< Of the owner's.
  };

  [[nodiscard]] std::uint32_t bucket_of(Tuple tuple) const noexcept {
    tuple.src_port = Be16{0};
    return hash_of(words_of(tuple), seed_) % kBuckets;
  }
  [[nodiscard]] std::uint32_t head(std::uint32_t bucket) const noexcept {
    return heads_[bucket].load(std::memory_order_relaxed);
  }
  [[nodiscard]] const Entry* find_in(std::uint32_t bucket, const Tuple& tuple) const noexcept;
  [[nodiscard]] std::uint32_t take_place() noexcept;
  void unlink(std::uint32_t place) noexcept;
  void drop_oldest(Own& own) noexcept;

  ReservedMemory entry_memory_, head_memory_;
  Entry* entries_ = nullptr;
  std::atomic<std::uint32_t>* heads_ = nullptr;
  std::uint64_t seed_ = 0;
  std::uint32_t taken_ = 0;       ///< Places that have ever been used.
  std::uint32_t first_free_ = 0;  ///< Place + 1.
  mutable SpinLock lock_{};
};

}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "conntrack/connection.hpp"
#include "hoist/error.hpp"
#include "pipeline/reserved_memory.hpp"

namespace hoist::software {

/// All connections, found by the tuples of both their directions.
///
/// Any thread may call anything. Lookups take no lock; an insertion or removal locks the two of
/// kShards shards that its tuples belong to. Nothing is ever allocated: connections and buckets lie
/// in memory that is reserved at the start and touched as the table fills; each shard doubles its
/// buckets by itself.
///
/// Invariants. 1. A tuple names at most one connection that lives. 2. What is found in a bucket
/// says nothing until the connection's generation and tuple agree. 3. A connection's place is given
/// again only when no bucket names it.
class ConnectionTable {
 public:
  struct Config {
    std::uint32_t capacity = 1u << 24;  ///< Connections; a power of two, at least kShards.
    std::uint64_t seed = 0;             ///< Random.
  };
  /// Fails with kFull.
  static Result<std::unique_ptr<ConnectionTable>> create(const Config& config);

  struct Found {
    Connection* connection = nullptr;  ///< Null: there is none.
    ConnectionRef ref;
    bool is_reply = false;
  };
  [[nodiscard]] std::uint32_t hash(const TupleWords& tuple) const noexcept {
    return hash_of(tuple, seed_);
  }
  void prefetch(std::uint32_t hash) const noexcept;
  /// The connection of which this is a tuple and whose time is not over.
  [[nodiscard]] Found find(const TupleWords& tuple, std::uint32_t hash,
                           std::uint64_t now_ms) const noexcept;
  [[nodiscard]] Found find(const Tuple& tuple, std::uint64_t now_ms) const noexcept {
    const TupleWords w = words_of(tuple);
    return find(w, hash(w), now_ms);
  }

  enum class Insertion : std::uint8_t {
    kDone,
    kExists,  ///< One of the tuples is another connection's, alive or past its time.
    kFull,
  };
  struct Inserted {
    Insertion outcome;
    ConnectionRef ref;  ///< kExists: whose tuple it is.
  };
  /// Makes a connection. `fill(connection)` sets all but tuples and generation; it is called with
  /// the connection's lock held, before anybody can find it. Threads that take from different
  /// `arena`s (of kArenas) do not wait for each other there.
  template <class Fill>
  Inserted insert(const Tuple& forward, const Tuple& reply, Fill fill,
                  std::uint32_t arena = 0) noexcept {
    const Pending pending = begin_insert(forward, reply, arena % kArenas);
    if (pending.outcome != Insertion::kDone) return {pending.outcome, pending.other};
    Connection& connection = at(pending.index);
    connection.lock.lock();
    fill(connection);
    connection.lock.unlock();
    return {Insertion::kDone, finish_insert(pending, forward, reply)};
  }

  /// Ends a connection's life, if it is still this one; says whether it was. The tuple of its
  /// opening direction is left in `forward`.
  bool remove(ConnectionRef ref, Tuple& forward) noexcept;

  /// Control thread. Has the system give the memory of the connections to come, for which workers
  /// would wait otherwise. Does nothing until there has been one.
  void provide_ahead() noexcept;

  [[nodiscard]] Connection& at(std::uint32_t index) noexcept { return connections_[index]; }
  [[nodiscard]] const Connection& at(std::uint32_t index) const noexcept {
    return connections_[index];
  }
  /// Places run from 0 to below this.
  [[nodiscard]] std::uint32_t end() const noexcept;
  [[nodiscard]] std::uint64_t bucket_count() const noexcept;

 private:
  static constexpr unsigned kShardBits = 10;
  static constexpr std::uint32_t kShards = 1u << kShardBits;
  static constexpr std::uint32_t kSlots = 7;
  static constexpr std::uint32_t kArenas = 64;
  static constexpr std::uint32_t kChunk = 16;  ///< Places that an arena gets at a time.

  /// One cache line. A slot: the tuple's hash, then kUsed, place and direction; 0: free.
  struct alignas(64) Bucket {
    std::array<std::atomic<std::uint64_t>, kSlots> slots;
    /// Tuples that belong here or before and lie further on.
    std::atomic<std::uint64_t> passed;
  };
  struct alignas(64) Shard {
    SpinLock lock;
    std::uint32_t tuple_count;
  };
  /// Places that are free. What one thread takes in a row lies in a row.
  struct alignas(64) Arena {
    SpinLock lock;
    std::uint32_t first_free;  ///< Place + 1; 0: none.
  };
  struct Pending {
    Insertion outcome;
    std::uint32_t index;
    std::array<std::uint32_t, 2> hashes;
    ConnectionRef other;
  };

  ConnectionTable() = default;
  Pending begin_insert(const Tuple& forward, const Tuple& reply, std::uint32_t arena) noexcept;
  ConnectionRef finish_insert(const Pending& pending, const Tuple& forward,
                              const Tuple& reply) noexcept;
  [[nodiscard]] ConnectionRef find_any(const TupleWords& tuple, std::uint32_t hash,
                                       bool& is_reply) const noexcept;
  [[nodiscard]] static std::uint32_t shard_of(std::uint32_t hash) noexcept {
    return hash & (kShards - 1);
  }
  [[nodiscard]] Bucket& bucket(std::uint32_t hash, std::uint32_t step,
                               std::uint32_t mask) const noexcept {
    const std::uint32_t b = ((hash >> kShardBits) + step) & mask;
    return buckets_[(std::size_t{b} << kShardBits) | shard_of(hash)];
  }
  void lock_both(std::uint32_t a, std::uint32_t b) noexcept;
  void unlock_both(std::uint32_t a, std::uint32_t b) noexcept;
  [[nodiscard]] bool make_room(std::uint32_t shard, std::uint32_t tuples) noexcept;
  void grow(std::uint32_t shard, std::uint32_t mask) noexcept;
  void put(std::uint32_t hash, std::uint64_t slot, std::uint32_t mask) noexcept;
  void erase(std::uint32_t hash, std::uint64_t slot) noexcept;
  [[nodiscard]] bool take_place(std::uint32_t arena, std::uint32_t& index) noexcept;
  [[nodiscard]] bool take_from(std::uint32_t arena, std::uint32_t& index) noexcept;
  void refill(std::uint32_t arena) noexcept;
  void give_back(std::uint32_t index) noexcept;

  ReservedMemory connection_memory_, bucket_memory_, shard_memory_, layout_memory_, scratch_memory_;
  ReservedMemory arena_memory_;
  Connection* connections_ = nullptr;
  Bucket* buckets_ = nullptr;
  Shard* shards_ = nullptr;
  Arena* arenas_ = nullptr;
  /// By shard: a number that is odd while tuples move, then the mask of its buckets. Read with
  /// every lookup, so apart from the locks.
  std::atomic<std::uint64_t>* layouts_ = nullptr;
  std::uint64_t seed_ = 0;
  std::uint32_t capacity_ = 0;
  std::uint32_t buckets_most_ = 0;  ///< Of a shard.
  std::uint32_t places_provided_ = 0;
  std::uint32_t buckets_provided_ = 0;  ///< Of each shard.
  alignas(64) std::atomic<std::uint32_t> taken_{0};
  SpinLock scratch_lock_{};
};

}  // namespace hoist::software

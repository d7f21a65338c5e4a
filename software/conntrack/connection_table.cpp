// SPDX-License-Identifier: BSD-3-Clause
#include "conntrack/connection_table.hpp"

#include <algorithm>
#include <bit>
#include <mutex>

namespace hoist::software {
namespace {

constexpr std::uint32_t kGrowsAbove = 5;  // Tuples a bucket, of 7.
constexpr std::uint64_t kUsed = std::uint64_t{1} << 31;

std::uint64_t slot_of(std::uint32_t hash, std::uint32_t index, unsigned direction) noexcept {
  return std::uint64_t{hash} << 32 | kUsed | std::uint64_t{index} << 1 | direction;
}
std::uint32_t index_of(std::uint64_t slot) noexcept {
  return static_cast<std::uint32_t>(slot & (kUsed - 1)) >> 1;
}
std::uint32_t mask_of(std::uint64_t layout) noexcept { return static_cast<std::uint32_t>(layout); }
bool is_moving(std::uint64_t layout) noexcept { return (layout >> 32 & 1) != 0; }

}  // namespace

Result<std::unique_ptr<ConnectionTable>> ConnectionTable::create(const Config& config) {
  auto table = std::unique_ptr<ConnectionTable>(new ConnectionTable);
  table->capacity_ = std::bit_ceil(std::max(config.capacity, kShards * kChunk));
  table->seed_ = config.seed;
  // Two tuples a connection; never more than 4 of 7 slots taken, give or take a shard's luck.
  table->buckets_most_ = std::max(std::bit_ceil(table->capacity_ / kShards * 2 / 4), 8u);
  const std::size_t buckets = std::size_t{table->buckets_most_} * kShards;
  for (auto [memory, size] :
       {std::pair{&table->connection_memory_, table->capacity_ * sizeof(Connection)},
        std::pair{&table->bucket_memory_, buckets * sizeof(Bucket)},
        std::pair{&table->shard_memory_, kShards * sizeof(Shard)},
        std::pair{&table->arena_memory_, kArenas * sizeof(Arena)},
        std::pair{&table->layout_memory_, kShards * sizeof(std::uint64_t)},
        std::pair{&table->scratch_memory_,
                  std::size_t{table->buckets_most_} * kSlots * sizeof(std::uint64_t)}}) {
    auto created = ReservedMemory::create(size);
    if (!created) return tl::unexpected(created.error());
    *memory = std::move(*created);
  }
  table->connections_ = table->connection_memory_.as<Connection>();
  table->buckets_ = table->bucket_memory_.as<Bucket>();
  table->shards_ = table->shard_memory_.as<Shard>();
  table->arenas_ = table->arena_memory_.as<Arena>();
  table->layouts_ = table->layout_memory_.as<std::atomic<std::uint64_t>>();
  return table;
}

std::uint32_t ConnectionTable::end() const noexcept {
  return std::min(taken_.load(std::memory_order_relaxed), capacity_);
}

void ConnectionTable::provide_ahead() noexcept {
  constexpr std::uint32_t kAhead = 1u << 15;  // A worker takes 10 ms to fill it.
  const std::uint32_t taken = end();
  if (taken == 0) return;
  const std::uint32_t places = std::min(capacity_, taken + kAhead);
  if (places - places_provided_ >= kAhead / 8) {
    connection_memory_.provide(places_provided_ * sizeof(Connection),
                               (places - places_provided_) * sizeof(Connection));
    places_provided_ = places;
  }
  // A shard may have an eighth more tuples than most, and then as many buckets as they fill.
  const std::uint32_t tuples = places / kShards * 2 * 9 / 8;
  const std::uint32_t buckets = std::min(buckets_most_, std::bit_ceil(tuples / kGrowsAbove + 1));
  if (buckets <= buckets_provided_) return;
  constexpr std::size_t kRow = kShards * sizeof(Bucket);
  bucket_memory_.provide(buckets_provided_ * kRow, (buckets - buckets_provided_) * kRow);
  buckets_provided_ = buckets;
}

std::uint64_t ConnectionTable::bucket_count() const noexcept {
  std::uint64_t n = 0;
  for (std::uint32_t s = 0; s < kShards; ++s) {
    n += std::uint64_t{mask_of(layouts_[s].load(std::memory_order_relaxed))} + 1;
  }
  return n;
}

void ConnectionTable::prefetch(std::uint32_t hash) const noexcept {
  const std::uint64_t layout = layouts_[shard_of(hash)].load(std::memory_order_relaxed);
  __builtin_prefetch(&bucket(hash, 0, mask_of(layout)));
}

// A tuple that is there throughout is found: its slot does not move but while the shard grows, and
// then the layout tells. The acquires pair with the releases in put(), erase() and grow(): who sees
// a slot that grow() has moved sees that the layout was odd.
ConnectionRef ConnectionTable::find_any(const TupleWords& tuple, std::uint32_t hash,
                                        bool& is_reply) const noexcept {
  const std::atomic<std::uint64_t>& layout_now = layouts_[shard_of(hash)];
  for (;;) {
    const std::uint64_t layout = layout_now.load(std::memory_order_acquire);
    const std::uint32_t mask = mask_of(layout);
    for (std::uint32_t step = 0; step <= mask; ++step) {
      const Bucket& b = bucket(hash, step, mask);
      for (const auto& s : b.slots) {
        const std::uint64_t slot = s.load(std::memory_order_acquire);
        if (slot >> 32 != hash || (slot & kUsed) == 0) continue;
        const Connection& c = connections_[index_of(slot)];
        const std::uint32_t generation = c.generation.load(std::memory_order_acquire);
        const bool is_back = (slot & 1) != 0;
        if (!is_live(generation) || !(is_back ? c.reply : c.forward).equals(tuple)) continue;
        if (c.generation.load(std::memory_order_relaxed) != generation) continue;
        is_reply = is_back;
        return {index_of(slot), generation};
      }
      if (b.passed.load(std::memory_order_acquire) == 0) break;
    }
    if (layout_now.load(std::memory_order_acquire) == layout && !is_moving(layout)) return {};
    rte_pause();
  }
}

ConnectionTable::Found ConnectionTable::find(const TupleWords& tuple, std::uint32_t hash,
                                             std::uint64_t now_ms) const noexcept {
  Found found;
  found.ref = find_any(tuple, hash, found.is_reply);
  if (found.ref.is_none()) return found;
  Connection& c = connections_[found.ref.index];
  if (c.expires_ms.load(std::memory_order_relaxed) <= now_ms) {
    found.ref = {};
  } else {
    found.connection = &c;
  }
  return found;
}

void ConnectionTable::lock_both(std::uint32_t a, std::uint32_t b) noexcept {
  shards_[std::min(a, b)].lock.lock();
  if (a != b) shards_[std::max(a, b)].lock.lock();
}
void ConnectionTable::unlock_both(std::uint32_t a, std::uint32_t b) noexcept {
  shards_[a].lock.unlock();
  if (a != b) shards_[b].lock.unlock();
}

ConnectionTable::Pending ConnectionTable::begin_insert(const Tuple& forward, const Tuple& reply,
                                                       std::uint32_t arena) noexcept {
  const std::array<TupleWords, 2> words = {words_of(forward), words_of(reply)};
  Pending pending{Insertion::kDone, 0, {hash(words[0]), hash(words[1])}, {}};
  const std::uint32_t a = shard_of(pending.hashes[0]);
  const std::uint32_t b = shard_of(pending.hashes[1]);
  lock_both(a, b);
  bool is_reply;
  for (std::size_t i = 0; i < 2 && pending.other.is_none(); ++i) {
    pending.other = find_any(words[i], pending.hashes[i], is_reply);
  }
  if (!pending.other.is_none()) {
    unlock_both(a, b);
    pending.outcome = Insertion::kExists;
    return pending;
  }
  const bool has_room = make_room(a, a == b ? 2 : 1) && (a == b || make_room(b, 1));
  if (has_room && take_place(arena, pending.index)) return pending;
  unlock_both(a, b);
  pending.outcome = Insertion::kFull;
  return pending;
}

ConnectionRef ConnectionTable::finish_insert(const Pending& pending, const Tuple& forward,
                                             const Tuple& reply) noexcept {
  Connection& c = at(pending.index);
  c.forward.store(forward);
  c.reply.store(reply);
  const std::uint32_t generation = c.generation.load(std::memory_order_relaxed) + 1;
  // Release: pairs with the acquire in find_any(): who sees it odd sees the tuples.
  c.generation.store(generation, std::memory_order_release);
  for (unsigned i = 0; i < 2; ++i) {
    const std::uint32_t shard = shard_of(pending.hashes[i]);
    put(pending.hashes[i], slot_of(pending.hashes[i], pending.index, i),
        mask_of(layouts_[shard].load(std::memory_order_relaxed)));
    ++shards_[shard].tuple_count;
  }
  unlock_both(shard_of(pending.hashes[0]), shard_of(pending.hashes[1]));
  return {pending.index, generation};
}

bool ConnectionTable::remove(ConnectionRef ref, Tuple& forward) noexcept {
  Connection& c = at(ref.index);
  c.lock.lock();
  if (c.generation.load(std::memory_order_relaxed) != ref.generation) {
    c.lock.unlock();
    return false;
  }
  c.generation.store(ref.generation + 1, std::memory_order_release);
  c.lock.unlock();
  forward = c.forward.load();
  const std::array<std::uint32_t, 2> hashes = {hash(words_of(forward)),
                                               hash(words_of(c.reply.load()))};
  const std::uint32_t a = shard_of(hashes[0]);
  const std::uint32_t b = shard_of(hashes[1]);
  lock_both(a, b);
  for (unsigned i = 0; i < 2; ++i) {
    erase(hashes[i], slot_of(hashes[i], ref.index, i));
    --shards_[shard_of(hashes[i])].tuple_count;
  }
  unlock_both(a, b);
  give_back(ref.index);
  return true;
}

bool ConnectionTable::make_room(std::uint32_t shard, std::uint32_t tuples) noexcept {
  const std::uint32_t mask = mask_of(layouts_[shard].load(std::memory_order_relaxed));
  const std::uint32_t after = shards_[shard].tuple_count + tuples;
  if (after <= (mask + 1) * kGrowsAbove) return true;
  if (mask + 1 < buckets_most_) {
    grow(shard, mask);
    return true;
  }
  return after <= (mask + 1) * kSlots;
}

void ConnectionTable::grow(std::uint32_t shard, std::uint32_t mask) noexcept {
  std::atomic<std::uint64_t>& layout = layouts_[shard];
  const std::uint64_t before = layout.load(std::memory_order_relaxed);
  layout.store(before + (std::uint64_t{1} << 32), std::memory_order_release);
  auto* moved = scratch_memory_.as<std::uint64_t>();
  std::size_t count = 0;
  scratch_lock_.lock();
  for (std::uint32_t i = 0; i <= mask; ++i) {
    Bucket& b = buckets_[(std::size_t{i} << kShardBits) | shard];
    for (auto& s : b.slots) {
      const std::uint64_t slot = s.load(std::memory_order_relaxed);
      if (slot == 0) continue;
      moved[count++] = slot;
      s.store(0, std::memory_order_release);
    }
    b.passed.store(0, std::memory_order_release);
  }
  const std::uint32_t wider = mask * 2 + 1;
  for (std::size_t i = 0; i < count; ++i) {
    put(static_cast<std::uint32_t>(moved[i] >> 32), moved[i], wider);
  }
  scratch_lock_.unlock();
  layout.store(((before >> 32) + 2) << 32 | wider, std::memory_order_release);
}

void ConnectionTable::put(std::uint32_t hash, std::uint64_t slot, std::uint32_t mask) noexcept {
  for (std::uint32_t step = 0;; ++step) {
    Bucket& b = bucket(hash, step, mask);
    for (auto& s : b.slots) {
      if (s.load(std::memory_order_relaxed) != 0) continue;
      s.store(slot, std::memory_order_release);
      return;
    }
    b.passed.store(b.passed.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
}

void ConnectionTable::erase(std::uint32_t hash, std::uint64_t slot) noexcept {
  const std::uint32_t mask = mask_of(layouts_[shard_of(hash)].load(std::memory_order_relaxed));
  for (std::uint32_t step = 0; step <= mask; ++step) {
    Bucket& b = bucket(hash, step, mask);
    for (auto& s : b.slots) {
      if (s.load(std::memory_order_relaxed) != slot) continue;
      s.store(0, std::memory_order_release);
      return;
    }
    b.passed.store(b.passed.load(std::memory_order_relaxed) - 1, std::memory_order_release);
  }
}

// A place that another arena has left, where there are no fresh ones: better than none.
bool ConnectionTable::take_place(std::uint32_t arena, std::uint32_t& index) noexcept {
  if (take_from(arena, index)) return true;
  for (std::uint32_t other = 0; other < kArenas; ++other) {
    if (other != arena && take_from(other, index)) return true;
  }
  return false;
}

bool ConnectionTable::take_from(std::uint32_t arena, std::uint32_t& index) noexcept {
  Arena& a = arenas_[arena];
  const std::lock_guard guard(a.lock);
  if (a.first_free == 0) refill(arena);
  if (a.first_free == 0) return false;
  index = a.first_free - 1;
  a.first_free = connections_[index].next_free;
  if (a.first_free != 0) {
    const auto* next = reinterpret_cast<const std::uint8_t*>(&connections_[a.first_free - 1]);
    for (std::size_t i = 0; i < sizeof(Connection); i += 64) __builtin_prefetch(next + i, 1);
  }
  return true;
}

void ConnectionTable::refill(std::uint32_t arena) noexcept {
  // Relaxed is enough: a place that is all zero is no connection.
  if (taken_.load(std::memory_order_relaxed) >= capacity_) return;
  const std::uint32_t first = taken_.fetch_add(kChunk, std::memory_order_relaxed);
  if (first >= capacity_) return taken_.store(capacity_, std::memory_order_relaxed);
  for (std::uint32_t i = kChunk; i-- > 0;) {
    Connection& c = connections_[first + i];
    c.arena = static_cast<std::uint8_t>(arena);
    c.next_free = arenas_[arena].first_free;
    arenas_[arena].first_free = first + i + 1;
  }
}

void ConnectionTable::give_back(std::uint32_t index) noexcept {
  Connection& c = at(index);
  Arena& a = arenas_[c.arena];
  const std::lock_guard guard(a.lock);
  c.next_free = a.first_free;
  a.first_free = index + 1;
}

}  // namespace hoist::software

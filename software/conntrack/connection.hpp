// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "conntrack/spin_lock.hpp"
#include "conntrack/tcp_tracker.hpp"
#include "conntrack/tuple.hpp"

namespace hoist::software {

/// What a connection that is not TCP has got to.
enum class ExchangeState : std::uint8_t { kFirst, kMultiple, kBoth };

/// Which address of the opening direction is translated.
enum class NatKind : std::uint8_t { kNone, kSource, kDestination };

/// A tuple that one thread writes while others may be reading it: readers find out by the
/// connection's generation that what they read was no tuple.
class SharedTuple {
 public:
  void store(const Tuple& tuple) noexcept {
    const TupleWords w = words_of(tuple);
    // Release: pairs with the acquire in equals(): who sees a word sees the generation before it.
    for (std::size_t i = 0; i < w.size(); ++i) words_[i].store(w[i], std::memory_order_release);
  }
  [[nodiscard]] Tuple load() const noexcept {
    TupleWords w;
    for (std::size_t i = 0; i < w.size(); ++i) w[i] = words_[i].load(std::memory_order_acquire);
    return tuple_of(w);
  }
  [[nodiscard]] bool equals(const TupleWords& w) const noexcept {
    std::uint64_t difference = 0;
    for (std::size_t i = 0; i < w.size(); ++i) {
      difference |= words_[i].load(std::memory_order_acquire) ^ w[i];
    }
    return difference == 0;
  }

 private:
  std::array<std::atomic<std::uint64_t>, 5> words_;
};

/// A connection. Its memory is never given back, so a stale pointer is detected, not followed to
/// its death: the generation is odd while the connection lives, and never the same for two.
///
/// Who may do what: tuples, nat, ties and policy are fixed while it lives. `lock` guards the rest,
/// and the change of the generation; mark, state and expiry may be read without it, each for
/// itself. All zero is a place that has never been used.
struct alignas(64) Connection {
  // Read for every packet.
  std::atomic<std::uint32_t> generation;
  SpinLock lock;
  std::atomic<std::uint8_t> policy;  ///< Timeouts.
  /// Counts changes of mark and label, so that who remembers them need not compare them.
  std::atomic<std::uint16_t> label_changes;
  std::atomic<std::uint64_t> expires_ms;
  SharedTuple forward;
  std::atomic<std::uint32_t> mark;
  std::atomic<ExchangeState> exchange;
  std::atomic<NatKind> nat;
  std::atomic<std::uint8_t> ties;  ///< kExpected, kHelped.
  std::uint8_t arena;              ///< Where its place belongs (ConnectionTable).

  // Read for packets the other way, and for TCP.
  SharedTuple reply;
  TcpPeers peers;

  // Read where somebody asks for it.
  std::array<std::atomic<std::uint64_t>, 2> label;  ///< 16 bytes in network order.
  SharedTuple parent;  ///< The opening direction of the connection whose helper expected this one.
  std::uint32_t next_free;            ///< Under the arena's lock.
  std::atomic<std::uint32_t> helper;  ///< Of ConnectionHelpers; 0: it has none.

  static constexpr std::uint8_t kExpected = 1;  ///< `parent` is set.
  static constexpr std::uint8_t kHelped = 2;    ///< `helper` is.
  [[nodiscard]] bool is_expected() const noexcept {
    return (ties.load(std::memory_order_relaxed) & kExpected) != 0;
  }
  [[nodiscard]] bool is_helped() const noexcept {
    return (ties.load(std::memory_order_relaxed) & kHelped) != 0;
  }
};
static_assert(sizeof(Connection) == 192);
static_assert(offsetof(Connection, reply) == 64 && offsetof(Connection, label) == 128);

[[nodiscard]] constexpr bool is_live(std::uint32_t generation) noexcept {
  return (generation & 1) != 0;
}

/// Names one life of a connection's place. All zero names none.
struct ConnectionRef {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;

  [[nodiscard]] bool is_none() const noexcept { return !is_live(generation); }
  bool operator==(const ConnectionRef&) const = default;
};

}  // namespace hoist::software

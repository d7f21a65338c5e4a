// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

namespace hoist::software {

/// Bounded ring of byte records of any length, from one thread to one other. Neither ever waits.
///
/// Why not an rte_ring: a packet-in is copied once, straight into place, with its frame and all, so
/// no mbuf changes owner and a full ring is found before anything is allocated.
class MessageRing {
 public:
  /// `capacity`: bytes, a power of two.
  explicit MessageRing(std::size_t capacity)
      : capacity_(capacity), bytes_(std::make_unique<std::uint8_t[]>(capacity)) {}

  /// Producer. Room for one record, or an empty span if the ring is full; commit() hands it over.
  [[nodiscard]] std::span<std::uint8_t> reserve(std::size_t size) noexcept {
    const std::size_t need = kHeader + rounded(size);
    if (need > capacity_ / 2) return {};
    const std::uint64_t head = head_.load(std::memory_order_relaxed);
    // Acquire: pairs with the release in release(): the consumer has read what we overwrite.
    const std::uint64_t used = head - tail_.load(std::memory_order_acquire);
    const std::size_t at = head & (capacity_ - 1);
    const std::size_t to_end = capacity_ - at;
    const std::size_t skipped = to_end < need ? to_end : 0;
    if (used + skipped + need > capacity_) return {};
    if (skipped != 0) write_header(at, kSkip);
    start_ = head + skipped;
    write_header(start_ & (capacity_ - 1), size);
    next_ = start_ + need;
    return {bytes_.get() + (start_ & (capacity_ - 1)) + kHeader, size};
  }
  /// Producer. Makes the record of the last reserve() visible.
  void commit() noexcept {
    head_.store(next_, std::memory_order_release);  // pairs with the acquire in front()
  }

  /// Consumer. The oldest record, or an empty span.
  [[nodiscard]] std::span<const std::uint8_t> front() noexcept {
    std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    if (tail == head_.load(std::memory_order_acquire)) return {};
    if (read_header(tail & (capacity_ - 1)) == kSkip) {
      tail = (tail | (capacity_ - 1)) + 1;
      tail_.store(tail, std::memory_order_release);
    }
    const std::size_t at = tail & (capacity_ - 1);
    return {bytes_.get() + at + kHeader, read_header(at)};
  }
  /// Consumer. Gives the record of front() back.
  void release() noexcept {
    const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    const std::size_t size = read_header(tail & (capacity_ - 1));
    tail_.store(tail + kHeader + rounded(size), std::memory_order_release);
  }
  /// Either side: nothing waits.
  [[nodiscard]] bool is_empty() const noexcept {
    return tail_.load(std::memory_order_relaxed) == head_.load(std::memory_order_acquire);
  }

 private:
  static constexpr std::size_t kHeader = 8;
  static constexpr std::uint64_t kSkip = ~std::uint64_t{0};
  static constexpr std::size_t rounded(std::size_t n) noexcept { return (n + 7) & ~std::size_t{7}; }

  void write_header(std::size_t at, std::uint64_t v) noexcept {
    std::memcpy(bytes_.get() + at, &v, sizeof v);
  }
  [[nodiscard]] std::uint64_t read_header(std::size_t at) const noexcept {
    std::uint64_t v;
    std::memcpy(&v, bytes_.get() + at, sizeof v);
    return v;
  }

  const std::size_t capacity_;
  std::unique_ptr<std::uint8_t[]> bytes_;
  std::uint64_t start_ = 0;                         // producer's
  std::uint64_t next_ = 0;                          // producer's
  alignas(64) std::atomic<std::uint64_t> head_{0};  // written by the producer
  alignas(64) std::atomic<std::uint64_t> tail_{0};  // written by the consumer
};

}  // namespace hoist::software

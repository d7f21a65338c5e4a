// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "classifier/ref.hpp"

namespace hoist::software {

/// A cache line of a hash table: seven slots, and a byte of the hash of each, so that one load and
/// a few operations without a branch say which of them may hold a hash. Slots also carry 16 other
/// bits of the hash in their Ref. One writer, any number of readers.
class alignas(64) BucketLine {
 public:
  static constexpr unsigned kSlots = 7;

  /// A set of slots of a line: bit 8 * i + 7 for slot i.
  class Hits {
   public:
    explicit Hits(std::uint64_t bits) noexcept : bits_(bits) {}
    [[nodiscard]] bool any() const noexcept { return bits_ != 0; }
    [[nodiscard]] unsigned first() const noexcept {
      return static_cast<unsigned>(std::countr_zero(bits_)) / 8;
    }
    void drop_first() noexcept { bits_ &= bits_ - 1; }

   private:
    std::uint64_t bits_;
  };

  /// Slots that may hold a bucket of that hash: all that do, and few others.
  [[nodiscard]] Hits hits(std::uint64_t hash) const noexcept {
    // A byte of x is zero where the tags agree; the subtraction finds zero bytes, and now and then
    // one above a zero byte, which the tag of the Ref settles.
    const std::uint64_t x = load() ^ (kOnes * byte_tag(hash));
    return Hits((x - kOnes) & ~x & kSlotBits);
  }
  [[nodiscard]] Hits occupied() const noexcept {
    const std::uint64_t x = load() & kSlotBytes;
    return Hits(((x | ((x & ~kHighs) + ~kHighs)) & kSlotBits));
  }
  /// Buckets that belong to this line may lie in the next.
  [[nodiscard]] bool has_overflowed() const noexcept { return load() >> 56 != 0; }
  [[nodiscard]] const Slot& slot(unsigned i) const noexcept { return slots_[i]; }

  // The rest: control thread.
  [[nodiscard]] Slot& slot(unsigned i) noexcept { return slots_[i]; }
  /// Puts a bucket into a free slot; null if there is none.
  Slot* add(std::uint64_t hash, Ref ref) noexcept;
  void mark_overflowed() noexcept { store(load() | std::uint64_t{1} << 56); }
  /// Says whether the slot is of this line, and empties it.
  bool erase(const Slot* slot) noexcept;

 private:
  static constexpr std::uint64_t kOnes = 0x0101010101010101;
  static constexpr std::uint64_t kHighs = kOnes << 7;
  static constexpr std::uint64_t kSlotBytes = ~std::uint64_t{0} >> 8;
  static constexpr std::uint64_t kSlotBits = kHighs & kSlotBytes;

  /// Never 0, which stands for a free slot.
  [[nodiscard]] static std::uint64_t byte_tag(std::uint64_t hash) noexcept {
    return (hash >> 40 & 0xff) | 1;
  }
  /// Acquire: pairs with store(), so that a slot is complete before its byte is seen.
  [[nodiscard]] std::uint64_t load() const noexcept {
    return tags_.load(std::memory_order_acquire);
  }
  void store(std::uint64_t tags) noexcept { tags_.store(tags, std::memory_order_release); }

  std::atomic<std::uint64_t> tags_{0};  ///< Byte i: of slot i; byte 7: not 0 once overflowed.
  std::array<Slot, kSlots> slots_;
};
static_assert(sizeof(BucketLine) == 64);

/// A power of two of lines. A plain view of what Branch::lines points to.
class BucketLines {
 public:
  BucketLines() = default;
  static BucketLines allocate(std::size_t count);
  static void free(void* lines) noexcept;

  /// Pointer and size in one word, so that readers get both or neither.
  [[nodiscard]] std::uint64_t word() const noexcept {
    return reinterpret_cast<std::uintptr_t>(lines_) | std::uint64_t{shift_} << kShiftAt;
  }
  [[nodiscard]] static BucketLines from_word(std::uint64_t word) noexcept {
    BucketLines b;
    b.lines_ = reinterpret_cast<BucketLine*>(word & ((std::uint64_t{1} << kShiftAt) - 1));
    b.shift_ = static_cast<std::uint8_t>(word >> kShiftAt);
    return b;
  }

  [[nodiscard]] bool is_null() const noexcept { return lines_ == nullptr; }
  [[nodiscard]] std::size_t count() const noexcept { return std::size_t{1} << shift_; }
  /// Counts modulo count().
  [[nodiscard]] BucketLine& at(std::uint64_t i) const noexcept { return lines_[i & (count() - 1)]; }
  [[nodiscard]] void* memory() const noexcept { return lines_; }

 private:
  static constexpr unsigned kShiftAt = 48;
  BucketLine* lines_ = nullptr;
  std::uint8_t shift_ = 0;
};

}  // namespace hoist::software

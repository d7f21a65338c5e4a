// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cassert>
#include <cstdint>

namespace hoist::software {

struct StoredEntry;
class Leaf;
class Fork;

/// What stands in a slot of the hash tree: nothing, a chain of entries, a Leaf or a Fork, together
/// with 16 bits of the slot's own (of the hash in a hash table, the priority in a Leaf), in one
/// word.
class Ref {
 public:
  enum class Kind : std::uint64_t { kEntry, kLeaf, kFork };

  Ref() = default;
  Ref(StoredEntry* entry, std::uint16_t tag) noexcept : Ref(entry, Kind::kEntry, tag) {}
  Ref(Leaf* leaf, std::uint16_t tag) noexcept : Ref(leaf, Kind::kLeaf, tag) {}
  Ref(Fork* fork, std::uint16_t tag) noexcept : Ref(fork, Kind::kFork, tag) {}
  [[nodiscard]] Ref with_tag(std::uint16_t tag) const noexcept {
    Ref ref;
    ref.word_ = (word_ & kPointerMask) | std::uint64_t{tag} << kTagShift;
    return ref;
  }

  [[nodiscard]] bool is_occupied() const noexcept { return (word_ & kAddressMask) != 0; }
  [[nodiscard]] Kind kind() const noexcept { return static_cast<Kind>(word_ & kKindMask); }
  [[nodiscard]] std::uint16_t tag() const noexcept {
    return static_cast<std::uint16_t>(word_ >> kTagShift);
  }
  [[nodiscard]] StoredEntry* entry() const noexcept {
    return reinterpret_cast<StoredEntry*>(address());
  }
  [[nodiscard]] Leaf* leaf() const noexcept { return reinterpret_cast<Leaf*>(address()); }
  [[nodiscard]] Fork* fork() const noexcept { return reinterpret_cast<Fork*>(address()); }
  /// Of whatever it is, to prefetch it.
  [[nodiscard]] const void* pointer() const noexcept { return reinterpret_cast<void*>(address()); }

 private:
  static constexpr unsigned kTagShift = 48;
  static constexpr std::uint64_t kPointerMask = (std::uint64_t{1} << kTagShift) - 1;
  static constexpr std::uint64_t kKindMask = 3;
  static constexpr std::uint64_t kAddressMask = kPointerMask & ~kKindMask;

  Ref(const void* pointer, Kind kind, std::uint16_t tag) noexcept
      : word_(reinterpret_cast<std::uintptr_t>(pointer) | static_cast<std::uint64_t>(kind) |
              std::uint64_t{tag} << kTagShift) {
    // User space ends below 2^47 (x86-64) or 2^48 (AArch64).
    assert((reinterpret_cast<std::uintptr_t>(pointer) & ~kAddressMask) == 0);
  }
  [[nodiscard]] std::uintptr_t address() const noexcept { return word_ & kAddressMask; }

  std::uint64_t word_ = 0;
};

/// A Ref that one thread writes and many read.
class Slot {
 public:
  /// Acquire: pairs with store(), so that what it refers to is complete.
  [[nodiscard]] Ref load() const noexcept { return ref_.load(std::memory_order_acquire); }
  void store(Ref ref) noexcept { ref_.store(ref, std::memory_order_release); }

 private:
  std::atomic<Ref> ref_{};
};
static_assert(sizeof(Slot) == 8 && std::atomic<Ref>::is_always_lock_free);

}  // namespace hoist::software

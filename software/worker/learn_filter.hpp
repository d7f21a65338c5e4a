// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "hoist/types.hpp"
#include "simd.hpp"

namespace hoist::software {

/// Keeps a worker from telling control the same address again for every packet until control has
/// learned it.
class LearnFilter {
 public:
  struct Sighting {
    std::uint64_t address;  ///< MAC and VLAN in one word.
    PortNo port;
    std::uint32_t generation;  ///< MacTable::generation().
    std::uint8_t bridge;
    bool operator==(const Sighting&) const = default;
  };

  /// Says whether this is news.
  [[nodiscard]] bool admit(const Sighting& seen, std::uint64_t now_ms) noexcept {
    Slot& slot = slots_[simd::hash_step(0, seen.address) % kSlots];
    if (slot.is_used && slot.seen == seen && now_ms - slot.told_ms < kQuiet_ms) return false;
    slot = {seen, now_ms, true};
    return true;
  }

 private:
  static constexpr std::size_t kSlots = 256;
  static constexpr std::uint64_t kQuiet_ms = 100;
  struct Slot {
    Sighting seen{};
    std::uint64_t told_ms = 0;
    bool is_used = false;
  };
  std::array<Slot, kSlots> slots_{};
};

}  // namespace hoist::software

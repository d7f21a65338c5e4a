// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace hoist::software {

/// Which fragments may be held, and what has become of them; of all workers together. Bounds and
/// defaults are Open vSwitch's. Any thread; fragments are rare enough to share their counters.
struct FragmentLedger {
  using Count = std::atomic<std::uint64_t>;
  struct Family {
    explicit Family(std::uint32_t least) : size_least(least) {}
    std::atomic<bool> is_enabled{true};
    /// Bytes from the IP header on, of any fragment but the last.
    std::atomic<std::uint32_t> size_least;
    Count accepted{0};     ///< Held, each.
    Count completed{0};    ///< Sent on, as parts of a whole.
    Count expired{0};      ///< Dropped: the rest did not come in time.
    Count too_small{0};    ///< Invalid.
    Count overlapping{0};  ///< Invalid: bytes that are already there.
    Count purged{0};       ///< Dropped with their worker.
  };

  static constexpr std::uint32_t kHeldMost = 5000;  ///< Highest held_most, and held.
  static constexpr std::uint32_t kSizeLeastMin = 400;
  static constexpr std::uint64_t kTimeoutMs = 15'000;

  std::array<Family, 2> families{Family{1200}, Family{1280}};  ///< IPv4, IPv6.
  std::atomic<std::uint32_t> held_most{1000};
  std::atomic<std::uint32_t> held{0};

  [[nodiscard]] Family& of(std::uint8_t family) noexcept { return families[family == 6 ? 1 : 0]; }
};

}  // namespace hoist::software

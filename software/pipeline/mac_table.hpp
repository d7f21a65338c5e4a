// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "hoist/types.hpp"

namespace hoist::software {

/// Where a bridge has seen which source address: what NORMAL forwards by.
///
/// Control is the only writer of addresses and ports; workers look up without a lock and refresh
/// ages. A set of eight is one cache line of keys; where a set is full its oldest entry makes room.
class MacTable {
 public:
  static constexpr std::uint32_t kCapacity = 8192;
  static constexpr std::uint32_t kMaxAge_s = 300;

  struct Found {
    bool is_found = false;
    PortNo port{};
    std::uint32_t index = 0;
  };
  struct Entry {
    MacAddress mac;
    std::uint16_t vlan;
    PortNo port;
    std::uint32_t age_s;
  };

  /// Any thread.
  [[nodiscard]] Found find(const MacAddress& mac, std::uint16_t vlan) const noexcept;
  /// Any thread: the entry that find() gave was seen now. Writes at most once a second an entry.
  void touch(std::uint32_t index, std::uint32_t now_s) noexcept {
    if (seen_s_[index].load(std::memory_order_relaxed) != now_s) {
      seen_s_[index].store(now_s, std::memory_order_relaxed);
    }
  }

  /// Any thread. Changes when entries go that workers may have told of just now.
  [[nodiscard]] std::uint32_t generation() const noexcept {
    return generation_.load(std::memory_order_relaxed);
  }

  /// Control thread, all below.
  void learn(const MacAddress& mac, std::uint16_t vlan, PortNo port, std::uint32_t now_s);
  void expire(std::uint32_t now_s);
  void flush();
  void forget_port(PortNo port);
  [[nodiscard]] std::vector<Entry> entries(std::uint32_t now_s) const;

 private:
  static constexpr std::uint32_t kWays = 8;
  static constexpr std::uint32_t kSets = 2 * kCapacity / kWays;

  [[nodiscard]] std::uint32_t slot_for_new(std::uint32_t first) const;
  void erase(std::uint32_t index);
  void erase_oldest();

  alignas(64) std::array<std::atomic<std::uint64_t>, kSets * kWays> keys_{};  // 0: free
  std::array<std::atomic<std::uint32_t>, kSets * kWays> ports_{};
  std::array<std::atomic<std::uint32_t>, kSets * kWays> seen_s_{};
  std::atomic<std::uint32_t> generation_{0};
  std::uint32_t count_ = 0;
};

}  // namespace hoist::software

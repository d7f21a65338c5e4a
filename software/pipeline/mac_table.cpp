// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/mac_table.hpp"

#include "simd.hpp"

namespace hoist::software {
namespace {

constexpr std::uint64_t kUsed = std::uint64_t{1} << 63;

std::uint64_t key_of(const MacAddress& mac, std::uint16_t vlan) {
  std::uint64_t key = 0;
  for (const std::uint8_t byte : mac) key = key << 8 | byte;
  return key | std::uint64_t{vlan} << 48 | kUsed;  // VID: 12 bits, 48 to 59.
}

}  // namespace

MacTable::Found MacTable::find(const MacAddress& mac, std::uint16_t vlan) const noexcept {
  const std::uint64_t key = key_of(mac, vlan);
  const std::uint32_t first = simd::hash_step(0, key) % kSets * kWays;
  for (std::uint32_t i = first; i < first + kWays; ++i) {
    // Acquire: pairs with the release in learn(), so the port is this key's. The second look tells
    // whether the slot was given to another key meanwhile.
    if (keys_[i].load(std::memory_order_acquire) != key) continue;
    const auto port = PortNo{ports_[i].load(std::memory_order_acquire)};
    if (keys_[i].load(std::memory_order_relaxed) != key) break;
    return {.is_found = true, .port = port, .index = i};
  }
  return {};
}

void MacTable::learn(const MacAddress& mac, std::uint16_t vlan, PortNo port, std::uint32_t now_s) {
  if (const Found found = find(mac, vlan); found.is_found) {
    ports_[found.index].store(to_integer(port), std::memory_order_release);
    seen_s_[found.index].store(now_s, std::memory_order_relaxed);
    return;
  }
  if (count_ == kCapacity) erase_oldest();
  const std::uint64_t key = key_of(mac, vlan);
  const std::uint32_t index = slot_for_new(simd::hash_step(0, key) % kSets * kWays);
  if (keys_[index].load(std::memory_order_relaxed) != 0) erase(index);
  ports_[index].store(to_integer(port), std::memory_order_release);
  seen_s_[index].store(now_s, std::memory_order_relaxed);
  keys_[index].store(key, std::memory_order_release);
  ++count_;
}

std::uint32_t MacTable::slot_for_new(std::uint32_t first) const {
  std::uint32_t oldest = first;
  for (std::uint32_t i = first; i < first + kWays; ++i) {
    if (keys_[i].load(std::memory_order_relaxed) == 0) return i;
    if (seen_s_[i].load(std::memory_order_relaxed) <
        seen_s_[oldest].load(std::memory_order_relaxed)) {
      oldest = i;
    }
  }
  return oldest;
}

void MacTable::erase(std::uint32_t index) {
  keys_[index].store(0, std::memory_order_release);
  --count_;
  generation_.store(generation_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void MacTable::erase_oldest() {
  std::uint32_t oldest = 0;
  std::uint32_t seen = UINT32_MAX;
  for (std::uint32_t i = 0; i < keys_.size(); ++i) {
    if (keys_[i].load(std::memory_order_relaxed) == 0) continue;
    const std::uint32_t s = seen_s_[i].load(std::memory_order_relaxed);
    if (s <= seen) {
      oldest = i;
      seen = s;
    }
  }
  erase(oldest);
}

void MacTable::expire(std::uint32_t now_s) {
  for (std::uint32_t i = 0; i < keys_.size(); ++i) {
    if (keys_[i].load(std::memory_order_relaxed) == 0) continue;
    const std::uint32_t seen = seen_s_[i].load(std::memory_order_relaxed);
    if (now_s > seen && now_s - seen >= kMaxAge_s) erase(i);
  }
}

void MacTable::flush() {
  for (std::uint32_t i = 0; i < keys_.size(); ++i) {
    if (keys_[i].load(std::memory_order_relaxed) != 0) erase(i);
  }
}

void MacTable::forget_port(PortNo port) {
  for (std::uint32_t i = 0; i < keys_.size(); ++i) {
    const bool is_used = keys_[i].load(std::memory_order_relaxed) != 0;
    if (is_used && PortNo{ports_[i].load(std::memory_order_relaxed)} == port) erase(i);
  }
}

std::vector<MacTable::Entry> MacTable::entries(std::uint32_t now_s) const {
  std::vector<Entry> out;
  for (std::uint32_t i = 0; i < keys_.size(); ++i) {
    const std::uint64_t key = keys_[i].load(std::memory_order_relaxed);
    if (key == 0) continue;
    Entry entry{.vlan = static_cast<std::uint16_t>(key >> 48 & 0xfff),
                .port = PortNo{ports_[i].load(std::memory_order_relaxed)}};
    for (std::size_t b = 0; b < 6; ++b) {
      entry.mac[b] = static_cast<std::uint8_t>(key >> (40 - 8 * b));
    }
    const std::uint32_t seen = seen_s_[i].load(std::memory_order_relaxed);
    entry.age_s = now_s > seen ? now_s - seen : 0;
    out.push_back(entry);
  }
  return out;
}

}  // namespace hoist::software

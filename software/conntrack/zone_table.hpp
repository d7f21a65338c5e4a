// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "hoist/error.hpp"
#include "pipeline/reserved_memory.hpp"

namespace hoist::software {

/// How many connections each zone has, and may have. Any thread.
class ZoneTable {
 public:
  static constexpr std::int32_t kNoLimit = -1;

  /// Fails with kFull.
  static Result<ZoneTable> create() {
    auto memory = ReservedMemory::create(kZones * sizeof(Zone));
    if (!memory) return tl::unexpected(memory.error());
    ZoneTable table;
    table.memory_ = std::move(*memory);
    table.zones_ = table.memory_.as<Zone>();
    return table;
  }
  ZoneTable() = default;
  ZoneTable(ZoneTable&& other) noexcept : memory_(std::move(other.memory_)), zones_(other.zones_) {}
  ZoneTable& operator=(ZoneTable&& other) noexcept {
    memory_ = std::move(other.memory_);
    zones_ = other.zones_;
    return *this;
  }

  /// Takes a place in the zone, if its limit allows.
  [[nodiscard]] bool admit(std::uint16_t zone) noexcept {
    Zone& z = zones_[zone];
    const std::uint32_t before = z.count.fetch_add(1, std::memory_order_relaxed);
    const std::int64_t limit = limit_of(zone);
    if (limit < 0 || before < limit) return true;
    release(zone);
    return false;
  }
  void release(std::uint16_t zone) noexcept {
    zones_[zone].count.fetch_sub(1, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint32_t count(std::uint16_t zone) const noexcept {
    return zones_[zone].count.load(std::memory_order_relaxed);
  }

  /// The zone's own limit, if it has one. 0 means unlimited, as in Open vSwitch.
  [[nodiscard]] std::optional<std::uint32_t> own_limit(std::uint16_t zone) const noexcept {
    const std::uint64_t own = zones_[zone].own_limit.load(std::memory_order_relaxed);
    if (own == 0) return std::nullopt;
    return static_cast<std::uint32_t>(own - 1);
  }
  void set_own_limit(std::uint16_t zone, std::optional<std::uint32_t> limit) noexcept {
    zones_[zone].own_limit.store(limit ? std::uint64_t{*limit} + 1 : 0, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint32_t default_limit() const noexcept {
    return default_limit_.load(std::memory_order_relaxed);
  }
  void set_default_limit(std::uint32_t limit) noexcept {
    default_limit_.store(limit, std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t kZones = 65536;
  struct Zone {
    std::atomic<std::uint64_t> own_limit;  ///< Plus 1; 0: it has none.
    std::atomic<std::uint32_t> count;
  };
  [[nodiscard]] std::int64_t limit_of(std::uint16_t zone) const noexcept {
    const std::uint32_t limit = own_limit(zone).value_or(default_limit());
    return limit == 0 ? kNoLimit : std::int64_t{limit};
  }

  ReservedMemory memory_;
  Zone* zones_ = nullptr;
  std::atomic<std::uint32_t> default_limit_{0};
};

}  // namespace hoist::software

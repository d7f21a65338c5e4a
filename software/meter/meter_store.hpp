// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "hoist/error.hpp"
#include "meter/meter.hpp"
#include "pipeline/reserved_memory.hpp"
#include "rcu/reclaimer.hpp"

namespace hoist::software {

/// The meters of one bridge by id. Control thread.
using MeterTable = std::unordered_map<MeterId, Meter*>;

/// The memory of all meters: lines of 64 bytes out of one range that is never given back, so that
/// a pointer to a meter always points to some meter. Control thread; workers police.
class MeterStore {
 public:
  /// `line_count`: at most 2^24. Fails with kFull.
  static Result<std::unique_ptr<MeterStore>> create(std::uint32_t line_count, Reclaimer& reclaimer);

  /// Null: no room.
  Meter* create(const MeterConfig& config, MeterTime now);
  /// False: no room for more bands; nothing has changed.
  bool configure(Meter& meter, const MeterConfig& config, MeterTime now);
  /// Its memory is used again when no worker can reach it any more.
  void destroy(Meter& meter);

 private:
  struct Retired {
    void* lines;
    std::size_t count;
    std::uint64_t token;
  };
  explicit MeterStore(Reclaimer& reclaimer) : reclaimer_(reclaimer), free_(kCounts) {}
  /// Null: no room, or `count` is 0.
  void* take(std::size_t count);
  void give_back(void* lines, std::size_t count);
  void reuse_retired();

  static constexpr std::size_t kCounts = MeterConfig::kBandsMax;  ///< 1 to 7 lines together.
  Reclaimer& reclaimer_;
  ReservedMemory memory_;
  std::size_t used_ = 0;                  ///< Lines that were ever given.
  std::vector<std::vector<void*>> free_;  ///< By number of lines: they are never joined or cut.
  std::deque<Retired> retired_;
};

}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "hoist/datapath.hpp"
#include "worker/worker.hpp"

namespace hoist::software {

/// Folds what workers have counted, by segment, into rules and tables, and condemns segments whose
/// rules are gone. Control thread.
class Collector {
 public:
  using TableCounts = std::array<TableCount, 256>;

  explicit Collector(std::span<const std::unique_ptr<Worker>> workers)
      : workers_(workers), seen_(workers.size()), loose_(workers.size()), tables_(kMaxBridges) {}

  /// The rule has been removed and its removal has settled: its segments go with the next
  /// collect().
  void forget(RuleId rule);
  /// Calls `visit` for each rule hit since the last call. Cost: segments in use.
  void collect(const std::function<void(const RuleHit&)>& visit);
  /// As of the last collect().
  [[nodiscard]] TableCount table(std::uint8_t bridge, std::uint8_t table_id) const {
    return tables_[bridge][table_id];
  }

 private:
  struct Seen {
    std::uint64_t packets = 0;
    std::uint64_t bytes = 0;
  };
  struct Loose {
    std::vector<Seen> rules;
    std::vector<TableCounts> tables;
  };
  void fold_segments(std::size_t worker);
  void fold_segment(const Segment& segment, Seen& seen);
  void fold_loose(std::size_t worker);
  void add(RuleId rule, TrafficCount count, std::uint64_t last_used_ms);
  [[nodiscard]] bool is_forgotten(const Segment& segment) const;

  std::span<const std::unique_ptr<Worker>> workers_;
  std::vector<std::vector<Seen>> seen_;   ///< By worker and segment.
  std::vector<Loose> loose_;              ///< By worker.
  std::vector<TableCounts> tables_;       ///< By bridge.
  std::vector<std::uint32_t> hit_index_;  ///< By rule: place in hits_, plus one.
  std::vector<RuleHit> hits_;
  std::vector<bool> forgotten_;  ///< By rule.
  std::vector<RuleId> forgotten_list_;
};

}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "hoist/match.hpp"
#include "openflow/rule_slab.hpp"

namespace hoist::openflow {

/// Finds the live rule of exactly this table, priority and match: a hash table with open
/// addressing, at most three quarters full. Control thread.
class RuleIndex {
 public:
  explicit RuleIndex(const RuleSlab& slab) : slab_(slab), cells_(64) {}

  [[nodiscard]] static std::uint32_t hash(std::uint8_t table_id, std::uint16_t priority,
                                          const MiniMatch& match) noexcept;
  [[nodiscard]] static std::uint32_t hash(const RuleSpec& spec) noexcept {
    return hash(spec.table_id, spec.priority, spec.match);
  }

  /// kNone if there is none. `hash` is hash() of the three.
  [[nodiscard]] RuleId find(std::uint32_t hash, std::uint8_t table_id, std::uint16_t priority,
                            const MiniMatch& match) const noexcept;
  /// The key must not be there yet.
  void insert(std::uint32_t hash, RuleId id);
  /// The pair must be there.
  void erase(std::uint32_t hash, RuleId id) noexcept;
  /// The pair (hash, from) becomes (hash, to).
  void replace(std::uint32_t hash, RuleId from, RuleId to) noexcept;
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }

 private:
  struct Cell {
    std::uint32_t hash = 0;
    std::uint32_t id = 0;  ///< 0: empty.
  };
  [[nodiscard]] std::size_t find_cell(std::uint32_t hash, RuleId id) const noexcept;
  void grow();

  const RuleSlab& slab_;
  std::vector<Cell> cells_;  ///< A power of two.
  std::uint32_t size_ = 0;
};

}  // namespace hoist::openflow

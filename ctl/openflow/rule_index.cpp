// SPDX-License-Identifier: BSD-3-Clause
#include "openflow/rule_index.hpp"

#include <utility>

namespace hoist::openflow {

std::uint32_t RuleIndex::hash(std::uint8_t table_id, std::uint16_t priority,
                              const MiniMatch& match) noexcept {
  constexpr std::uint64_t kMul = 0x9e3779b97f4a7c15u;
  std::uint64_t h = (match.map() ^ (std::uint64_t{priority} << 8 | table_id) << 40) * kMul;
  for (const MiniMatch::Word& w : match.words()) {
    h = (h ^ h >> 29 ^ w.value) * kMul;
    h = (h ^ h >> 31 ^ w.mask) * 0xff51afd7ed558ccdu;
  }
  return static_cast<std::uint32_t>((h ^ h >> 33) * kMul >> 32);
}

RuleId RuleIndex::find(std::uint32_t hash, std::uint8_t table_id, std::uint16_t priority,
                       const MiniMatch& match) const noexcept {
  const std::size_t mask = cells_.size() - 1;
  for (std::size_t i = hash & mask; cells_[i].id != 0; i = (i + 1) & mask) {
    if (cells_[i].hash != hash) continue;
    const RuleSpec& spec = *slab_[RuleId{cells_[i].id}].spec;
    if (spec.table_id == table_id && spec.priority == priority && spec.match == match) {
      return RuleId{cells_[i].id};
    }
  }
  return RuleId::kNone;
}

void RuleIndex::insert(std::uint32_t hash, RuleId id) {
  if ((size_ + 1) * std::uint64_t{4} > cells_.size() * 3) grow();
  const std::size_t mask = cells_.size() - 1;
  std::size_t i = hash & mask;
  while (cells_[i].id != 0) i = (i + 1) & mask;
  cells_[i] = {hash, to_integer(id)};
  ++size_;
}

/// Linear probing without tombstones: cells behind the gap that may move into it do.
void RuleIndex::erase(std::uint32_t hash, RuleId id) noexcept {
  const std::size_t mask = cells_.size() - 1;
  std::size_t gap = find_cell(hash, id);
  for (std::size_t i = (gap + 1) & mask; cells_[i].id != 0; i = (i + 1) & mask) {
    const std::size_t home = cells_[i].hash & mask;
    if (((i - home) & mask) >= ((i - gap) & mask)) {
      cells_[gap] = cells_[i];
      gap = i;
    }
  }
  cells_[gap] = {};
  --size_;
}

void RuleIndex::replace(std::uint32_t hash, RuleId from, RuleId to) noexcept {
  cells_[find_cell(hash, from)].id = to_integer(to);
}

std::size_t RuleIndex::find_cell(std::uint32_t hash, RuleId id) const noexcept {
  const std::size_t mask = cells_.size() - 1;
  std::size_t i = hash & mask;
  while (cells_[i].id != to_integer(id)) i = (i + 1) & mask;
  return i;
}

void RuleIndex::grow() {
  std::vector<Cell> old(cells_.size() * 2);
  std::swap(old, cells_);
  const std::size_t mask = cells_.size() - 1;
  for (const Cell& cell : old) {
    if (cell.id == 0) continue;
    std::size_t i = cell.hash & mask;
    while (cells_[i].id != 0) i = (i + 1) & mask;
    cells_[i] = cell;
  }
}

}  // namespace hoist::openflow

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hoist/datapath.hpp"
#include "hoist/rule.hpp"

namespace hoist::openflow {

/// What control keeps of a rule besides its RuleSpec.
struct Rule {
  enum class State : std::uint8_t {
    kFree,
    kLive,     ///< In its table.
    kRetired,  ///< Removed or replaced, but the planes may still count for it.
  };

  std::shared_ptr<const RuleSpec> spec;
  TrafficCount count;
  std::uint64_t created_ms = 0;   ///< Duration and idle timeout start here.
  std::uint64_t modified_ms = 0;  ///< The hard timeout starts here.
  std::uint64_t used_ms = 0;      ///< Last packet, else creation.
  std::uint16_t idle_timeout = 0;
  std::uint16_t hard_timeout = 0;
  std::uint16_t flags = 0;
  std::uint16_t importance = 0;
  /// Live: its place in its table's list. Retired: the rule that inherits late counts, or 0.
  std::uint32_t link = 0;
  std::uint32_t change = 0;  ///< Index + 1 of its addition in the pending changes, 0 if published.
  BridgeId bridge{};
  State state = State::kFree;
  std::uint8_t removed_reason = 0;   ///< OFPRR_*, of a retired rule.
  bool is_removal_reported = false;  ///< A retired rule that owes a flow-removed message.
};
static_assert(sizeof(Rule) <= 88, "200,000 rules must stay small");

/// All rules of all bridges, by id. Ids are dense, from 1. Control thread.
class RuleSlab {
 public:
  /// `max_rules`: ids run from 1 to this.
  explicit RuleSlab(std::uint32_t max_rules) : max_rules_(max_rules) {}

  [[nodiscard]] Rule& operator[](RuleId id) noexcept { return at(to_integer(id)); }
  [[nodiscard]] const Rule& operator[](RuleId id) const noexcept {
    return const_cast<RuleSlab*>(this)->at(to_integer(id));
  }
  /// The rule if the id was ever given, else null.
  [[nodiscard]] const Rule* find(RuleId id) const noexcept {
    const std::uint32_t i = to_integer(id);
    return i == 0 || i > used_ ? nullptr : &(*this)[id];
  }

  /// Takes an id; kNone if all are taken.
  RuleId allocate();
  /// Gives an id back at once: no plane knows it.
  void release(RuleId id);
  [[nodiscard]] std::uint32_t free_count() const noexcept {
    return max_rules_ - used_ + static_cast<std::uint32_t>(free_.size());
  }
  [[nodiscard]] std::uint32_t max_rules() const noexcept { return max_rules_; }

  /// Adds what a plane counted, to the rule or to the one that replaced it.
  void count(const RuleHit& hit) noexcept;

 private:
  static constexpr unsigned kChunkShift = 10;
  static constexpr std::uint32_t kChunkSize = 1u << kChunkShift;

  Rule& at(std::uint32_t i) noexcept {
    return chunks_[(i - 1) >> kChunkShift][(i - 1) & (kChunkSize - 1)];
  }

  std::uint32_t max_rules_;
  std::uint32_t used_ = 0;  ///< Ids above were never given.
  std::vector<std::uint32_t> free_;
  std::vector<std::unique_ptr<Rule[]>> chunks_;
};

}  // namespace hoist::openflow

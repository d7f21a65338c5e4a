// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "hoist/rule.hpp"
#include "openflow/expiry_heap.hpp"
#include "openflow/fault.hpp"
#include "openflow/instruction_pool.hpp"
#include "openflow/message.hpp"
#include "openflow/meter_users.hpp"
#include "openflow/rule_filter.hpp"
#include "openflow/rule_index.hpp"
#include "openflow/rule_slab.hpp"

namespace hoist::openflow {

/// OFPRR_*: why a rule was removed (OpenFlow 1.4, 7.4.2).
enum class RemovedReason : std::uint8_t {
  kIdleTimeout,
  kHardTimeout,
  kDelete,
  kMeterDelete = 4,  ///< Versions before 1.4 hear kDelete.
};

/// Who asked for a change. Session 0: nobody, a timeout did.
struct Origin {
  std::uint32_t session = 0;
  std::uint32_t xid = 0;
};

/// What flow monitors hear of.
struct RuleEvent {
  enum class Kind : std::uint8_t { kAdded, kModified, kRemoved };
  Kind kind;
  RuleId id;  ///< Its Rule stays readable until the planes have let go of it.
  std::shared_ptr<const RuleSpec> spec;
  std::shared_ptr<const Instructions> old_instructions;  ///< Of what was replaced, or null.
  RemovedReason reason = RemovedReason::kDelete;
  Origin origin;
};

/// What became of the flow mods since the last commit.
struct Commit {
  std::vector<RuleChange> changes;  ///< For both planes, as one step.
  std::vector<RuleId> retired;      ///< To be released once both planes have let go of them.
  std::vector<RuleEvent> events;    ///< Only if the store is watched.
};

/// The tables of one bridge as OpenFlow sees them (1.3, 6.4), with Open vSwitch's answers where the
/// text leaves room. Control thread; no sockets, no clock.
///
/// Invariants: 1. a flow mod that fails changes nothing; 2. everything since the last commit() can
/// be undone by rollback(); 3. of two live rules of a table, priority or match differ; 4. a rule
/// that was published is never changed: what replaces it has another id.
class RuleStore {
 public:
  /// Says what a rule cannot have: asked before it is stored.
  using Check = std::function<Decoded<void>(const RuleSpec&)>;

  RuleStore(BridgeId bridge, RuleSlab& slab, InstructionPool& instructions, Check check);

  /// Cost: O(1) for adds and strict requests; else the size of the tables named.
  Decoded<void> apply(FlowMod&& mod, std::uint64_t now_ms, Origin origin);
  /// Removes the rules that use a meter.
  void remove_users(MeterId meter, Origin origin);
  /// Removes what has timed out, as of counters collected up to `now_ms`.
  void expire(std::uint64_t now_ms);
  /// The soonest time at which expire() may have work.
  [[nodiscard]] std::uint64_t next_expiry_ms() const noexcept { return expiry_.next_ms(); }

  [[nodiscard]] bool has_pending() const noexcept { return !journal_.empty(); }
  Commit commit();
  void rollback();
  /// Whether commit() lists events.
  void set_watched(bool is_watched) noexcept { is_watched_ = is_watched; }

  [[nodiscard]] std::uint32_t rule_count() const noexcept { return index_.size(); }
  [[nodiscard]] std::uint32_t rule_count(std::uint8_t table_id) const noexcept {
    return table_id < kTableCount ? tables_[table_id].live_count : 0;
  }
  [[nodiscard]] const MeterUsers& meter_users() const noexcept { return meter_users_; }
  [[nodiscard]] const Rule& rule(RuleId id) const noexcept { return slab_[id]; }
  /// A live or retired rule, or null.
  [[nodiscard]] const Rule* find(RuleId id) const noexcept { return slab_.find(id); }
  /// Ids of a table's rules in the order they came; kAllTables: of all tables. A snapshot: before
  /// use ask is_live().
  [[nodiscard]] std::vector<RuleId> ids(std::uint8_t table_id) const;
  [[nodiscard]] bool is_live(RuleId id) const noexcept {
    return slab_[id].state == Rule::State::kLive && slab_[id].bridge == bridge_;
  }
  /// Whether a table has a rule of priority 0 that matches all (OpenFlow 1.3, 5.4).
  [[nodiscard]] bool has_miss_rule(std::uint8_t table_id) const noexcept {
    const MiniMatch all;
    return index_.find(RuleIndex::hash(table_id, 0, all), table_id, 0, all) != RuleId::kNone;
  }
  /// Ids of the rules that a filter selects.
  [[nodiscard]] std::vector<RuleId> select(const RuleFilter& filter) const;

 private:
  struct Table {
    std::vector<std::uint32_t> ids;  ///< 0: a rule that went.
    std::uint32_t live_count = 0;
  };
  /// One undoable step. Added: before is 0. Removed: after is 0.
  struct Step {
    std::uint32_t before;
    std::uint32_t after;
  };

  Decoded<void> add(FlowMod&& mod, std::uint64_t now_ms, Origin origin);
  Decoded<void> modify(FlowMod&& mod, std::uint64_t now_ms, Origin origin);
  Decoded<void> remove(const FlowMod& mod, Origin origin);
  [[nodiscard]] std::vector<RuleId> select_strictly(const FlowMod& mod,
                                                    const RuleFilter& filter) const;
  [[nodiscard]] bool overlaps_another(const RuleSpec& rule) const;

  void append(RuleId id, std::uint32_t hash);
  void replace(RuleId old_id, RuleId id, std::uint32_t hash);
  void retire(RuleId id, RemovedReason reason, Origin origin);
  void publish_addition(RuleId id);
  void publish_removal(RuleId id);
  void note(RuleEvent::Kind kind, RuleId id, Origin origin, RemovedReason reason,
            std::shared_ptr<const Instructions> old_instructions);
  void undo(const Step& step);
  void compact(Table& table);

  BridgeId bridge_;
  RuleSlab& slab_;
  InstructionPool& instructions_;
  Check check_;
  RuleIndex index_;
  std::array<Table, kTableCount> tables_;
  ExpiryHeap expiry_;
  MeterUsers meter_users_;
  bool is_watched_ = false;
  std::vector<Step> journal_;
  Commit pending_;
};

}  // namespace hoist::openflow

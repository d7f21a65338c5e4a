// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <absl/container/btree_set.h>

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/entry.hpp"
#include "plan/levels.hpp"
#include "plan/overlap_index.hpp"
#include "plan/rule_map.hpp"

namespace hoist::offload {

/// One step that hardware is to take. Carried out in the order given: guards before what they guard
/// against, tables before what jumps there, lower rules out before upper ones.
struct Change {
  enum class Kind : std::uint8_t {
    kRule,       ///< `rule` is to stand as `after`.
    kTable,      ///< `table_id` needs its last rule.
    kAdmission,  ///< Steering has to keep `hazards` out.
  };
  Kind kind = Kind::kRule;
  RuleId rule = RuleId::kNone;
  std::uint8_t table_id = 0;
  Desired before;
  Desired after;
  HazardSet hazards_before;
  HazardSet hazards;
};

struct PlannerLimits {
  std::uint32_t level_count = 1;
  bool has_table_defaults = false;  ///< Tables need a last rule (NICs with groups).
  std::uint64_t capacity = 0;       ///< Hardware rules; 0: not known.
};

/// Decides which rules of one bridge stand in one domain's hardware, as what, and at which level.
/// Pure: it calls nobody; its caller takes steps from next() and says which of them failed.
///
/// Works one rule at a time: a rule's steps are taken before the next rule is looked at, so that
/// each decision rests on what really stands in hardware. A step that fails undoes the rest of its
/// rule's, and the rule is looked at again with what has been learnt.
///
/// Invariants, after every step:
/// 1. Above every rule that acts (full, partial), each overlapping rule that goes before it in its
/// table
///    acts, guards, or can match no packet in hardware; the rule just being added or removed
///    excepted.
/// 2. Overlapping rules stand at different levels, in OpenFlow's order.
/// Owned by the offload thread. One change costs one overlap query a rule that it touches.
class Planner {
 public:
  explicit Planner(const PlannerLimits& limits);

  /// Adds rules as one step, then removes others. Ids of added rules are new.
  void update(std::vector<std::pair<std::shared_ptr<const RuleSpec>, Assessment>> added,
              std::span<const RuleId> removed);

  /// Looks at a rule again that did not get its best form, with what the translator says now; its
  /// match is the same. For failures that may have passed.
  void reassess(RuleId rule, Assessment assessment);
  /// Takes a rule out of tier full, for good: `why` is its refusal until it is reassessed.
  void withdraw(RuleId rule, const Refused& why);
  /// Tries rules and tables again that found no room or failed: the NIC may think better of it by
  /// now.
  void try_again();
  [[nodiscard]] bool has_waiting() const noexcept { return !waiting_.empty() || dead_count_ != 0; }

  /// The rule has carried so many packets more, in whichever plane.
  void carried(RuleId rule, std::uint64_t packets);
  /// Brings the rates up to date with what was carried in the `seconds` since the last call. Costs
  /// a look at every rule.
  void rank(double seconds);
  /// Has rules that find no room take the place of colder ones, at most `moves_max` of them.
  void rebalance(std::size_t moves_max);
  /// The rule can leave hardware without a guard in its place.
  [[nodiscard]] bool may_give_way(RuleId rule);
  /// For people: what the rule carries, and what it takes to have room. Empty if nothing is known.
  [[nodiscard]] std::string describe_rate(const Entry& entry) const;
  /// The rule's place among all by packet rate, from 1, and how many carry anything. Costs a look
  /// at every rule.
  struct Rank {
    std::uint64_t place = 0;
    std::uint64_t of = 0;
  };
  [[nodiscard]] Rank rank_of(const Entry& entry) const;
  /// Rules that there is no room for.
  [[nodiscard]] std::size_t waiting_count() const noexcept { return waiting_.size(); }

  /// The next step, or nothing if hardware stands as planned.
  [[nodiscard]] std::optional<Change> next();
  /// What stands, or will once the steps handed out are taken.
  [[nodiscard]] Desired desired(RuleId rule) const;
  [[nodiscard]] const HazardSet& hazards() const noexcept { return hazards_; }

  /// The last step failed for lack of room: the NIC holds `installed` hardware rules of this plan.
  void failed_full(std::uint64_t installed);
  /// The last step failed: the NIC will not take this. `why` carries its words.
  void failed(const Refused& why);

  /// Null: not known.
  [[nodiscard]] const Entry* find(RuleId rule) const;
  [[nodiscard]] std::size_t rule_count() const noexcept { return entries_.size(); }
  /// Hardware rules that the plan asks for.
  [[nodiscard]] std::uint64_t planned() const noexcept { return planned_; }
  /// Hardware rules besides those of the plan (steering) that share the room.
  void set_overhead(std::uint64_t overhead) noexcept { overhead_ = overhead; }

 private:
  struct ByPriority {
    bool operator()(const Entry* a, const Entry* b) const noexcept {
      if (a->rule->priority != b->rule->priority) return a->rule->priority < b->rule->priority;
      return a->age > b->age;
    }
  };
  struct Table {
    OverlapIndex index;
    Priorities priorities;
    absl::btree_set<Entry*, ByPriority>
        acting;  ///< The first is the lowest: nothing acts below it.
    bool is_live = false;
    bool is_dead = false;
    Refused why_dead;
  };

  struct Task {
    enum class Kind : std::uint8_t { kSettle, kRemove, kEvict };
    Kind kind;
    RuleId rule;
  };

  void add(std::shared_ptr<const RuleSpec> rule, Assessment assessment);
  void run(const Task& task);
  void remove(RuleId rule);
  void evict(RuleId rule);
  Change undo();

  void settle(Entry& entry);
  bool place(Entry& entry, Form form);
  bool place_guard(Entry& entry);
  void protect(Entry& entry);
  void demote(Entry& entry, const Refused& why, RuleId shadowed_by = RuleId::kNone);
  void shadow_lower(Entry& entry, const Reason& why);
  void release_guards(const Entry& entry);
  void retry_shadowed(const Entry& entry);
  void retry_waiting();
  void kill_table(std::uint8_t table_id, const Refused& why);

  void want(Entry& entry, Desired desired);
  void set_desired(Entry& entry, Desired desired);
  bool take_level(Entry& entry, Form form);
  void open_table(std::uint8_t table_id);
  bool has_room(std::uint64_t count) const;
  bool make_room(const Entry& entry, std::uint64_t count);
  std::optional<std::vector<Entry*>> guards_for(Entry& entry);
  bool has_acting_below(const Entry& entry);
  std::vector<Entry*> collect_lower(const Entry& entry);
  Table& table(std::uint8_t table_id);
  Entry* find_entry(RuleId rule);

  PlannerLimits limits_;
  Levels levels_;
  std::array<std::unique_ptr<Table>, 256> tables_;
  RuleMap<Entry> entries_;
  absl::btree_set<Entry*, ByPriority> waiting_;
  std::deque<Task> tasks_;
  std::deque<Change> changes_;  ///< Steps of `task_` still to be taken.
  Task task_{};
  Change last_;  ///< The step handed out last.
  HazardSet hazards_;
  double coldest_ =
      -1;  ///< Worth of the coldest rule in hardware that may give way; -1: not known.
  std::size_t dead_count_ = 0;
  std::uint64_t age_ = 0;
  std::uint64_t planned_ = 0;
  std::uint64_t overhead_ = 0;
  std::uint64_t capacity_ = 0;
};

}  // namespace hoist::offload

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <absl/container/btree_set.h>
#include <absl/container/inlined_vector.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hoist/flow_manager.hpp"
#include "hoist/offload_report.hpp"
#include "install/flow_port.hpp"
#include "install/hits.hpp"
#include "install/port_watch.hpp"
#include "install/steering.hpp"
#include "install/token_pool.hpp"
#include "meter/meter_book.hpp"
#include "meter/meter_port.hpp"
#include "nic/probe.hpp"
#include "plan/planner.hpp"
#include "plan/rule_map.hpp"
#include "plan/swap.hpp"
#include "translate/layout.hpp"
#include "translate/port_map.hpp"

namespace hoist::offload {

using RuleRef = std::shared_ptr<const RuleSpec>;

/// What one domain may ask of the NIC for the sake of hot rules; see FlowManager::Config.
struct Budget {
  std::uint32_t moves_per_second = 0;
  std::uint32_t reads_per_second = 0;
};

/// What all domains share.
struct Shared {
  TokenPool& tokens;
  Hits& hits;
  const MeterConfigs& meters;  ///< Of the bridge.
  const std::function<std::uint64_t()>& now_ms;
  const Budget& budget;
  /// By rules of the bridge that are still there, in all its domains.
  RuleMap<TrafficCount>& carried;
};

/// One bridge's rules in one switch domain (or on one port whose rules are its own): takes the
/// planner's steps in the NIC, and keeps what stands there. Offload thread.
///
/// Invariants: 1. between calls the NIC stands as the planner says, except for rules in `zombies_`
/// that it would not give back; 2. a counter is read for the last time before its rule goes; 3.
/// when a port has gone its handles are forgotten, never touched.
class BridgeDomain {
 public:
  BridgeDomain(BridgeId bridge, const PortIdentity& identity, const Capabilities& capabilities,
               std::uint32_t slot, const Shared& shared);

  /// Takes everything out, and puts the rules in anew for these ports, while traffic runs in
  /// software.
  void rebuild(PortMap ports, std::span<const RuleRef> rules);
  /// Takes note of ports that are not of this domain; nothing in the NIC depends on them.
  void rename(PortMap ports) { ports_ = std::move(ports); }
  /// Takes everything out.
  void drain();
  /// Takes everything out, and stays so until rebuild(): no port may receive.
  void rest(PortMap ports);
  /// Asks the NIC for everything that should stand in it; with `repairs`, installs it anew if
  /// something is lost.
  DriftReport verify(bool repairs);
  /// The port that takes the rules has been reset or has gone: what stood in it is void.
  [[nodiscard]] bool has_lost_rules() const noexcept { return watch_.has_lost_rules(); }
  /// Adds and removes rules as one step.
  void update(std::span<const RuleRef> added, std::span<const RuleId> removed);
  /// Meters, perhaps with rules, have other rates now.
  void update_meters(std::span<const MeterId> changed);
  /// Reads all counters.
  void refresh();
  /// Software carried these.
  void observe(std::span<const RuleHit> hits);
  /// Some rules, or meters with theirs, find no room.
  [[nodiscard]] bool has_waiting() const noexcept {
    return planner_->waiting_count() != 0 || !meters_.without_room().empty();
  }
  /// Tries again what failed, when it is time; while rules wait for room, reads counters and has
  /// hot rules take the place of cold ones.
  void tick();
  /// The NIC has given back every rule that should have gone.
  [[nodiscard]] bool is_clean() const noexcept {
    return zombies_.empty() && (!is_drained_ || steering_.is_empty());
  }
  /// Asks the NIC once more for what it did not give back.
  void tidy();

  [[nodiscard]] const PortIdentity& identity() const noexcept { return identity_; }
  [[nodiscard]] std::uint32_t slot() const noexcept { return slot_; }
  [[nodiscard]] const PortMap& ports() const noexcept { return ports_; }
  [[nodiscard]] const Capabilities& capabilities() const noexcept { return capabilities_; }
  /// This domain's part; nothing if it does not know the rule.
  [[nodiscard]] std::optional<Placement> placement(RuleId rule) const;
  /// All there is to say; nothing if it does not know the rule.
  [[nodiscard]] std::optional<Explanation::Part> explain(RuleId rule) const;
  /// Its part of a NicReport: what it can do and what stands in it.
  void describe(NicReport& report) const;
  /// Hardware rules that stand, steering included.
  [[nodiscard]] std::uint64_t installed_count() const noexcept {
    return installed_ + steering_.rule_count();
  }
  /// No packet of this domain that is in hardware can match the rule.
  [[nodiscard]] bool is_never(RuleId rule) const {
    const Entry* entry = planner_->find(rule);
    return entry != nullptr && entry->assessment.is_never;
  }

 private:
  struct Standing {
    Desired desired;
    absl::InlinedVector<FlowHandle, 1> handles;
    std::uint32_t mark = 0;  ///< Of a partial rule.
    std::optional<MeterId> meter;
  };
  struct Zombie {
    RuleId rule;
    FlowHandle handle;
  };

  /// One round: a period passes, all counters are read, in slices, and the rules are ranked.
  struct Ranking {
    std::uint64_t began_ms = 0;      ///< 0: there is no round.
    std::uint64_t last_read_ms = 0;  ///< 0: reading has not begun.
    std::vector<RuleId> to_read;
  };

  [[nodiscard]] Context context() const { return {capabilities_, ports_, tag_mode_, &meters_}; }
  /// Whether handles may be touched.
  [[nodiscard]] bool is_there() const noexcept { return port_.is_there() && !has_lost_rules(); }
  void start_planner();
  [[nodiscard]] std::uint64_t steering_size() const;
  void plan(std::span<const RuleRef> added, std::span<const RuleId> removed);
  void fill(std::span<const RuleRef> rules);
  void take_steps();
  FlowResult<void> take(const Change& change);
  FlowResult<void> take_rule(const Change& change);
  FlowResult<void> take_table(std::uint8_t table_id);
  FlowResult<Standing> make(const Entry& entry, const Desired& desired);
  [[nodiscard]] std::vector<HwRule> as_made(const Entry& entry, const Standing& standing) const;
  void unmake(RuleId rule, Standing& standing);
  void unmake_all(bool is_closed);
  [[nodiscard]] bool begins_closed(std::span<const RuleRef> added, std::span<const RuleId> removed);
  void reopen_if_clean();
  void keep_zombie(const Zombie& zombie);
  void fail(const Change& change, const FlowFailure& failure);
  void retry_later();
  void retry();
  void rank();
  [[nodiscard]] bool read_some(std::uint64_t now_ms);
  void refill();
  void count(RuleId rule, const std::optional<MeterId>& meter, FlowHandle& handle);

  // domain_meters.cpp
  using Assessed = std::vector<std::pair<RuleRef, Assessment>>;
  FlowResult<void> take_meter(Standing& standing, MeterId meter);
  void release_meter(Standing& standing);
  void count_meter(MeterId meter, std::uint32_t number);
  void note_users(std::span<const RuleRef> added, std::span<const RuleId> removed);
  void hold_together(Assessed& added);
  bool send_home();
  void take_steps_of_all();
  void send_home(MeterId meter, Refused why, Ban ban);
  void try_meter_again(MeterId meter);
  void retry_meters();
  [[nodiscard]] const Entry* find_stranger(MeterId meter) const;
  [[nodiscard]] RoomUnit room_unit(MeterId meter) const;
  [[nodiscard]] bool may_give_way(MeterId meter) const;
  void rank_meters(std::size_t moves_max);

  [[nodiscard]] std::uint32_t table_mark(std::uint8_t table_id);
  [[nodiscard]] bool wants_tags(std::span<const std::pair<RuleRef, Assessment>> rules) const;

  BridgeId bridge_;
  PortIdentity identity_;
  Capabilities capabilities_;
  std::uint32_t slot_;
  Shared shared_;
  Layout layout_;
  FlowPort port_;
  PortWatch watch_;
  MeterPort meter_port_;
  MeterBook meters_;
  Steering steering_;
  PortMap ports_;
  TagMode tag_mode_ = TagMode::kUntagged;
  std::unique_ptr<Planner> planner_;
  RuleMap<RuleRef> rules_;
  RuleMap<Standing> standing_;
  std::array<FlowHandle, 256> tables_{};
  std::array<std::uint32_t, 256> table_marks_{};
  std::vector<Zombie> zombies_;
  absl::btree_set<RuleId> to_retry_;  ///< Failures that may pass.
  std::uint64_t installed_ = 0;
  std::uint64_t reserve_ = 0;   ///< Hardware rules that steering will need.
  std::uint64_t capacity_ = 0;  ///< Hardware rules that there was room for when it was last full.
  Ranking ranking_;
  std::uint64_t retry_at_ms_ = 0;
  std::uint64_t back_off_ms_ = 0;
  HazardSet admissible_;        ///< As probed; capabilities_ has what the NIC did not refuse since.
  bool needs_rebuild_ = false;  ///< What was planned rests on something that turned out otherwise.
  bool is_resting_ = false;
  bool is_drained_ = true;      ///< Nothing should stand.
  bool reopens_ = false;        ///< Steering is closed for a step that is not over yet.
  bool is_refill_due_ = false;  ///< Steering failed; all of it is tried again later.
};

}  // namespace hoist::offload

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "hoist/datapath.hpp"
#include "hoist/flow_manager.hpp"
#include "openflow/read_budget.hpp"
#include "openflow/rule_slab.hpp"
#include "openflow/rule_store.hpp"

namespace hoist::openflow {

/// A change or a request as both planes number it.
struct Stamp {
  Datapath::Version version = 0;
  FlowManager::Sequence sequence = 0;
};

/// The software and the hardware plane as one: changes go to both, counters come from both, and a
/// rule's id is free again when neither knows it any more. Control thread.
class Planes {
 public:
  /// All three must outlive this. `on_gone` hears of each removed rule once its counters are final.
  Planes(Datapath& datapath, FlowManager& flow_manager, RuleSlab& slab)
      : datapath_(datapath), flow_manager_(flow_manager), slab_(slab) {}

  void on_gone(std::function<void(const Rule&)> callback) { on_gone_ = std::move(callback); }
  /// Hears of what meters in hardware counted.
  void on_meter_hit(std::function<void(const MeterHit&)> callback) {
    on_meter_hit_ = std::move(callback);
  }

  /// Publishes as one step; `commit.changes` may be empty.
  Stamp publish(BridgeId bridge, const Commit& commit);
  /// Tells hardware of meters: of removed ones after publish() of the removal of their rules, of
  /// others before the addition of theirs.
  void submit_meters(BridgeId bridge, std::span<const MeterChange> changes) {
    last_.sequence = flow_manager_.submit_meters(bridge, changes);
  }
  /// Of meters' statistics: 200,000 a second cost a worker that meets each of them 2 % at most.
  [[nodiscard]] ReadBudget& meter_reads() noexcept { return meter_reads_; }
  /// Of the last thing published.
  [[nodiscard]] Stamp last() const noexcept { return last_; }
  [[nodiscard]] bool is_settled(Stamp stamp) const {
    return has_hardware(stamp) && datapath_.is_settled(stamp.version);
  }
  /// Whether the hardware plane is as far as that.
  [[nodiscard]] bool has_hardware(Stamp stamp) const {
    return flow_manager_.is_settled(stamp.sequence);
  }

  /// Asks hardware for its counters. Once is_fresh() of the answer, which collects, the slab's
  /// counts are no older than this call.
  FlowManager::Sequence refresh() { return flow_manager_.refresh_counters(); }
  bool is_fresh(FlowManager::Sequence refresh);
  /// Folds into the slab what both planes have counted so far.
  void collect();

  /// Lets go of removed rules that both planes are done with. Returns whether some still wait.
  bool poll();

  [[nodiscard]] Datapath& datapath() noexcept { return datapath_; }
  [[nodiscard]] const Datapath& datapath() const noexcept { return datapath_; }
  [[nodiscard]] FlowManager& flow_manager() noexcept { return flow_manager_; }

 private:
  struct Retirement {
    Stamp stamp;
    std::vector<RuleId> rules;
  };

  Datapath& datapath_;
  FlowManager& flow_manager_;
  RuleSlab& slab_;
  ReadBudget meter_reads_{200'000, 20'000};
  std::function<void(const Rule&)> on_gone_;
  std::function<void(const MeterHit&)> on_meter_hit_ = [](const MeterHit&) {};
  Stamp last_;
  std::uint64_t collected_ms_ = 0;      ///< On the datapath's clock.
  std::deque<Retirement> retirements_;  ///< In the order they were published.
};

}  // namespace hoist::openflow

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <memory>
#include <set>

#include "plane.hpp"
#include "support/ring_port.hpp"

namespace hoist::test {

/// The switch's software pipeline, driven turn by turn over ring ports. One Datapath serves many
/// scenarios, so that what one leaves behind meets the next.
class DatapathPlane : public Plane {
 public:
  struct Options {
    std::uint32_t flow_cache_entries = 1024;
    std::uint32_t port_count = 4;
    /// Packets of one port are carried out in their order; not so where hardware hands some over.
    bool keeps_order = true;
  };
  /// EAL must be up. `name`: unique in the process.
  DatapathPlane(const std::string& name, const Options& options);
  ~DatapathPlane() override;

  void start(const Scenario& scenario) override;
  void apply(const Changes& changes) override;
  BurstResult run(const Burst& burst) override;
  void change_port(const PortChange& change) override;
  void pass(const Pause& pause) override { now_ns_ += pause.ns; }
  BurstResult send(const PacketOut& packet) override;
  Counts counts() override;

  /// Why the datapath would not take this rule, or nothing.
  [[nodiscard]] std::string refusal(const RuleSpec& rule) const;
  [[nodiscard]] unsigned frames_in_use() const { return pool_.in_use(); }

 protected:
  [[nodiscard]] Datapath& datapath() { return *datapath_; }
  [[nodiscard]] BridgeId bridge() const { return bridge_; }
  /// Called with the meters of a scenario to come, when they are there, and with those of the last
  /// one, without configuration, before they go.
  virtual void tell(const std::vector<MeterChange>&) {}
  /// Called with what apply() is about to publish, and when it has been.
  virtual void tell(const Changes&) {}
  /// Lets threads other than the worker have their turn.
  virtual void turn_others() {}
  /// Adds counters that lie elsewhere.
  virtual void collect(const std::function<void(const RuleHit&)>&) {}
  virtual void add_hardware(std::map<MeterId, MeterStats>&) {}
  /// Live rules of this scenario are numbered from here.
  [[nodiscard]] std::uint32_t id_base() const { return id_base_; }

 private:
  void turn(BurstResult& result);
  /// Turns until nothing is under way, and takes what the ports have sent.
  void flush(BurstResult& result);
  void settle(Datapath::Version version);
  void drop_all_rules();
  void fold(const RuleHit& hit);
  void set_meters(const std::vector<MeterConfig>& meters);

  bool keeps_order_;
  FramePool pool_;
  std::atomic<std::uint64_t> now_ns_{1'000'000'000};
  std::vector<std::unique_ptr<RingPort>> ports_;  ///< Index 0: port 1. Outlive the datapath.
  std::unique_ptr<Datapath> datapath_;
  BridgeId bridge_{};
  enum class Pace : std::uint8_t { kBurst, kPortByPort, kOneByOne };
  Pace pace_ = Pace::kBurst;
  std::vector<MeterId> meters_;
  std::set<PortNo> flagged_;
  std::uint32_t id_base_ = 0;  ///< Ids of this scenario's rules start after this.
  std::uint32_t id_last_ = 0;
  std::map<RuleId, std::shared_ptr<const RuleSpec>> live_;  ///< By the scenario's id.
  std::map<RuleId, TrafficCount> rule_counts_;              ///< Likewise.
  std::map<std::uint8_t, TableCount> tables_at_start_;
};

}  // namespace hoist::test

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "cache/change_log.hpp"
#include "conntrack/tracked_connections.hpp"
#include "conntrack/tracked_expectations.hpp"
#include "conntrack/tracked_fragments.hpp"
#include "datapath/collector.hpp"
#include "datapath/program_store.hpp"
#include "datapath/queue_table.hpp"
#include "datapath/settler.hpp"
#include "datapath/worker_telemetry.hpp"
#include "hoist/datapath.hpp"
#include "hoist/workers.hpp"
#include "pipeline/consulted.hpp"
#include "port/device.hpp"
#include "port/mbuf_pool.hpp"
#include "rcu/reclaimer.hpp"
#include "worker/worker.hpp"

namespace hoist::software {

/// Datapath: control's half of the software plane. Its parts lie in create.cpp, rules.cpp,
/// meters.cpp, ports.cpp, serve.cpp and workers.cpp.
class SoftwareDatapath final : public Datapath,
                               public Workers,
                               public TracksConnections,
                               public TracksExpectations,
                               public HoldsFragments {
 public:
  SoftwareDatapath(const Config& config, MbufPool pool);
  ~SoftwareDatapath() override;
  /// Once, before anything else. Fails with kFull.
  Result<void> make_workers();

  void start() override;
  void stop() override;
  void run_once() override;
  std::uint64_t now_ms() const override { return shared_.clock.now_ms(); }

  Result<BridgeId> add_bridge(const std::string& name) override;
  Result<PortStatus> add_port(BridgeId bridge, const PortConfig& config) override;
  Result<void> remove_port(BridgeId bridge, PortNo number) override;
  Result<void> set_port_flags(BridgeId bridge, PortNo number, std::uint32_t flags) override;
  std::vector<PortStatus> ports(BridgeId bridge) const override;
  std::optional<PortCounters> port_counters(BridgeId bridge, PortNo number) const override;

  Result<void> check(const RuleSpec& rule) const override;
  Version apply(BridgeId bridge, std::span<const RuleChange> changes) override;
  Result<void> set_meter(BridgeId bridge, const MeterConfig& config) override;
  void remove_meter(BridgeId bridge, MeterId id) override;
  bool meter_stats(BridgeId bridge, MeterId id, MeterStats& stats) const override;
  bool is_settled(Version version) const override { return settler_.settled() >= version; }

  void collect(const std::function<void(const RuleHit&)>& visit) override;
  TableCount table_count(BridgeId bridge, std::uint8_t table_id) const override;
  std::array<std::uint64_t, kDropReasonCount> drops() const override;

  Result<void> packet_out(BridgeId bridge, PortNo in_port, std::span<const std::uint8_t> frame,
                          const ActionList& actions) override;
  bool poll(const std::function<void(PacketIn&&)>& on_packet_in,
            const std::function<void(BridgeId, const PortStatus&)>& on_port_change) override;
  std::vector<MacEntry> mac_table(BridgeId bridge) const override;
  void flush_mac_table(BridgeId bridge) override;
  ResumeTable& resume_table() override { return *resume_table_; }

  Connections& connections() override { return *connections_; }
  Expectations& expectations() override { return *expectations_; }
  Fragments& fragments() override { return *fragments_; }

  // --- Workers.
  std::vector<WorkerReport> report(std::uint32_t last_s) const override;
  void clear(std::optional<unsigned> core) override;
  std::uint64_t cycles_per_s() const override;
  Result<void> pin_queues(BridgeId bridge, PortNo port, std::vector<QueuePin> pins) override;
  void rebalance() override;
  void set_auto_balance(const AutoBalance& config) override;

 private:
  struct Bridge {
    std::string name;
    BridgeTables published;
    Tables tables;
    MeterTable meters;
    PacketMask writes{};  ///< Bits that some rule's actions may change.
    bool may_move_in_port = false;
    bool may_reenter_table0 = false;
    bool is_stale = false;  ///< Masks may be wider than need be.
  };
  struct Port {
    PortConfig config;
    std::uint8_t bridge = 0;
    std::uint32_t flags = 0;
    std::unique_ptr<Device> device;
    std::shared_ptr<const PortMasks> masks;
    PortStatus last_status;
    std::uint64_t dropped_before = 0;  ///< On this slot, by a port that is gone.
  };
  /// What control knows of a rule, by RuleId.
  struct Rule {
    Entry* entry = nullptr;
    const Program* program = nullptr;
  };
  struct Removed {
    RuleId rule;
    Version version;
  };
  /// What a worker had counted when its counts were last cleared.
  struct Cleared {
    WorkerCounts counts;
    std::uint64_t ms = 0;
  };

  // rules.cpp
  Bridge& bridge(BridgeId id) { return *bridges_[to_integer(id)]; }
  Table& table(Bridge& bridge, std::uint8_t table_id);
  bool add_rule(Bridge& bridge, const RuleSpec& rule, Version from);
  void remove_rule(Bridge& bridge, const RuleSpec& rule, Version from);
  [[nodiscard]] Change change_of(std::uint8_t bridge_index, const RuleSpec& rule) const;
  void learn_effects(Bridge& bridge);
  bool refresh_masks(std::uint8_t bridge_index);
  Version next_version() const { return shared_.version.load(std::memory_order_relaxed) + 1; }
  void publish_version(Version version);
  void settle();

  // meters.cpp
  Result<void> change_meter(Meter& meter, const MeterConfig& config);

  // ports.cpp
  Port* find_port(BridgeId bridge, PortNo number);
  const Port* find_port(BridgeId bridge, PortNo number) const;
  [[nodiscard]] PortStatus status_of(const Port& port) const;
  void publish_view();
  void publish_port_change();
  [[nodiscard]] std::uint64_t transmit_drops(std::size_t slot) const;
  void add_port_view(View& view, std::size_t slot) const;
  static void index_ports(View& view);

  // serve.cpp
  unsigned take_records(Worker& worker, unsigned limit,
                        const std::function<void(PacketIn&&)>& on_packet_in);
  void age_macs(std::uint64_t now_ms);
  void notice_link_changes(std::uint64_t now_ms,
                           const std::function<void(BridgeId, const PortStatus&)>& on_port_change);
  void shrink_masks(std::uint64_t now_ms);

  // workers.cpp
  [[nodiscard]] unsigned core_of_worker(unsigned index) const;
  void start_telemetry();
  [[nodiscard]] WorkerReport report_worker(unsigned index, std::size_t intervals) const;
  void move_queues(std::span<const unsigned> plan);
  void end_rest();
  void watch_load(std::uint64_t now_ms);

  Config config_;
  MbufPool pool_;
  Reclaimer reclaimer_;
  mutable Settler settler_{reclaimer_};
  ChangeLog change_log_{reclaimer_};
  ProgramStore program_store_{reclaimer_};
  std::unique_ptr<MeterStore> meter_store_;
  std::unique_ptr<ResumeTable> resume_table_ = std::make_unique<ResumeTable>();
  ReservedMemory program_memory_;
  std::unique_ptr<ConnectionTracker> tracker_;
  std::unique_ptr<TrackedConnections> connections_;
  std::unique_ptr<TrackedExpectations> expectations_;
  std::unique_ptr<TrackedFragments> fragments_;
  Shared shared_;
  std::vector<std::unique_ptr<Bridge>> bridges_;
  std::vector<Port> ports_;  ///< By slot.
  std::vector<std::unique_ptr<Worker>> workers_;
  QueueTable queues_;
  AutoBalance auto_balance_;
  std::vector<Cleared> cleared_;  ///< By worker.
  std::uint64_t rest_token_ = 0;  ///< Passed: no worker looks at queues that rest.
  std::uint64_t next_sample_ms_ = 0, next_balance_ms_ = 0;
  std::unique_ptr<WorkerTelemetry> telemetry_;  ///< Goes before the workers.
  std::unique_ptr<Collector> collector_;
  std::vector<Rule> rules_;
  std::vector<Removed> removed_;  ///< Not yet settled, in order of version.
  std::vector<const Program*> released_;
  std::uint32_t last_mask_id_ = 0;
  std::uint64_t port_epoch_ = 0;  ///< Counts changes of which port is in which slot.
  Version classifiers_settled_ = 0;
  bool is_running_ = false;
  std::uint64_t next_age_ms_ = 0, next_link_ms_ = 0, next_shrink_ms_ = 0;
  std::size_t next_worker_ = 0;
};

}  // namespace hoist::software

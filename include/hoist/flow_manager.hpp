// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hoist/datapath.hpp"
#include "hoist/error.hpp"
#include "hoist/offload_report.hpp"
#include "hoist/resume.hpp"
#include "hoist/rule.hpp"

namespace hoist {

/// The flow manager: decides which rules run in the NIC and puts them there, on a thread of its own
/// (the offload thread). All methods: control thread. None waits for the NIC except the destructor.
class FlowManager {
 public:
  /// Number of a submitted request, ever growing; see is_settled().
  using Sequence = std::uint64_t;

  /// `resume_table` must outlive the manager. `now_ms`: the datapath's clock, callable from any
  /// thread. `has_thread` false: tests drive the offload thread's loop through run_once().
  struct Config {
    bool is_enabled = true;
    bool has_thread = true;
    std::vector<unsigned> cores;  ///< Cores that the offload thread may use; empty: any.
    /// Where not all rules have room: how many give way to hotter ones a second. Real NICs carry
    /// less while rules change.
    std::uint32_t moves_per_second = 1000;
    /// And how many counters are read a second to find out which are hot.
    std::uint32_t reads_per_second = 200'000;
  };
  static std::unique_ptr<FlowManager> create(const Config& config, ResumeTable& resume_table,
                                             std::function<std::uint64_t()> now_ms);
  virtual ~FlowManager() = default;

  /// A port that has been started. Rules come to it in the background.
  virtual Sequence attach_port(BridgeId bridge, const PortStatus& port) = 0;
  /// To be called, and settled, before the port is stopped: its rules go first.
  virtual Sequence detach_port(BridgeId bridge, PortNo number) = 0;

  /// Tells of changes that Datapath::apply() has published (or publishes next), as one step.
  virtual Sequence submit(BridgeId bridge, std::span<const RuleChange> changes) = 0;
  /// Tells of meters: of new and changed ones before the rules that use them, of removed ones after
  /// the removal of those rules.
  virtual Sequence submit_meters(BridgeId bridge, std::span<const MeterChange> changes) = 0;
  /// Asks the NIC for all counters; once settled, collect() has them.
  virtual Sequence refresh_counters() = 0;
  /// Drains all rules to software, or fills hardware again, while traffic runs.
  virtual Sequence set_enabled(bool is_enabled) = 0;
  /// The same for what comes in at one port. Remembered while the port is away.
  virtual Sequence set_port_enabled(BridgeId bridge, PortNo number, bool is_enabled) = 0;
  [[nodiscard]] virtual bool is_enabled() const = 0;
  [[nodiscard]] virtual bool is_settled(Sequence sequence) const = 0;

  /// What hardware counted since the last call, rules just removed included. A rule's RuleHits are
  /// complete once the removal has settled.
  virtual void collect(const std::function<void(const RuleHit&)>& visit) = 0;
  /// The same of meters.
  virtual void collect_meters(const std::function<void(const MeterHit&)>& visit) = 0;

  /// Some rules find no room: observe() is to hear about twice a second what software carried.
  [[nodiscard]] virtual bool wants_hits() const = 0;
  /// What software counted since the last call.
  virtual void observe(std::vector<RuleHit> hits) = 0;

  /// A consistent copy for `offload show`, taken by the offload thread; `done` is called from a
  /// later poll(). Empty `rules`: all.
  virtual void describe(std::vector<RuleId> rules,
                        std::function<void(std::vector<Placement>)> done) = 0;
  /// The same with all there is to say about each rule. Cost: a look at every rule, for each asked.
  virtual void explain(std::vector<RuleId> rules,
                       std::function<void(std::vector<Explanation>)> done) = 0;
  /// What the NICs behind the ports can do.
  virtual void describe_nics(std::function<void(std::vector<NicReport>)> done) = 0;
  /// Asks the NICs for every rule that should stand in them; with `repairs`, what has lost some is
  /// installed anew, while its traffic runs in software.
  virtual void verify(bool repairs, std::function<void(std::vector<DriftReport>)> done) = 0;
  [[nodiscard]] virtual OffloadStats stats() const = 0;
  /// Runs what is due on the control thread: answers to what was asked.
  virtual void poll() = 0;

  /// Test drivers only (has_thread false): one loop turn of the offload thread.
  virtual void run_once() = 0;
};

}  // namespace hoist

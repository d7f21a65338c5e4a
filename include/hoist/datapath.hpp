// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hoist/drop_reason.hpp"
#include "hoist/error.hpp"
#include "hoist/meter.hpp"
#include "hoist/packet_in.hpp"
#include "hoist/resume.hpp"
#include "hoist/rule.hpp"
#include "hoist/types.hpp"

namespace hoist {

struct PortConfig {
  std::string name;
  PortNo number;
  std::string devargs;  ///< "0000:03:00.0", "net_af_packet0,iface=veth1", "...,representor=vf0".
  std::uint16_t queues = 1;
};

/// OFPPC_* bits (OpenFlow 1.3, 7.2.1).
struct PortFlags {
  static constexpr std::uint32_t kDown = 1u << 0;
  static constexpr std::uint32_t kNoRecv = 1u << 2;
  static constexpr std::uint32_t kNoFwd = 1u << 5;
  static constexpr std::uint32_t kNoPacketIn = 1u << 6;
  static constexpr std::uint32_t kNoFlood = 1u << 4;  ///< OpenFlow 1.0's OFPPC_NO_FLOOD.
};

struct PortStatus {
  std::string name;
  PortNo number;
  EthdevId ethdev = EthdevId::kNone;
  std::string driver;
  MacAddress mac{};
  std::uint32_t flags = 0;  ///< PortFlags.
  bool is_link_up = false;
  std::uint32_t speed_mbps = 0;
  std::uint16_t mtu = 0;
  std::uint16_t queues = 0;
};

struct PortCounters {
  std::uint64_t ingress_packets = 0, ingress_bytes = 0, ingress_dropped = 0, ingress_errors = 0;
  std::uint64_t egress_packets = 0, egress_bytes = 0, egress_dropped = 0, egress_errors = 0;
};

/// What a rule gained since the last collection.
struct RuleHit {
  RuleId rule;
  TrafficCount count;
  std::uint64_t last_used_ms;  ///< On Datapath::now_ms()'s clock.
};

/// Cumulative, of one table.
struct TableCount {
  std::uint64_t lookups = 0;
  std::uint64_t matches = 0;
};

/// The software pipeline: ports, tables and poll-mode workers. All methods: control thread, unless
/// said. None waits for a worker except the destructor, remove_port() and stop().
class Datapath {
 public:
  struct Config {
    /// EAL lcores that run workers. Empty: one worker, without a thread, that tests drive through
    /// run_once().
    std::vector<unsigned> worker_lcores;
    std::uint32_t flow_cache_entries = 1u << 20;  ///< Per worker; 0: none.
    std::uint32_t mbuf_count = 65536;
    std::uint32_t max_connections = 3'000'000;  ///< Of connection tracking; up to 2^24.
    std::uint32_t max_rules = 1u << 22;         ///< RuleIds run from 1 to this.
    /// Bands of all meters together; address space for 64 bytes each is set aside.
    std::uint32_t max_meter_bands = 1u << 22;
    /// Test drivers only: the time in nanoseconds, instead of the processor's counter.
    const std::atomic<std::uint64_t>* clock_ns = nullptr;
  };
  /// Number of a published change, ever growing; see is_settled().
  using Version = std::uint32_t;

  /// EAL must be up. Fails with kInvalidArgument or kDevice.
  static Result<std::unique_ptr<Datapath>> create(const Config& config);
  virtual ~Datapath() = default;

  virtual void start() = 0;  ///< Launches the workers.
  virtual void stop() = 0;   ///< Stops them; ports stay.

  virtual Result<BridgeId> add_bridge(const std::string& name) = 0;

  /// Probes, configures and starts a device. Fails with kDevice (DPDK's reason) or kExists.
  virtual Result<PortStatus> add_port(BridgeId bridge, const PortConfig& config) = 0;
  /// Stops and closes a port once no worker can touch it.
  virtual Result<void> remove_port(BridgeId bridge, PortNo number) = 0;
  virtual Result<void> set_port_flags(BridgeId bridge, PortNo number, std::uint32_t flags) = 0;
  [[nodiscard]] virtual std::vector<PortStatus> ports(BridgeId bridge) const = 0;
  [[nodiscard]] virtual std::optional<PortCounters> port_counters(BridgeId bridge,
                                                                  PortNo number) const = 0;

  /// Checks what only the datapath can know of a rule (an instruction it has no code for).
  [[nodiscard]] virtual Result<void> check(const RuleSpec& rule) const = 0;
  /// Publishes all changes as one step: no packet sees a part of them. The ids of removed rules
  /// stay taken until is_settled() and a collect() after it.
  virtual Version apply(BridgeId bridge, std::span<const RuleChange> changes) = 0;
  /// Says whether no worker can still act on anything older than `version`.
  [[nodiscard]] virtual bool is_settled(Version version) const = 0;

  /// Adds a meter, or changes its rates at once and keeps its counters; rules applied later may use
  /// it. kController limits packet-ins; nothing passes through kSlowpath. `config`: 0 to 8 bands,
  /// rates above 0. Fails with kFull.
  virtual Result<void> set_meter(BridgeId bridge, const MeterConfig& config) = 0;
  /// Forgets a meter; rules that use it must have been removed before.
  virtual void remove_meter(BridgeId bridge, MeterId id) = 0;
  /// What software counted; false: there is no such meter. `stats` is overwritten.
  [[nodiscard]] virtual bool meter_stats(BridgeId bridge, MeterId id, MeterStats& stats) const = 0;

  /// Calls `visit` for each rule hit since the last call. Cost: segments in use.
  virtual void collect(const std::function<void(const RuleHit&)>& visit) = 0;
  [[nodiscard]] virtual TableCount table_count(BridgeId bridge, std::uint8_t table_id) const = 0;
  /// Cumulative packets dropped, indexed by DropReason, over all workers.
  [[nodiscard]] virtual std::array<std::uint64_t, kDropReasonCount> drops() const = 0;

  /// Runs actions on a frame as if it had come in on `in_port` (kController, kLocal or a port).
  /// Meters that are not there are passed over. Fails with kInvalidArgument (frame too long), kBusy
  /// (ring full) or as check().
  virtual Result<void> packet_out(BridgeId bridge, PortNo in_port,
                                  std::span<const std::uint8_t> frame,
                                  const ActionList& actions) = 0;
  /// Takes up to 64 waiting packet-ins, ages MAC tables, notices link changes, frees what workers
  /// have let go of. To be called every few milliseconds. Returns whether more packet-ins wait.
  virtual bool poll(const std::function<void(PacketIn&&)>& on_packet_in,
                    const std::function<void(BridgeId, const PortStatus&)>& on_port_change) = 0;

  struct MacEntry {
    MacAddress mac;
    std::uint16_t vlan;
    PortNo port;
    std::uint32_t age_s;
  };
  [[nodiscard]] virtual std::vector<MacEntry> mac_table(BridgeId bridge) const = 0;
  virtual void flush_mac_table(BridgeId bridge) = 0;

  /// Shared with the flow manager, which writes it.
  [[nodiscard]] virtual ResumeTable& resume_table() = 0;

  [[nodiscard]] virtual std::uint64_t now_ms() const = 0;  ///< Any thread. Monotonic.

  /// Test drivers only (worker_lcores empty): one loop turn of the one worker.
  virtual void run_once() = 0;
};

}  // namespace hoist

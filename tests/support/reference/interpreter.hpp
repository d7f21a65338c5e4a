// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <map>
#include <span>
#include <vector>

#include "hoist/datapath.hpp"
#include "support/reference/conversation.hpp"
#include "support/reference/flow_table.hpp"
#include "support/reference/layers.hpp"
#include "support/reference/meter.hpp"

namespace hoist::reference {

struct Sent {
  PortNo port;
  Bytes frame;
  bool operator==(const Sent&) const = default;
};

/// All that became of one packet.
struct Fate {
  std::vector<Sent> sent;
  std::vector<PacketIn> packet_ins;
  std::array<std::uint64_t, kDropReasonCount> drops{};
};

/// A bridge by the letter of OpenFlow 1.3 and of Open vSwitch's manual pages: one packet at a time,
/// no cache, every header found anew after every change. It shares nothing with the switch but the
/// contracts in include/hoist.
class Interpreter {
 public:
  static constexpr unsigned kMaxLookups = 64;

  struct Port {
    PortNo number;
    std::uint32_t flags = 0;       ///< PortFlags.
    std::size_t frame_max = 1522;  ///< Longest frame that may leave, without FCS.
  };

  explicit Interpreter(std::vector<Port> ports) : ports_(std::move(ports)) {}

  void apply(std::span<const RuleChange> changes);
  /// Adds a meter, full.
  void add_meter(const MeterConfig& config) { meters_.try_emplace(config.id, config, now_ns_); }
  /// Lets time pass: meters and connections know of it.
  void advance(std::uint64_t ns) { now_ns_ += ns; }
  void set_port_flags(PortNo number, std::uint32_t flags);
  Fate receive(PortNo in_port, const Bytes& frame);
  Fate packet_out(PortNo in_port, const Bytes& frame, const ActionList& actions);

  [[nodiscard]] const FlowTable& table(std::uint8_t table_id) const { return tables_[table_id]; }
  [[nodiscard]] const std::map<MeterId, Meter>& meters() const { return meters_; }
  /// Where NORMAL has seen a source address: by MAC and VLAN.
  using MacTable = std::map<std::pair<MacAddress, std::uint16_t>, PortNo>;
  [[nodiscard]] const MacTable& macs() const { return macs_; }
  void flush_macs() { macs_.clear(); }

 private:
  friend class Execution;
  [[nodiscard]] const Port* find_port(PortNo number) const;

  std::vector<Port> ports_;
  std::array<FlowTable, 256> tables_;
  MacTable macs_;
  std::map<MeterId, Meter> meters_;
  Connections connections_;
  std::uint64_t now_ns_ = 0;
};

}  // namespace hoist::reference

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "openflow/async_masks.hpp"
#include "openflow/bridge.hpp"
#include "openflow/bundle.hpp"
#include "openflow/codec.hpp"
#include "openflow/flow_monitor.hpp"

namespace hoist::openflow {

/// One controller's conversation with a bridge: bytes in, bytes out, no socket. Control thread.
///
/// Invariants: 1. messages are answered in order; while one waits for the planes (a barrier, fresh
/// counters) or is only half sent (a long dump), none behind it is looked at; 2. flow mods of one
/// receive() are one step of the planes unless something between them must see what came before.
class Session {
 public:
  struct Options {
    /// A connection that we accepted gets no packet-ins and the like until it asks for them with a
    /// SET_CONFIG of miss_send_len above 0; one that we made gets them at once.
    bool is_service = true;
    std::uint32_t versions = 1u << 1 | 1u << 4 | 1u << 5;  ///< Bit v: OpenFlow wire version v.
  };
  /// Output beyond this holds further requests back; async messages are dropped.
  static constexpr std::size_t kOutputMax = 1u << 20;
  /// Flow updates cannot be dropped one by one: whoever lets this much of them wait is let go.
  static constexpr std::size_t kFlowUpdatesMax = 64u << 20;

  /// Greets at once. `bridge` must outlive the session.
  Session(Bridge& bridge, Options options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Takes whole messages from the front of `bytes`; returns how many bytes it is done with. Stops
  /// early when is_waiting() or is_congested().
  std::size_t receive(std::span<const std::uint8_t> bytes);

  enum class Progress : std::uint8_t {
    kDone,     ///< Nothing waits; receive() may go on.
    kRunning,  ///< Call again soon: there is more to send.
    kSoon,     ///< Waits for the workers alone: a matter of microseconds.
    kBlocked,  ///< Waits for the planes or for output to drain.
  };
  /// Goes on with what waits.
  Progress advance();
  [[nodiscard]] bool is_waiting() const noexcept { return waiting_ != nullptr; }
  /// Of what waits.
  [[nodiscard]] std::chrono::steady_clock::time_point waiting_since() const noexcept {
    return waiting_since_;
  }
  [[nodiscard]] bool is_congested() const noexcept {
    return output_.size() + unsent_size_ > kOutputMax;
  }
  /// Empty, or why the connection is to be closed once output() has been sent.
  [[nodiscard]] const std::string& close_reason() const noexcept { return close_reason_; }
  /// The peer does not read: there is no use in waiting for output() to be sent.
  [[nodiscard]] bool is_given_up() const noexcept { return is_given_up_; }

  /// What to send; the connection empties it.
  [[nodiscard]] Bytes& output() noexcept { return output_; }
  /// Bytes taken from output() that are still on their way.
  void set_unsent_size(std::size_t size) noexcept { unsent_size_ = size; }

  void send_echo_request();

  // --- For Bridge.
  void packet_in(const PacketIn& packet);
  void flow_removed(const Rule& rule);
  void port_changed(PortChange change, const PortDesc& port);
  void tell_monitors(std::span<const RuleEvent> events);
  void step_down() noexcept;
  [[nodiscard]] bool has_monitors() const noexcept { return !monitors_.is_empty(); }
  /// Speaks an OpenFlow in which a table miss goes to the controller, and takes it.
  [[nodiscard]] bool wants_misses() const noexcept;
  /// Async messages dropped because output was full.
  [[nodiscard]] std::uint64_t dropped_count() const noexcept { return dropped_count_; }

 private:
  using Role = RoleRequest::Role;
  /// The message at hand.
  struct Context {
    std::uint32_t xid;
    std::span<const std::uint8_t> bytes;
  };
  /// What goes on after the handler has returned.
  using Task = std::function<Progress()>;
  enum class Async : std::uint8_t { kPacketIn, kPortStatus, kFlowRemoved };

  void take_message(const Header& header, std::span<const std::uint8_t> message);
  void greet(const Hello& hello);
  void dispatch(const Request& request, const Context& at);
  [[nodiscard]] Envelope to(const Context& at) const noexcept { return {version_, at.xid}; }
  void refuse(const Context& at, const Fault& fault);
  void wait_for(Task task);
  /// Writes a dump of `meter` slice by slice, once hardware's counters are as of now.
  template <class Dump>
  Decoded<void> dump_meters(MeterId meter, const Context& at);
  /// Runs `then` once hardware's counters are as of now.
  void with_fresh_counters(Task then);
  [[nodiscard]] Decoded<void> forbid_slave() const;

  // session.cpp
  Decoded<void> handle(const ErrorMessage& error, const Context& at);
  Decoded<void> handle(const EchoRequest& echo, const Context& at);
  Decoded<void> handle(const FeaturesRequest& request, const Context& at);
  Decoded<void> handle(const GetConfigRequest& request, const Context& at);
  Decoded<void> handle(const SetConfig& config, const Context& at);
  Decoded<void> handle(const BarrierRequest& barrier, const Context& at);
  Decoded<void> handle(const DescRequest& request, const Context& at);
  Decoded<void> handle(const NxSetFlowFormat& request, const Context& at);
  Decoded<void> handle(const NxFlowModTableId& request, const Context& at);
  // session_change.cpp
  Decoded<void> handle(FlowMod mod, const Context& at);
  Decoded<void> handle(const PacketOut& out, const Context& at);
  Decoded<void> handle(const PortMod& mod, const Context& at);
  Decoded<void> handle(const TableMod& mod, const Context& at);
  Decoded<void> handle(const GroupMod& mod, const Context& at);
  Decoded<void> handle(MeterMod mod, const Context& at);
  Decoded<void> handle(const NxCtFlush& flush, const Context& at);
  Decoded<void> handle(const BundleControl& control, const Context& at);
  Decoded<void> handle(const BundleAdd& add, const Context& at);
  [[nodiscard]] Dialect dialect() const noexcept { return {version_, has_flow_mod_table_id_}; }
  Decoded<void> apply(FlowMod&& mod, std::uint32_t xid);
  Decoded<void> check(const PortMod& mod) const;
  Decoded<void> check(const BundleAdd& add, const Context& at) const;
  Decoded<void> commit(const Bundle& bundle);
  Decoded<void> apply_inner(std::span<const std::uint8_t> message, std::vector<PortMod>& port_mods);
  // session_stats.cpp
  Decoded<void> handle(const FlowStatsRequest& request, const Context& at);
  Decoded<void> handle(const AggregateRequest& request, const Context& at);
  Decoded<void> handle(const TableStatsRequest& request, const Context& at);
  Decoded<void> handle(const PortStatsRequest& request, const Context& at);
  Decoded<void> handle(const PortDescRequest& request, const Context& at);
  Decoded<void> handle(const TableFeaturesRequest& request, const Context& at);
  Decoded<void> handle(const QueueStatsRequest& request, const Context& at);
  Decoded<void> handle(const QueueGetConfigRequest& request, const Context& at);
  Decoded<void> handle(const GroupStatsRequest& request, const Context& at);
  Decoded<void> handle(const GroupDescRequest& request, const Context& at);
  Decoded<void> handle(const GroupFeaturesRequest& request, const Context& at);
  Decoded<void> handle(const MeterStatsRequest& request, const Context& at);
  Decoded<void> handle(const MeterConfigRequest& request, const Context& at);
  Decoded<void> handle(const MeterFeaturesRequest& request, const Context& at);
  Decoded<void> handle(const TableDescRequest& request, const Context& at);
  [[nodiscard]] std::vector<TableStats> table_stats() const;
  // session_async.cpp
  Decoded<void> handle(const RoleRequest& request, const Context& at);
  Decoded<void> handle(const GetAsyncRequest& request, const Context& at);
  Decoded<void> handle(const SetAsync& masks, const Context& at);
  Decoded<void> handle(const NxSetPacketInFormat& request, const Context& at);
  Decoded<void> handle(const NxSetControllerId& request, const Context& at);
  Decoded<void> handle(const NxSetAsync& request, const Context& at);
  Decoded<void> handle(const FlowMonitorRequest& request, const Context& at);
  Decoded<void> handle(const NxFlowMonitorCancel& request, const Context& at);
  /// Whether an async message is to go out; counts it if it has no room.
  [[nodiscard]] bool wants(Async kind, std::uint8_t reason);
  [[nodiscard]] bool hears(Async kind, std::uint8_t reason) const noexcept;
  // Never asked of us.
  Decoded<void> handle(const Hello& hello, const Context& at);
  Decoded<void> handle(const EchoReply& echo, const Context& at);

  Bridge& bridge_;
  Options options_;
  std::uint32_t id_;  ///< Names this session in Origin.
  Version version_ = Version::kOf10;
  bool is_greeted_ = false;
  std::string close_reason_;
  bool is_given_up_ = false;

  Bytes output_;
  std::size_t unsent_size_ = 0;
  std::uint64_t dropped_count_ = 0;
  Task waiting_;
  std::chrono::steady_clock::time_point waiting_since_;

  Role role_ = Role::kEqual;
  SetAsync async_ = default_async_masks();
  std::uint16_t config_flags_ = 0;
  std::uint16_t miss_send_len_;
  std::uint16_t controller_id_ = 0;
  PacketInMessage::Format packet_in_format_ = PacketInMessage::Format::kStandard;
  bool is_nxm_ = false;  ///< NXT_SET_FLOW_FORMAT chose NXM.
  bool has_flow_mod_table_id_ = false;
  BundleTable bundles_;
  FlowMonitors monitors_;
};

}  // namespace hoist::openflow

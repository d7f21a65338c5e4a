// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "openflow/fault.hpp"
#include "openflow/message.hpp"

/// Bytes to messages and messages to bytes: OpenFlow 1.0 with Nicira's extensions, 1.3, 1.4 and
/// what of 1.5 is the same. Pure functions; any thread.
namespace hoist::openflow {

using Bytes = std::vector<std::uint8_t>;

/// The eight bytes in front of every message (OpenFlow 1.3, 7.1):
///
///     | version 1 | type 1 | length 2 | xid 4 |
struct Header {
  static constexpr std::size_t kSize = 8;
  std::uint8_t version;  ///< As on the wire: 1 is OpenFlow 1.0, 4 is 1.3.
  std::uint8_t type;
  std::uint16_t length;  ///< Of the whole message; below kSize the stream is broken.
  std::uint32_t xid;
  /// Nothing if `bytes` is shorter than a header.
  [[nodiscard]] static std::optional<Header> read(std::span<const std::uint8_t> bytes) noexcept;
};

/// What decoding depends on besides the bytes. A plain Version converts to it.
struct Dialect {
  Version version;
  /// NXT_FLOW_MOD_TABLE_ID is on: the high byte of an OpenFlow 1.0 flow mod's command is its table.
  bool has_flow_mod_table_id = false;
  // NOLINTNEXTLINE(google-explicit-constructor): a version is the usual dialect.
  constexpr Dialect(Version v, bool table_id = false) noexcept
      : version(v), has_flow_mod_table_id(table_id) {}
};

/// Decodes one whole message: `message.size()` must be its header's length. Flow mods are checked
/// (check.hpp) too; whether groups, meters, queues and ports exist is left to the caller. A hello
/// may carry any version. Reads nothing outside `message`. Errors are what is to be sent back.
[[nodiscard]] tl::expected<Request, WireError> decode(std::span<const std::uint8_t> message,
                                                      Dialect dialect);

// --- Replies. Each encoder appends one or more whole messages to `out`. ------------------------

/// What goes into a reply's header.
struct Envelope {
  Version version;
  std::uint32_t xid;
};

/// `to.version` is the highest version offered; the bitmap element is left out for OpenFlow 1.0.
void encode(Bytes& out, Envelope to, const Hello& hello);
/// At most the first 64 KiB of `error.data` are sent.
void encode(Bytes& out, Envelope to, const ErrorMessage& error);
/// As above, without a copy of the offending message.
void encode_error(Bytes& out, Envelope to, const WireError& error,
                  std::span<const std::uint8_t> offending);
void encode(Bytes& out, Envelope to, const EchoRequest& echo);
void encode(Bytes& out, Envelope to, const EchoReply& echo);
void encode(Bytes& out, Envelope to, const FeaturesReply& features);
void encode(Bytes& out, Envelope to, const GetConfigReply& config);
void encode_barrier_reply(Bytes& out, Envelope to);

/// Payload of a packet-in message.
struct PacketInMessage {
  enum class Format : std::uint8_t { kStandard, kNicira, kNicira2 };  ///< NxSetPacketInFormat.
  const PacketIn* packet = nullptr;
  std::uint64_t cookie = UINT64_MAX;  ///< Of PacketIn::rule.
  std::uint32_t buffer_id = UINT32_MAX;
};
/// Cuts the frame to PacketIn::max_len if it is buffered, else sends all of it up to max_len.
void encode(Bytes& out, Envelope to, const PacketInMessage& packet_in,
            PacketInMessage::Format format = PacketInMessage::Format::kStandard);

/// `is_nicira`: NXT_FLOW_REMOVED, for OpenFlow 1.0 connections in the NXM flow format.
void encode(Bytes& out, Envelope to, const FlowRemoved& removed, bool is_nicira = false);
void encode_port_status(Bytes& out, Envelope to, PortChange change, const PortDesc& port);
/// `role.is_nicira` picks NXT_ROLE_REPLY.
void encode_role_reply(Bytes& out, Envelope to, const RoleRequest& role);
void encode_async_reply(Bytes& out, Envelope to, const SetAsync& masks);
/// Answers a bundle control request: `request.type` is the OFPBCT_*_REQUEST that was asked.
void encode_bundle_reply(Bytes& out, Envelope to, const BundleControl& request);
void encode_queue_config_reply(Bytes& out, Envelope to, PortNo port);

// --- Multipart (OpenFlow 1.0: stats) replies, split into parts of at most 64 KiB ----------------

void encode(Bytes& out, Envelope to, const Description& description);

struct AggregateReply {
  TrafficCount count;
  std::uint32_t flow_count = 0;
  bool is_nicira = false;  ///< NXST_AGGREGATE.
};
void encode(Bytes& out, Envelope to, const AggregateReply& aggregate);
void encode_table_stats(Bytes& out, Envelope to, std::span<const TableStats> tables);
void encode_port_stats(Bytes& out, Envelope to, std::span<const PortStats> ports);
void encode_port_descs(Bytes& out, Envelope to, std::span<const PortDesc> ports);
/// Features of tables 0 to n - 1, all alike: what hoist can match and do.
void encode_table_features(Bytes& out, Envelope to, std::span<const TableStats> tables);
void encode_table_descs(Bytes& out, Envelope to, std::span<const TableStats> tables);
void encode_group_features(Bytes& out, Envelope to);  ///< None supported.
void encode(Bytes& out, Envelope to, const MeterFeatures& features);

/// Multipart types whose reply is empty as long as hoist has no such thing.
enum class EmptyReply : std::uint8_t { kQueueStats, kGroupStats, kGroupDesc };
void encode_empty(Bytes& out, Envelope to, EmptyReply kind);

/// Cuts a multipart reply into parts. Each add() appends one entry; full parts go to `out` with the
/// MORE flag; finish() sends the last one. `out` may be drained between calls.
class MultipartReply {
 public:
  static constexpr std::size_t kMaxSize = 65535;           ///< Bytes of a part.
  static constexpr std::size_t kMaxEntry = kMaxSize - 24;  ///< Bytes of an entry that always fits.

  /// `nicira_subtype` is used where `type` is 0xffff (NXST_*).
  MultipartReply(Bytes& out, Envelope to, std::uint16_t type, std::uint32_t nicira_subtype = 0);
  /// Appends an entry, starting a new part if the present one has no room for it.
  void add(std::span<const std::uint8_t> entry);
  void finish();

 private:
  void begin_part();
  void end_part(bool more);
  Bytes& out_;
  Bytes part_;
  Envelope to_;
  std::uint16_t type_;
  std::uint32_t nicira_subtype_;
  std::size_t empty_size_ = 0;
};

/// Streams the reply to a FlowStatsRequest, rule by rule.
class FlowStatsReply {
 public:
  FlowStatsReply(Bytes& out, Envelope to, bool is_nicira);
  void add(const FlowStats& stats);
  void finish() { parts_.finish(); }

 private:
  MultipartReply parts_;
  Bytes entry_;
  Version version_;
  bool is_nicira_;
};

/// Streams the reply to a MeterStatsRequest (OpenFlow 1.3, 7.3.5.9).
class MeterStatsReply {
 public:
  MeterStatsReply(Bytes& out, Envelope to);
  void add(const MeterStatsEntry& entry);
  void finish() { parts_.finish(); }

 private:
  MultipartReply parts_;
  Bytes entry_;
};
/// Streams the reply to a MeterConfigRequest (OpenFlow 1.3, 7.3.5.10).
class MeterConfigReply {
 public:
  MeterConfigReply(Bytes& out, Envelope to);
  void add(const MeterConfig& config);
  void finish() { parts_.finish(); }

 private:
  MultipartReply parts_;
  Bytes entry_;
};

/// What happened to a watched rule (NXFME_*, OFPFME_*).
enum class FlowEvent : std::uint8_t { kInitial, kAdded, kRemoved, kModified, kAbbreviated };
/// Streams the reply to a FlowMonitorRequest, and later updates (then `to.xid` is 0).
class FlowMonitorReply {
 public:
  FlowMonitorReply(Bytes& out, Envelope to, bool is_nicira);
  /// `reason` is OFPRR_* of a removal. Null `stats.instructions` sends none.
  void add(FlowEvent event, const FlowStats& stats, std::uint8_t reason = 0);
  /// The watcher's own change, by its xid only.
  void add_abbreviated(std::uint32_t xid);
  void finish() { parts_.finish(); }

 private:
  MultipartReply parts_;
  Bytes entry_;
  Version version_;
  bool is_nicira_;
};

/// The name of a message's type for logs ("OFPT_FLOW_MOD"); "unknown" where there is none.
[[nodiscard]] std::string_view type_name(const Header& header) noexcept;

}  // namespace hoist::openflow

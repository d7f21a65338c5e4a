// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "hoist/connections.hpp"
#include "hoist/datapath.hpp"
#include "hoist/instructions.hpp"
#include "hoist/match.hpp"
#include "hoist/meter.hpp"

/// OpenFlow messages without their wire form: what the codec makes of bytes and bytes of. One set
/// of structs for all versions; each carries the superset, and the codec says no to what a version
/// lacks.
namespace hoist::openflow {

enum class Version : std::uint8_t { kOf10 = 1, kOf13 = 4, kOf14 = 5, kOf15 = 6 };

/// An OpenFlow error's type and code in the numbers of the connection's version, or a Nicira vendor
/// error (experimenter set). `detail` is for the log.
struct WireError {
  std::uint16_t type = 0;
  std::uint16_t code = 0;
  std::uint32_t experimenter = 0;
  std::string detail;
  bool operator==(const WireError&) const = default;
};

/// Errors by name, independent of version; the codec numbers them.
enum class ErrorName : std::uint8_t {
  kBadVersion,  // BAD_REQUEST
  kBadType,
  kBadStat,
  kBadExperimenter,
  kBadSubtype,
  kPermission,
  kBadLength,
  kBufferUnknown,
  kBadTableId,
  kIsSlave,
  kBadPort,
  kBadPacket,
  kMultipartBufferOverflow,
  kActionBadType,  // BAD_ACTION
  kActionBadLength,
  kActionBadExperimenter,
  kActionBadExperimenterType,
  kActionBadOutPort,
  kActionBadArgument,
  kActionTooMany,
  kActionBadQueue,
  kActionBadOutGroup,
  kActionMatchInconsistent,
  kActionUnsupportedOrder,
  kActionBadTag,
  kActionBadSetType,
  kActionBadSetLength,
  kActionBadSetArgument,
  kInstructionUnknown,  // BAD_INSTRUCTION
  kInstructionUnsupported,
  kInstructionBadTableId,
  kInstructionUnsupportedMetadata,
  kInstructionUnsupportedMetadataMask,
  kInstructionBadLength,
  kInstructionDuplicate,
  kMatchBadType,  // BAD_MATCH
  kMatchBadLength,
  kMatchBadTag,
  kMatchBadDlMask,
  kMatchBadNwMask,
  kMatchBadWildcards,
  kMatchBadField,
  kMatchBadValue,
  kMatchBadMask,
  kMatchBadPrerequisite,
  kMatchDuplicateField,
  kFlowModUnknown,  // FLOW_MOD_FAILED
  kFlowModTableFull,
  kFlowModBadTableId,
  kFlowModOverlap,
  kFlowModPermission,
  kFlowModBadTimeout,
  kFlowModBadCommand,
  kFlowModBadFlags,
  kPortModBadPort,  // PORT_MOD_FAILED
  kPortModBadHwAddr,
  kPortModBadConfig,
  kPortModBadAdvertise,
  kTableModBadTable,  // TABLE_MOD_FAILED
  kTableModBadConfig,
  kSwitchConfigBadFlags,  // SWITCH_CONFIG_FAILED
  kRoleUnsupported,       // ROLE_REQUEST_FAILED
  kRoleStale,
  kRoleBad,
  kGroupModUnknownGroup,  // GROUP_MOD_FAILED
  kGroupModOutOfGroups,
  kGroupModBadCommand,
  kGroupModBadType,
  kMeterModUnknown,  // METER_MOD_FAILED
  kMeterModExists,
  kMeterModInvalid,
  kMeterModUnknownMeter,
  kMeterModBadCommand,
  kMeterModBadFlags,
  kMeterModBadRate,
  kMeterModBadBand,
  kMeterModOutOfMeters,
  kMeterModOutOfBands,
  kBundleUnknown,  // BUNDLE_FAILED
  kBundleExists,
  kBundleBadId,
  kBundleClosed,
  kBundleOutOfBundles,
  kBundleBadType,
  kBundleBadFlags,
  kBundleMessageBadLength,
  kBundleMessageBadXid,
  kBundleMessageUnsupported,
  kBundleMessageFailed,
  kMonitorExists,  // FLOW_MONITOR_FAILED
  kMonitorUnknown,
  kMonitorBadCommand,
  kMonitorBadFlags,
  kPropertyBadType,  // BAD_PROPERTY
  kPropertyBadLength,
  kPropertyBadValue,
  kTableFeaturesPermission,
  kMustBeZero,  // Nicira
  kHelloIncompatible,
};

// --- Both directions -------------------------------------------------------------------------

struct Hello {
  std::uint32_t version_bitmap = 0;  ///< Bit v set: wire version v is offered.
};
struct ErrorMessage {
  WireError error;
  std::vector<std::uint8_t> data;  ///< At least 64 bytes of the offending message.
};
struct EchoRequest {
  std::vector<std::uint8_t> data;
};
struct EchoReply {
  std::vector<std::uint8_t> data;
};

// --- Controller to switch --------------------------------------------------------------------

struct FeaturesRequest {};
struct GetConfigRequest {};
struct SetConfig {
  std::uint16_t flags = 0;
  std::uint16_t miss_send_len = 128;
};
struct BarrierRequest {};

struct FlowMod {
  enum class Command : std::uint8_t { kAdd, kModify, kModifyStrict, kDelete, kDeleteStrict };
  // OFPFF_* in OpenFlow 1.3 numbering.
  static constexpr std::uint16_t kSendFlowRem = 1u << 0;
  static constexpr std::uint16_t kCheckOverlap = 1u << 1;
  static constexpr std::uint16_t kResetCounts = 1u << 2;
  static constexpr std::uint16_t kNoPacketCounts = 1u << 3;
  static constexpr std::uint16_t kNoByteCounts = 1u << 4;

  Command command = Command::kAdd;
  std::uint8_t table_id = 0;  ///< 0xff: all tables (delete), or "switch chooses" (add: table 0).
  std::uint16_t priority = 0x8000;
  std::uint64_t cookie =
      0;  ///< Add: the rule's. Else only rules with it under cookie_mask are meant.
  std::uint64_t cookie_mask = 0;
  /// Modify in OpenFlow 1.0 and NXT_FLOW_MOD: the cookie to give (none if it was all ones).
  std::optional<std::uint64_t> new_cookie;
  /// OpenFlow 1.0 adds over a modify: a modify that matches nothing adds.
  bool modify_adds_when_missing = false;
  std::uint16_t idle_timeout = 0;  ///< Seconds; 0: none.
  std::uint16_t hard_timeout = 0;
  std::uint32_t buffer_id = 0xffffffff;
  PortNo out_port = PortNo::kAny;
  std::uint32_t out_group = 0xffffffff;
  std::uint16_t flags = 0;
  std::uint16_t importance = 0;
  Match match;
  Instructions instructions;
};

struct PacketOut {
  std::uint32_t buffer_id = 0xffffffff;
  PortNo in_port = PortNo::kController;
  ActionList actions;
  std::vector<std::uint8_t> frame;
};
struct PortMod {
  PortNo port_no{};
  MacAddress hw_addr{};
  std::uint32_t config = 0;
  std::uint32_t mask = 0;
  std::uint32_t advertise = 0;
};
struct TableMod {
  std::uint8_t table_id = 0;
  std::uint32_t config = 0;
};
struct RoleRequest {
  enum class Role : std::uint8_t { kNoChange, kEqual, kMaster, kSlave };  // OFPCR_ROLE_*
  Role role = Role::kNoChange;
  std::uint64_t generation_id = 0;
  bool is_nicira = false;  ///< NXT_ROLE_REQUEST of OpenFlow 1.0.
};
struct GetAsyncRequest {};
struct SetAsync {
  // Bit r of [0]: reason r is wanted as master or equal; [1]: as slave.
  std::uint32_t packet_in_mask[2] = {0, 0};
  std::uint32_t port_status_mask[2] = {0, 0};
  std::uint32_t flow_removed_mask[2] = {0, 0};
};
struct GroupMod {
  std::uint16_t command = 0;  ///< OFPGC_*: 2 is delete.
  std::uint32_t group_id = 0;
};
struct MeterMod {
  enum class Command : std::uint8_t { kAdd, kModify, kDelete };  // OFPMC_*
  Command command = Command::kAdd;
  MeterConfig config;  ///< Delete: only its id, kAll for all.
};
struct QueueGetConfigRequest {
  PortNo port{};
};
/// OpenFlow 1.4 bundles, and ONF extension 230 on OpenFlow 1.3.
struct BundleControl {
  std::uint32_t bundle_id = 0;
  std::uint16_t type = 0;   ///< OFPBCT_*.
  std::uint16_t flags = 0;  ///< OFPBF_*.
};
struct BundleAdd {
  std::uint32_t bundle_id = 0;
  std::uint16_t flags = 0;
  std::vector<std::uint8_t> message;  ///< Whole inner message; decode() it.
};
/// Nicira extensions of OpenFlow 1.0 connections.
struct NxSetFlowFormat {
  std::uint32_t format = 0;  ///< 0: OpenFlow 1.0, 2: NXM.
};
struct NxFlowModTableId {
  bool is_set = false;
};
struct NxSetPacketInFormat {
  std::uint32_t format = 0;  ///< 0: standard, 1: NXT_PACKET_IN, 2: NXT_PACKET_IN2.
};
struct NxSetControllerId {
  std::uint16_t controller_id = 0;
};
struct NxSetAsync {
  SetAsync masks;
};
/// NXT_CT_FLUSH and NXT_CT_FLUSH_ZONE: forgets the connections that are meant, of all bridges.
struct NxCtFlush {
  ConnectionFilter filter;
};

struct FlowStatsFilter {
  std::uint8_t table_id = 0xff;
  PortNo out_port = PortNo::kAny;
  std::uint32_t out_group = 0xffffffff;
  std::uint64_t cookie = 0;
  std::uint64_t cookie_mask = 0;
  Match match;
};
struct DescRequest {};
struct FlowStatsRequest {
  FlowStatsFilter filter;
  bool is_nicira = false;  ///< NXST_FLOW: answer in kind.
};
struct AggregateRequest {
  FlowStatsFilter filter;
  bool is_nicira = false;
};
struct TableStatsRequest {};
struct PortStatsRequest {
  PortNo port = PortNo::kAny;
};
struct PortDescRequest {};
struct TableFeaturesRequest {
  bool is_set = false;  ///< Has a body: asks for a change, which is refused.
};
struct QueueStatsRequest {};
struct GroupStatsRequest {};
struct GroupDescRequest {};
struct GroupFeaturesRequest {};
struct MeterStatsRequest {
  MeterId meter_id = MeterId::kAll;
};
struct MeterConfigRequest {
  MeterId meter_id = MeterId::kAll;
};
struct MeterFeaturesRequest {};
struct TableDescRequest {};  // OpenFlow 1.4
/// OpenFlow 1.4 flow monitor and NXST_FLOW_MONITOR, for `ovs-ofctl monitor br watch:`.
struct FlowMonitorRequest {
  std::uint32_t monitor_id = 0;
  std::uint16_t flags = 0;   ///< NXFMF_*: initial 1, add 2, delete 4, modify 8, actions 16, own 32.
  std::uint8_t command = 0;  ///< OFPFMC_*: add 0, modify 1, delete 2.
  bool is_nicira = false;
  FlowStatsFilter filter;
};
struct NxFlowMonitorCancel {
  std::uint32_t monitor_id = 0;
};

using Request =
    std::variant<Hello, ErrorMessage, EchoRequest, EchoReply, FeaturesRequest, GetConfigRequest,
                 SetConfig, BarrierRequest, FlowMod, PacketOut, PortMod, TableMod, RoleRequest,
                 GetAsyncRequest, SetAsync, GroupMod, MeterMod, QueueGetConfigRequest,
                 BundleControl, BundleAdd, NxSetFlowFormat, NxFlowModTableId, NxSetPacketInFormat,
                 NxSetControllerId, NxSetAsync, DescRequest, FlowStatsRequest, AggregateRequest,
                 TableStatsRequest, PortStatsRequest, PortDescRequest, TableFeaturesRequest,
                 QueueStatsRequest, GroupStatsRequest, GroupDescRequest, GroupFeaturesRequest,
                 MeterStatsRequest, MeterConfigRequest, MeterFeaturesRequest, TableDescRequest,
                 FlowMonitorRequest, NxFlowMonitorCancel, NxCtFlush>;

// --- Switch to controller --------------------------------------------------------------------

struct PortDesc {
  PortStatus status;
  bool is_local = false;
};
struct FeaturesReply {
  std::uint64_t datapath_id = 0;
  std::uint32_t n_buffers = 0;
  std::uint8_t n_tables = 0;
  std::uint8_t auxiliary_id = 0;
  std::vector<PortDesc> ports;  ///< Sent in OpenFlow 1.0 only.
};
struct GetConfigReply {
  std::uint16_t flags = 0;
  std::uint16_t miss_send_len = 0;
};
struct FlowStats {
  std::uint8_t table_id = 0;
  std::uint32_t duration_s = 0;
  std::uint32_t duration_ns = 0;
  std::uint16_t priority = 0;
  std::uint16_t idle_timeout = 0;
  std::uint16_t hard_timeout = 0;
  std::uint16_t idle_age_s = 0;  ///< Sent in NXST_FLOW only.
  std::uint16_t hard_age_s = 0;
  std::uint16_t flags = 0;
  std::uint16_t importance = 0;
  std::uint64_t cookie = 0;
  TrafficCount count;
  const MiniMatch* match = nullptr;
  const Instructions* instructions = nullptr;
};
struct FlowRemoved {
  FlowStats stats;
  std::uint8_t reason = 0;  ///< OFPRR_*.
};
struct TableStats {
  std::uint8_t table_id = 0;
  std::string name;
  std::uint32_t active_count = 0;
  std::uint64_t lookup_count = 0;
  std::uint64_t matched_count = 0;
};
struct PortStats {
  PortNo port_no{};
  PortCounters counters;
  std::uint32_t duration_s = 0;
  std::uint32_t duration_ns = 0;
};
/// A meter's counters as statistics show them.
struct MeterStatsEntry {
  MeterId meter_id{};
  std::uint32_t flow_count = 0;  ///< Rules that use it.
  std::uint32_t duration_s = 0;
  std::uint32_t duration_ns = 0;
  const MeterStats* stats = nullptr;
};
struct MeterFeatures {
  std::uint32_t max_meter = 0;
  std::uint32_t band_types = 0;    ///< Bit t: OFPMBT_* t.
  std::uint32_t capabilities = 0;  ///< OFPMF_*.
  std::uint8_t max_bands = 0;
  std::uint8_t max_color = 0;
};
struct Description {
  std::string manufacturer, hardware, software, serial, datapath;
};
enum class PortChange : std::uint8_t { kAdd, kDelete, kModify };  // OFPPR_*

}  // namespace hoist::openflow

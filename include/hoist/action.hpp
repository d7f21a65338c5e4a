// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "hoist/basic_action.hpp"
#include "hoist/ct_action.hpp"
#include "hoist/types.hpp"

namespace hoist {

struct OutputAction {
  PortNo port;
  std::uint16_t max_len;  ///< Bytes of the packet sent to a controller; only for kController.
  bool operator==(const OutputAction&) const = default;
};
/// NXAST_CONTROLLER and NXAST_CONTROLLER2.
struct ControllerAction {
  std::uint16_t max_len = 0xffff;
  std::uint16_t controller_id = 0;
  std::uint8_t reason = 1;  ///< OFPR_*.
  bool is_version2 = false;
  bool pause = false;
  std::vector<std::uint8_t> userdata;
  bool operator==(const ControllerAction&) const = default;
};
struct OutputRegAction {
  FieldBits source;
  std::uint16_t max_len;
  bool operator==(const OutputRegAction&) const = default;
};
struct EnqueueAction {
  PortNo port;
  std::uint32_t queue;
  bool operator==(const EnqueueAction&) const = default;
};
/// OpenFlow 1.0's OFPAT_SET_VLAN_VID / _PCP: pushes an 802.1Q tag where there is none.
struct SetVlanVidAction {
  std::uint16_t vlan_vid;
  bool operator==(const SetVlanVidAction&) const = default;
};
struct SetVlanPcpAction {
  std::uint8_t vlan_pcp;
  bool operator==(const SetVlanPcpAction&) const = default;
};
struct PushVlanAction {
  std::uint16_t ethertype;  ///< 0x8100 or 0x88a8.
  bool operator==(const PushVlanAction&) const = default;
};
struct PopVlanAction {
  bool operator==(const PopVlanAction&) const = default;
};
struct PushMplsAction {
  std::uint16_t ethertype;  ///< 0x8847 or 0x8848.
  bool operator==(const PushMplsAction&) const = default;
};
struct PopMplsAction {
  std::uint16_t ethertype;  ///< Of the packet that appears.
  bool operator==(const PopMplsAction&) const = default;
};
struct SetMplsTtlAction {
  std::uint8_t ttl;
  bool operator==(const SetMplsTtlAction&) const = default;
};
struct DecMplsTtlAction {
  bool operator==(const DecMplsTtlAction&) const = default;
};
struct CopyTtlOutAction {
  bool operator==(const CopyTtlOutAction&) const = default;
};
struct CopyTtlInAction {
  bool operator==(const CopyTtlInAction&) const = default;
};
struct SetNwTtlAction {
  std::uint8_t ttl;
  bool operator==(const SetNwTtlAction&) const = default;
};
/// Packets whose TTL was 0 or 1 go to the controllers named (reason OFPR_INVALID_TTL) and no
/// further.
struct DecNwTtlAction {
  std::vector<std::uint16_t> controller_ids;  ///< Empty: OFPAT_DEC_NW_TTL, controller 0.
  bool operator==(const DecNwTtlAction&) const = default;
};
struct SetQueueAction {
  std::uint32_t queue_id;
  bool operator==(const SetQueueAction&) const = default;
};
struct PopQueueAction {
  bool operator==(const PopQueueAction&) const = default;
};
struct GroupAction {
  std::uint32_t group_id;
  bool operator==(const GroupAction&) const = default;
};
struct MeterAction {
  std::uint32_t meter_id;
  bool operator==(const MeterAction&) const = default;
};
/// NXAST_RESUBMIT(_TABLE): looks up `table_id` as if the packet had come in on `in_port`, runs what
/// matches, then goes on with the next action. No match: nothing happens.
struct ResubmitAction {
  PortNo in_port = PortNo::kInPort;  ///< kInPort: unchanged.
  std::uint8_t table_id = 255;       ///< 255: the current table.
  bool operator==(const ResubmitAction&) const = default;
};
struct StackPushAction {
  FieldBits source;
  bool operator==(const StackPushAction&) const = default;
};
struct StackPopAction {
  FieldBits target;
  bool operator==(const StackPopAction&) const = default;
};
struct NoteAction {
  std::vector<std::uint8_t> bytes;
  bool operator==(const NoteAction&) const = default;
};
/// NXAST_EXIT: nothing more happens to the packet, in any table.
struct ExitAction {
  bool operator==(const ExitAction&) const = default;
};

using Action =
    std::variant<OutputAction, ControllerAction, OutputRegAction, EnqueueAction, SetFieldAction,
                 MoveAction, SetVlanVidAction, SetVlanPcpAction, PushVlanAction, PopVlanAction,
                 PushMplsAction, PopMplsAction, SetMplsTtlAction, DecMplsTtlAction,
                 CopyTtlOutAction, CopyTtlInAction, SetNwTtlAction, DecNwTtlAction, SetQueueAction,
                 PopQueueAction, GroupAction, MeterAction, ResubmitAction, StackPushAction,
                 StackPopAction, NoteAction, ExitAction, CtAction, CtClearAction>;

}  // namespace hoist

// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/on_trail.hpp"

#include "pipeline/field_bits.hpp"

namespace hoist::software {
namespace {

/// Says whether a field is pipeline state, and means something in every packet.
bool is_state(FieldId id) {
  return !is_packet_field(field(id)) && field(id).prerequisite == Prerequisite::kNone;
}

}  // namespace

bool stays_on_trail(const Op& op) noexcept {
  switch (op.code) {
    case OpCode::kOutput:
    case OpCode::kController:
    case OpCode::kMeter:
    case OpCode::kSetField:
    case OpCode::kSetVlan:
    case OpCode::kPushVlan:
    case OpCode::kPopVlan:
    case OpCode::kPushMpls:
    case OpCode::kPopMpls:
    case OpCode::kResubmit:
    case OpCode::kExit:
    case OpCode::kClear:
    case OpCode::kWrite:
    case OpCode::kMetadata:
    case OpCode::kGoto:
    case OpCode::kClearTrack:
      return true;
    case OpCode::kTrack:
      return op.a == 0;
    case OpCode::kOutputReg:
    case OpCode::kStackPush:
    case OpCode::kStackPop:
      return is_state(FieldId{op.a});
    case OpCode::kMove:
      return is_state(FieldId{op.a}) && is_state(FieldId{static_cast<std::uint8_t>(op.b)});
    default:
      return false;
  }
}

bool asks_tracking(const Op& op) noexcept {
  const auto is_found = [](FieldId id) {
    return field(id).offset >=
           offsetof(FlowKey, pkt_mark);  // Or lies beside it: so much the safer.
  };
  switch (op.code) {
    case OpCode::kController:
      return true;
    case OpCode::kOutput:
      return PortNo{op.c} == PortNo::kController;
    case OpCode::kOutputReg:
    case OpCode::kStackPush:
    case OpCode::kMove:
      return is_found(FieldId{op.a});
    default:
      return false;
  }
}

}  // namespace hoist::software

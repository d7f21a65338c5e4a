// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include "openflow/action_codec.hpp"

namespace hoist::openflow {
namespace {

// OFPIT_* (OpenFlow 1.3, 7.2.4).
constexpr std::uint16_t kGotoTable = 1;
constexpr std::uint16_t kWriteMetadata = 2;
constexpr std::uint16_t kWriteActions = 3;
constexpr std::uint16_t kApplyActions = 4;
constexpr std::uint16_t kClearActions = 5;
constexpr std::uint16_t kMeter = 6;
constexpr std::uint16_t kExperimenter = 0xffff;

bool belongs_in_action_set(const Action& action) noexcept {
  return !std::holds_alternative<ControllerAction>(action) &&
         !std::holds_alternative<OutputRegAction>(action) &&
         !std::holds_alternative<EnqueueAction>(action) &&
         !std::holds_alternative<MeterAction>(action) &&
         !std::holds_alternative<PopQueueAction>(action) &&
         !std::holds_alternative<ResubmitAction>(action) &&
         !std::holds_alternative<StackPushAction>(action) &&
         !std::holds_alternative<StackPopAction>(action) &&
         !std::holds_alternative<NoteAction>(action) && !std::holds_alternative<ExitAction>(action);
}

Decoded<void> read_action_set(ByteSpan bytes, Version version, Instructions& instructions) {
  Instructions set;
  if (auto done = read_actions(bytes, version, set); !done) return done;
  const bool fits =
      !set.write_metadata && std::ranges::all_of(set.apply_actions, belongs_in_action_set);
  if (!fits) return fault(ErrorName::kActionBadType, "action that cannot stand in an action set");
  instructions.write_actions = std::move(set.apply_actions);
  return {};
}

Decoded<void> wrong_length(std::uint16_t type) {
  return fault(ErrorName::kInstructionBadLength,
               "instruction " + std::to_string(type) + " of a wrong length");
}

/// `in` stands after type and length.
Decoded<void> read_one(std::uint16_t type, Reader in, Version version, Instructions& out) {
  switch (type) {
    case kGotoTable:
      if (in.left() != 4) return wrong_length(type);
      out.goto_table = in.u8();
      return {};
    case kWriteMetadata: {
      if (in.left() != 20) return wrong_length(type);
      in.skip(4);
      const std::uint64_t value = in.u64();
      const std::uint64_t mask = in.u64();
      out.write_metadata = Instructions::Metadata{value & mask, mask};
      return {};
    }
    case kWriteActions:
      in.skip(4);
      return read_action_set(in.rest(), version, out);
    case kApplyActions:
      in.skip(4);
      return read_actions(in.rest(), version, out);
    case kClearActions:
      out.has_clear_actions = true;
      return {};
    case kMeter:
      if (is_at_least(version, Version::kOf15)) break;
      if (in.left() != 4) return wrong_length(type);
      out.meter_id = in.u32();
      return {};
    case kExperimenter:
      return fault(ErrorName::kInstructionUnknown, "experimenter instruction");
    default:
      break;
  }
  return fault(ErrorName::kInstructionUnknown,
               "instruction " + std::to_string(type) + " is unknown");
}

std::size_t begin_instruction(Bytes& out, std::uint16_t type) {
  const std::size_t start = out.size();
  put16(out, type);
  put32(out, 0);
  put16(out, 0);
  return start;
}
void end_instruction(Bytes& out, std::size_t start) { set16(out, start + 2, out.size() - start); }

void put_action_list(Bytes& out, std::uint16_t type, const ActionList& actions, Version version,
                     bool has_vlan) {
  const std::size_t start = begin_instruction(out, type);
  put_actions(out, actions, version, has_vlan);
  end_instruction(out, start);
}

/// OpenFlow 1.0 has actions only; Nicira's stand for what they can.
void put_of10(Bytes& out, const Instructions& in, bool has_vlan) {
  put_actions(out, in.apply_actions, Version::kOf10, has_vlan);
  if (in.write_metadata && in.goto_table) {
    // Nothing may follow NXAST_WRITE_METADATA, so that loads say it where a table follows.
    put_reg_load(out,
                 {FieldId::kMetadata, SetFieldAction::Form::kRegLoad,
                  field_value(in.write_metadata->value), field_value(in.write_metadata->mask)});
  } else if (in.write_metadata) {
    put_write_metadata_action(out, in.write_metadata->value, in.write_metadata->mask);
  }
  if (in.goto_table) {
    put_actions(out, {ResubmitAction{PortNo::kInPort, *in.goto_table}}, Version::kOf10, has_vlan);
  }
}

void put_meter(Bytes& out, std::uint32_t meter_id) {
  const std::size_t start = out.size();
  put16(out, kMeter);
  put16(out, 0);
  put32(out, meter_id);
  end_instruction(out, start);
}

}  // namespace

Decoded<void> read_instructions(ByteSpan bytes, Version version, Instructions& instructions) {
  if (version == Version::kOf10) {
    if (bytes.size() % 8 != 0)
      return fault(ErrorName::kBadLength, "actions not a multiple of 8 bytes");
    return read_actions(bytes, version, instructions);
  }
  Reader in(bytes);
  unsigned seen = 0;
  while (in.left() != 0) {
    const std::size_t left = in.left();
    const std::uint16_t type = in.u16();
    const std::uint16_t length = in.u16();
    const std::size_t least =
        type == kApplyActions || type == kWriteActions || type == kClearActions ? 8 : 4;
    if (length < least || length % 8 != 0 || length > left) return wrong_length(type);
    const std::uint32_t bit = type <= kMeter ? 1u << type : 0;
    if ((seen & bit) != 0) {
      return fault(ErrorName::kInstructionDuplicate,
                   "instruction " + std::to_string(type) + " twice");
    }
    seen |= bit;
    if (auto done = read_one(type, Reader(in.bytes(length - 4u)), version, instructions); !done) {
      return done;
    }
  }
  return {};
}

void put_instructions(Bytes& out, const Instructions& in, Version version, bool has_vlan) {
  if (version == Version::kOf10) {
    put_of10(out, in, has_vlan);
    return;
  }
  if (in.meter_id && !is_at_least(version, Version::kOf15)) put_meter(out, *in.meter_id);
  if (in.meter_id && is_at_least(version, Version::kOf15)) {
    ActionList actions{MeterAction{*in.meter_id}};
    actions.append(in.apply_actions);
    put_action_list(out, kApplyActions, actions, version, has_vlan);
  } else if (!in.apply_actions.empty()) {
    put_action_list(out, kApplyActions, in.apply_actions, version, has_vlan);
  }
  if (in.has_clear_actions) end_instruction(out, begin_instruction(out, kClearActions));
  if (!in.write_actions.empty()) {
    put_action_list(out, kWriteActions, in.write_actions, version, has_vlan);
  }
  if (in.write_metadata) {
    const std::size_t start = begin_instruction(out, kWriteMetadata);
    put64(out, in.write_metadata->value);
    put64(out, in.write_metadata->mask);
    end_instruction(out, start);
  }
  if (in.goto_table) {
    put16(out, kGotoTable);
    put16(out, 8);
    put8(out, *in.goto_table);
    put_zeros(out, 3);
  }
}

}  // namespace hoist::openflow

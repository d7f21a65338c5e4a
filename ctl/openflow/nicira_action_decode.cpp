// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <string_view>

#include "openflow/action_codec.hpp"
#include "openflow/nicira_action.hpp"

namespace hoist::openflow {
namespace {

using N = NiciraAction;
using Actions = ActionList;

constexpr std::uint16_t kCopyFieldOnf = 3200;

/// Bytes of an action's whole, for those of fixed size; 0: of variable or other size.
constexpr std::size_t fixed_size(N subtype) {
  switch (subtype) {
    case N::kResubmit:
    case N::kSetTunnel:
    case N::kSetQueue:
    case N::kPopQueue:
    case N::kResubmitTable:
    case N::kExit:
    case N::kDecTtl:
    case N::kController:
    case N::kPushMpls:
    case N::kPopMpls:
    case N::kSetMplsTtl:
    case N::kDecMplsTtl:
    case N::kSetMplsLabel:
    case N::kSetMplsTc:
    case N::kGroup:
    case N::kCtClear:
      return 16;
    case N::kRegLoad:
    case N::kSetTunnel64:
    case N::kOutputReg:
    case N::kOutputReg2:
    case N::kStackPush:
    case N::kStackPop:
      return 24;
    case N::kWriteMetadata:
      return 32;
    default:
      return 0;
  }
}

/// Names of actions that are known but not done here.
std::string_view name_of(N subtype) {
  switch (subtype) {
    case N::kMultipath:
      return "multipath";
    case N::kBundle:
      return "bundle";
    case N::kBundleLoad:
      return "bundle_load";
    case N::kLearn:
    case N::kLearn2:
      return "learn";
    case N::kFinTimeout:
      return "fin_timeout";
    case N::kSample:
    case N::kSample2:
    case N::kSample3:
      return "sample";
    case N::kConjunction:
      return "conjunction";
    case N::kNat:
      return "nat outside of ct";
    case N::kOutputTrunc:
      return "output with max_len";
    case N::kClone:
      return "clone";
    case N::kResubmitTableCt:
      return "resubmit with ct";
    case N::kEncap:
      return "encap";
    case N::kDecap:
      return "decap";
    case N::kDecNshTtl:
      return "dec_nsh_ttl";
    case N::kCheckPktLarger:
      return "check_pkt_larger";
    case N::kDeleteField:
      return "delete_field";
    default:
      return {};
  }
}

Decoded<void> must_be_zero(ByteSpan bytes, ErrorName error = ErrorName::kMustBeZero) {
  if (is_all_zeros(bytes)) return {};
  return fault(error, "action's reserved bytes are not zero");
}

/// Takes a bit range `(start << 6) | (count - 1)`.
struct Range {
  std::uint16_t start;
  std::uint16_t count;
};
Range take_range(Reader& in) {
  const std::uint16_t raw = in.u16();
  return {static_cast<std::uint16_t>(raw >> 6), static_cast<std::uint16_t>((raw & 0x3f) + 1)};
}

Decoded<FieldBits> take_bits(Reader& in, Range range, bool is_target) {
  const auto f = take_field(in, kActionErrors);
  if (!f) return tl::unexpected(f.error());
  return checked_bits({**f, range.start, range.count}, is_target);
}

Decoded<void> reg_load(Reader in, Actions& out) {
  const Range range = take_range(in);
  const auto bits = take_bits(in, range, true);
  if (!bits) return tl::unexpected(bits.error());
  const std::uint64_t value = in.u64();
  const std::uint64_t ones = bits->count < 64 ? (std::uint64_t{1} << bits->count) - 1 : UINT64_MAX;
  if ((value & ~ones) != 0)
    return fault(ErrorName::kActionBadArgument, "load: value has too many bits");
  SetFieldAction set{bits->field, SetFieldAction::Form::kRegLoad, {}, {}};
  if (bits->field == FieldId::kInPort && bits->start == 0 && bits->count == 16) {
    // NXM_OF_IN_PORT[] is 16 bits wide, and all of the port.
    set.value = field_value(to_integer(port_from_16(static_cast<std::uint16_t>(value))));
    set.mask = full_mask(field(FieldId::kInPort));
    out.push_back(set);
    return {};
  }
  for (unsigned i = 0; i < bits->count; ++i) {
    const unsigned at = bits->start + i;
    const auto bit = static_cast<std::uint8_t>(1u << at % 8);
    set.mask[15 - at / 8] |= bit;
    if ((value >> i & 1) != 0) set.value[15 - at / 8] |= bit;
  }
  out.push_back(set);
  return {};
}

Decoded<void> reg_load2(Reader in, Actions& out) {
  if (!is_all_zeros(in.bytes(6))) return fault(ErrorName::kMustBeZero, "load: padding is not zero");
  const auto entry = take_entry(in, kActionErrors);
  if (!entry) return tl::unexpected(entry.error());
  if (entry->field == nullptr) return fault(ErrorName::kActionBadSetType, "load of a cookie");
  if (auto zero = must_be_zero(in.rest(), ErrorName::kActionBadSetArgument); !zero) return zero;
  if (!entry->field->is_writable) {
    return fault(ErrorName::kActionBadSetArgument,
                 std::string(entry->field->name) + " cannot be written");
  }
  out.push_back(
      SetFieldAction{entry->field->id, SetFieldAction::Form::kSetField, entry->value, entry->mask});
  return {};
}

Decoded<void> reg_move(Reader in, Actions& out) {
  const std::uint16_t count = in.u16();
  const std::uint16_t from = in.u16();
  const std::uint16_t to = in.u16();
  const auto source = take_field(in, kActionErrors);
  if (!source) return tl::unexpected(source.error());
  const auto target = take_field(in, kActionErrors);
  if (!target) return tl::unexpected(target.error());
  if (auto zero = must_be_zero(in.rest()); !zero) return zero;
  return add_move({**source, from, count}, {**target, to, count}, out);
}

Decoded<void> output_reg(Reader in, bool is_version2, Actions& out) {
  const Range range = take_range(in);
  std::uint16_t max_len = is_version2 ? in.u16() : std::uint16_t{0};
  const auto bits = take_bits(in, range, false);
  if (!bits) return tl::unexpected(bits.error());
  if (!is_version2) max_len = in.u16();
  if (auto zero = must_be_zero(in.rest(), ErrorName::kActionBadArgument); !zero) return zero;
  out.push_back(OutputRegAction{*bits, max_len});
  return {};
}

Decoded<void> stack(Reader in, bool is_push, Actions& out) {
  const std::uint16_t start = in.u16();
  const auto f = take_field(in, kActionErrors);
  if (!f) return tl::unexpected(f.error());
  const auto bits = checked_bits({**f, start, in.u16()}, !is_push);
  if (!bits) return tl::unexpected(bits.error());
  if (auto zero = must_be_zero(in.rest()); !zero) return zero;
  if (is_push) {
    out.push_back(StackPushAction{*bits});
  } else {
    out.push_back(StackPopAction{*bits});
  }
  return {};
}

Decoded<void> controller(Reader in, Actions& out) {
  ControllerAction a;
  a.max_len = in.u16();
  a.controller_id = in.u16();
  a.reason = in.u8();
  if (in.u8() != 0) return fault(ErrorName::kMustBeZero, "controller: padding is not zero");
  out.push_back(std::move(a));
  return {};
}

Decoded<void> read_property(ControllerAction& a, std::uint16_t type, Reader in) {
  switch (static_cast<ControllerProperty>(type)) {
    case ControllerProperty::kMaxLen:
      a.max_len = in.u16();
      break;
    case ControllerProperty::kControllerId:
      a.controller_id = in.u16();
      break;
    case ControllerProperty::kReason:
      a.reason = in.u8();
      break;
    case ControllerProperty::kUserdata: {
      const ByteSpan data = in.rest();
      a.userdata.assign(data.begin(), data.end());
      break;
    }
    case ControllerProperty::kPause:
      a.pause = true;
      break;
    case ControllerProperty::kMeterId:
      return fault(ErrorName::kActionBadArgument,
                   "controller action with a meter is not supported");
    default:
      return fault(ErrorName::kPropertyBadType, "controller action: unknown property");
  }
  if (!in.is_ok())
    return fault(ErrorName::kPropertyBadLength, "controller action: property too short");
  return {};
}

Decoded<void> controller2(Reader in, Actions& out) {
  if (!is_all_zeros(in.bytes(6)))
    return fault(ErrorName::kMustBeZero, "controller: padding is not zero");
  ControllerAction a;
  a.is_version2 = true;
  while (in.left() != 0) {
    const std::uint16_t type = in.u16();
    const std::uint16_t length = in.u16();
    if (!in.is_ok() || length < 4)
      return fault(ErrorName::kPropertyBadLength, "controller action: property");
    const ByteSpan padded = in.bytes(rounded_to_8(length) - 4);
    if (!in.is_ok())
      return fault(ErrorName::kPropertyBadLength, "controller action: property cut off");
    if (auto done = read_property(a, type, Reader(padded.first(length - 4u))); !done) return done;
  }
  out.push_back(std::move(a));
  return {};
}

Decoded<void> dec_ttl_cnt_ids(Reader in, Actions& out) {
  const std::uint16_t count = in.u16();
  if (auto zero = must_be_zero(in.bytes(4)); !zero) return zero;
  if (count == 0 || in.left() < count * 2u) {
    return fault(ErrorName::kActionBadLength, "dec_ttl: not as many controllers as it says");
  }
  DecNwTtlAction a;
  for (unsigned i = 0; i < count; ++i) a.controller_ids.push_back(in.u16());
  out.push_back(std::move(a));
  return {};
}

Decoded<void> write_metadata(Reader in, Instructions& instructions) {
  if (auto zero = must_be_zero(in.bytes(6)); !zero) return zero;
  const std::uint64_t value = in.u64();
  const std::uint64_t mask = in.u64();
  instructions.write_metadata = Instructions::Metadata{value & mask, mask};
  return {};
}

Decoded<void> resubmit(Reader in, bool has_table, Actions& out) {
  ResubmitAction a;
  a.in_port = port_from_16(in.u16());
  if (has_table) {
    a.table_id = in.u8();
    if (auto zero = must_be_zero(in.rest(), ErrorName::kActionBadArgument); !zero) return zero;
  }
  out.push_back(a);
  return {};
}

Decoded<void> set_legacy(FieldId id, std::uint64_t value, Actions& out) {
  const Field& f = field(id);
  if (f.bits < 64 && value >> f.bits != 0) {
    return fault(ErrorName::kActionBadArgument, std::string(f.name) + ": value out of range");
  }
  out.push_back(
      SetFieldAction{id, SetFieldAction::Form::kLegacy, field_value(value), full_mask(f)});
  return {};
}

Decoded<void> push_mpls(std::uint16_t ethertype, Actions& out) {
  if (ethertype != 0x8847 && ethertype != 0x8848) {
    return fault(ErrorName::kActionBadArgument, "push_mpls with another ethertype than MPLS's");
  }
  out.push_back(PushMplsAction{ethertype});
  return {};
}

Decoded<void> note(Reader in, Actions& out) {
  const ByteSpan bytes = in.rest();
  out.push_back(NoteAction{{bytes.begin(), bytes.end()}});
  return {};
}

template <class A>
Decoded<void> add(A action, Actions& out) {
  out.push_back(std::move(action));
  return {};
}

/// A value that lies at the first multiple of four bytes after the subtype.
std::uint32_t aligned_u32(Reader in) {
  in.skip(2);
  return in.u32();
}
std::uint64_t aligned_u64(Reader in) {
  in.skip(6);
  return in.u64();
}

/// `in` stands after the subtype.
Decoded<void> read_nicira(N subtype, Reader in, Version version, Instructions& instructions) {
  Actions& out = instructions.apply_actions;
  switch (subtype) {
    case N::kResubmit:
      return resubmit(in, false, out);
    case N::kResubmitTable:
      return resubmit(in, true, out);
    case N::kSetTunnel:
      return set_legacy(FieldId::kTunnelId, aligned_u32(in), out);
    case N::kSetTunnel64:
      return set_legacy(FieldId::kTunnelId, aligned_u64(in), out);
    case N::kSetMplsLabel:
      return set_legacy(FieldId::kMplsLabel, aligned_u32(in), out);
    case N::kSetMplsTc:
      return set_legacy(FieldId::kMplsTc, in.u8(), out);
    case N::kSetQueue:
      return add(SetQueueAction{aligned_u32(in)}, out);
    case N::kPopQueue:
      return add(PopQueueAction{}, out);
    case N::kGroup:
      return add(GroupAction{aligned_u32(in)}, out);
    case N::kRegMove:
      return reg_move(in, out);
    case N::kRegLoad:
      return reg_load(in, out);
    case N::kRegLoad2:
      return reg_load2(in, out);
    case N::kNote:
      return note(in, out);
    case N::kOutputReg:
      return output_reg(in, false, out);
    case N::kOutputReg2:
      return output_reg(in, true, out);
    case N::kExit:
      return add(ExitAction{}, out);
    case N::kDecTtl:
      return add(DecNwTtlAction{}, out);
    case N::kDecTtlCntIds:
      return dec_ttl_cnt_ids(in, out);
    case N::kController:
      return controller(in, out);
    case N::kController2:
      return controller2(in, out);
    case N::kWriteMetadata:
      return write_metadata(in, instructions);
    case N::kPushMpls:
      return push_mpls(in.u16(), out);
    case N::kPopMpls:
      return add(PopMplsAction{in.u16()}, out);
    case N::kSetMplsTtl:
      return add(SetMplsTtlAction{in.u8()}, out);
    case N::kDecMplsTtl:
      return add(DecMplsTtlAction{}, out);
    case N::kStackPush:
      return stack(in, true, out);
    case N::kStackPop:
      return stack(in, false, out);
    case N::kCt:
      return read_ct(in, version, out);
    case N::kCtClear:
      return add(CtClearAction{}, out);
    default:
      break;
  }
  const std::string_view name = name_of(subtype);
  return fault(ErrorName::kActionBadExperimenterType,
               name.empty() ? "Nicira action " + std::to_string(to_integer(subtype)) + " is unknown"
                            : "action " + std::string(name) + " is not supported");
}

Decoded<void> read_onf(Reader in, Actions& out) {
  if (in.u16() != kCopyFieldOnf) {
    return fault(ErrorName::kActionBadExperimenterType, "ONF action is unknown");
  }
  in.skip(2);
  return read_copy_field(in, out);
}

}  // namespace

Decoded<void> read_vendor_action(ByteSpan action, Version version, Instructions& instructions) {
  Reader in(action);
  in.skip(4);
  const std::uint32_t vendor = in.u32();
  if (vendor != kNiciraId && vendor != kOnfId) {
    return fault(ErrorName::kActionBadExperimenter, "action of an unknown experimenter");
  }
  if (action.size() < 16)
    return fault(ErrorName::kActionBadLength, "experimenter action too short");
  if (vendor == kOnfId) return read_onf(in, instructions.apply_actions);
  const auto subtype = static_cast<N>(in.u16());
  const std::size_t size = fixed_size(subtype);
  if (size != 0 && action.size() != size) {
    return fault(ErrorName::kActionBadLength, "Nicira action of a wrong length");
  }
  return read_nicira(subtype, in, version, instructions);
}

}  // namespace hoist::openflow

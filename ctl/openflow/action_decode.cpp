// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include "openflow/action_codec.hpp"

namespace hoist::openflow {
namespace {

// OFPAT_* of OpenFlow 1.0 (5.2.4) and of 1.3 (7.2.5).
enum class Of10Type : std::uint16_t {
  kOutput,
  kSetVlanVid,
  kSetVlanPcp,
  kStripVlan,
  kSetDlSrc,
  kSetDlDst,
  kSetNwSrc,
  kSetNwDst,
  kSetNwTos,
  kSetTpSrc,
  kSetTpDst,
  kEnqueue,
};
enum class Of13Type : std::uint16_t {
  kOutput = 0,
  kCopyTtlOut = 11,
  kCopyTtlIn = 12,
  kSetMplsTtl = 15,
  kDecMplsTtl = 16,
  kPushVlan = 17,
  kPopVlan = 18,
  kPushMpls = 19,
  kPopMpls = 20,
  kSetQueue = 21,
  kGroup = 22,
  kSetNwTtl = 23,
  kDecNwTtl = 24,
  kSetField = 25,
  kCopyField = 28,
  kMeter = 29,
};
constexpr std::uint16_t kVendorType = 0xffff;

using Actions = ActionList;

Decoded<void> bad_type(std::uint16_t type) {
  return fault(ErrorName::kActionBadType, "action type " + std::to_string(type) + " is unknown");
}
Decoded<void> bad_length(const char* what) {
  return fault(ErrorName::kActionBadLength, std::string(what) + ": wrong length");
}

void legacy_set(Actions& out, FieldId id, FieldValue value) {
  out.push_back(SetFieldAction{id, SetFieldAction::Form::kLegacy, value, full_mask(field(id))});
}

Decoded<void> output(PortNo port, std::uint16_t max_len, Actions& out) {
  if (!is_port_number(port) || port == PortNo::kAny) {
    return fault(ErrorName::kActionBadOutPort, "output to no port");
  }
  out.push_back(OutputAction{port, max_len});  // Kept for any port: it is read back.
  return {};
}

Decoded<void> set_mac(Reader& in, FieldId id, Actions& out) {
  FieldValue value{};
  const MacAddress mac = in.array<6>();
  std::memcpy(value.data() + 10, mac.data(), mac.size());
  in.skip(6);
  legacy_set(out, id, value);
  return {};
}

Decoded<void> set_vlan_vid(std::uint16_t vid, Actions& out) {
  if (vid > kVlanVidMask) return fault(ErrorName::kActionBadArgument, "VLAN id above 4095");
  out.push_back(SetVlanVidAction{vid});
  return {};
}
Decoded<void> set_vlan_pcp(std::uint8_t pcp, Actions& out) {
  if (pcp > 7) return fault(ErrorName::kActionBadArgument, "VLAN priority above 7");
  out.push_back(SetVlanPcpAction{pcp});
  return {};
}
Decoded<void> set_nw_tos(std::uint8_t tos, Actions& out) {
  if ((tos & 3) != 0) return fault(ErrorName::kActionBadArgument, "set_nw_tos with ECN bits");
  legacy_set(out, FieldId::kIpDscp, field_value(std::uint64_t{tos} >> 2));
  return {};
}
Decoded<void> enqueue(Reader& in, Actions& out) {
  const PortNo port = port_from_16(in.u16());
  in.skip(6);
  const bool is_port =
      to_integer(port) < 0xff00 || port == PortNo::kInPort || port == PortNo::kLocal;
  if (!is_port) return fault(ErrorName::kActionBadOutPort, "enqueue to no port");
  out.push_back(EnqueueAction{port, in.u32()});
  return {};
}

Decoded<void> read_of10(std::uint16_t type, Reader in, Actions& out) {
  const auto t = static_cast<Of10Type>(type);
  const bool is_long =
      t == Of10Type::kSetDlSrc || t == Of10Type::kSetDlDst || t == Of10Type::kEnqueue;
  if (type > to_integer(Of10Type::kEnqueue)) return bad_type(type);
  if (in.left() != (is_long ? 12u : 4u)) return bad_length("action");
  switch (t) {
    case Of10Type::kOutput: {
      const PortNo port = port_from_16(in.u16());
      return output(port, in.u16(), out);
    }
    case Of10Type::kSetVlanVid:
      return set_vlan_vid(in.u16(), out);
    case Of10Type::kSetVlanPcp:
      return set_vlan_pcp(in.u8(), out);
    case Of10Type::kStripVlan:
      out.push_back(PopVlanAction{});
      return {};
    case Of10Type::kSetDlSrc:
      return set_mac(in, FieldId::kEthSrc, out);
    case Of10Type::kSetDlDst:
      return set_mac(in, FieldId::kEthDst, out);
    case Of10Type::kSetNwSrc:
      legacy_set(out, FieldId::kNwSrc, field_value(in.u32()));
      return {};
    case Of10Type::kSetNwDst:
      legacy_set(out, FieldId::kNwDst, field_value(in.u32()));
      return {};
    case Of10Type::kSetNwTos:
      return set_nw_tos(in.u8(), out);
    case Of10Type::kSetTpSrc:
      legacy_set(out, FieldId::kTcpSrc, field_value(in.u16()));
      return {};
    case Of10Type::kSetTpDst:
      legacy_set(out, FieldId::kTcpDst, field_value(in.u16()));
      return {};
    case Of10Type::kEnqueue:
      return enqueue(in, out);
  }
  return bad_type(type);
}

/// OFPAT_SET_FIELD: an OXM entry and zeros. 1.5 allows masks.
Decoded<void> set_field_action(Reader in, Version version, Actions& out) {
  auto entry = take_entry(in, kActionErrors);
  if (!entry) return tl::unexpected(std::move(entry.error()));
  const Field* f = entry->field;
  if (f == nullptr) return fault(ErrorName::kActionBadSetType, "set_field of a cookie");
  if (entry->has_mask && !is_at_least(version, Version::kOf15)) {
    return fault(ErrorName::kActionBadSetArgument, "set_field with a mask");
  }
  if (in.left() > 7 || !is_all_zeros(in.rest())) {
    return fault(ErrorName::kActionBadSetArgument, "set_field is not padded with zeros");
  }
  if (!f->is_writable) {
    return fault(ErrorName::kActionBadSetType, std::string(f->name) + " cannot be written");
  }
  if (f->id == FieldId::kInPort) {
    return fault(ErrorName::kActionBadSetArgument, "set_field of in_port");
  }
  if (f->id == FieldId::kVlanVid && (low64(entry->value) & kVlanPresent) == 0) {
    return fault(ErrorName::kActionBadSetArgument, "set_field of vlan_vid without OFPVID_PRESENT");
  }
  out.push_back(SetFieldAction{f->id, SetFieldAction::Form::kSetField, entry->value, entry->mask});
  return {};
}

Decoded<void> push_vlan(std::uint16_t ethertype, Actions& out) {
  if (ethertype != 0x8100 && ethertype != 0x88a8) {
    return fault(ErrorName::kActionBadArgument, "push_vlan with another ethertype than a tag's");
  }
  out.push_back(PushVlanAction{ethertype});
  return {};
}
Decoded<void> push_mpls(std::uint16_t ethertype, Actions& out) {
  if (ethertype != 0x8847 && ethertype != 0x8848) {
    return fault(ErrorName::kActionBadArgument, "push_mpls with another ethertype than MPLS's");
  }
  out.push_back(PushMplsAction{ethertype});
  return {};
}

Decoded<void> read_of13_output(Reader in, Actions& out) {
  if (in.left() != 12) return bad_length("output");
  const PortNo port{in.u32()};
  return output(port, in.u16(), out);
}

Decoded<void> read_of13(std::uint16_t type, Reader in, Version version, Actions& out) {
  const auto t = static_cast<Of13Type>(type);
  if (t == Of13Type::kOutput) return read_of13_output(in, out);
  if (t == Of13Type::kSetField) return set_field_action(in, version, out);
  const bool is_15 = is_at_least(version, Version::kOf15);
  if (t == Of13Type::kCopyField && is_15) return read_copy_field(in, out);
  if (in.left() != 4) return bad_length("action");
  switch (t) {
    case Of13Type::kCopyTtlOut:
      out.push_back(CopyTtlOutAction{});
      return {};
    case Of13Type::kCopyTtlIn:
      out.push_back(CopyTtlInAction{});
      return {};
    case Of13Type::kSetMplsTtl:
      out.push_back(SetMplsTtlAction{in.u8()});
      return {};
    case Of13Type::kDecMplsTtl:
      out.push_back(DecMplsTtlAction{});
      return {};
    case Of13Type::kPushVlan:
      return push_vlan(in.u16(), out);
    case Of13Type::kPopVlan:
      out.push_back(PopVlanAction{});
      return {};
    case Of13Type::kPushMpls:
      return push_mpls(in.u16(), out);
    case Of13Type::kPopMpls:
      out.push_back(PopMplsAction{in.u16()});
      return {};
    case Of13Type::kSetQueue:
      out.push_back(SetQueueAction{in.u32()});
      return {};
    case Of13Type::kGroup:
      out.push_back(GroupAction{in.u32()});
      return {};
    case Of13Type::kSetNwTtl:
      out.push_back(SetNwTtlAction{in.u8()});
      return {};
    case Of13Type::kDecNwTtl:
      out.push_back(DecNwTtlAction{});
      return {};
    case Of13Type::kMeter:
      if (!is_15) break;
      out.push_back(MeterAction{in.u32()});
      return {};
    default:
      break;
  }
  return bad_type(type);
}

}  // namespace

Decoded<void> add_move(Subfield source, Subfield target, Actions& out) {
  const auto from = checked_bits(source, false);
  if (!from) return tl::unexpected(from.error());
  const auto to = checked_bits(target, true);
  if (!to) return tl::unexpected(to.error());
  out.push_back(MoveAction{*from, *to});
  return {};
}

Decoded<void> read_copy_field(Reader in, Actions& out) {
  const std::uint16_t count = in.u16();
  const std::uint16_t from = in.u16();
  const std::uint16_t to = in.u16();
  in.skip(2);
  const auto source = take_field(in, kActionErrors);
  if (!source) return tl::unexpected(source.error());
  const auto target = take_field(in, kActionErrors);
  if (!target) return tl::unexpected(target.error());
  if (!is_all_zeros(in.rest())) return fault(ErrorName::kActionBadArgument, "copy_field padding");
  return add_move({**source, from, count}, {**target, to, count}, out);
}

Decoded<FieldBits> checked_bits(Subfield bits, bool is_target) {
  if (bits.count == 0 || bits.start + bits.count > bits.field.bits) {
    return fault(ErrorName::kActionBadSetLength,
                 std::string(bits.field.name) + " has no such bits");
  }
  if (is_target && !bits.field.is_writable) {
    return fault(ErrorName::kActionBadSetArgument,
                 std::string(bits.field.name) + " cannot be written");
  }
  return FieldBits{bits.field.id, static_cast<std::uint8_t>(bits.start),
                   static_cast<std::uint8_t>(bits.count)};
}

Decoded<void> read_actions(ByteSpan bytes, Version version, Instructions& instructions) {
  Reader in(bytes);
  while (in.left() != 0) {
    const ByteSpan all = in.rest();
    const std::uint16_t type = in.u16();
    const std::uint16_t length = in.u16();
    if (length < 8 || length % 8 != 0 || length > all.size()) return bad_length("action");
    const ByteSpan body = in.bytes(length - 4u);
    if (instructions.write_metadata) {
      return fault(ErrorName::kActionUnsupportedOrder, "action after write_metadata");
    }
    Decoded<void> done;
    if (type == kVendorType) {
      done = read_vendor_action(all.first(length), version, instructions);
    } else if (version == Version::kOf10) {
      done = read_of10(type, Reader(body), instructions.apply_actions);
    } else {
      done = read_of13(type, Reader(body), version, instructions.apply_actions);
    }
    if (!done) return done;
  }
  return {};
}

}  // namespace hoist::openflow

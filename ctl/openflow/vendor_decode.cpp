// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include "openflow/multipart_types.hpp"
#include "openflow/request_codec.hpp"

namespace hoist::openflow {
namespace {

tl::unexpected<Fault> wrong_length() {
  return fault(ErrorName::kBadLength, "experimenter message of a wrong length");
}

Decoded<Request> nicira_role(Reader in) {
  if (in.left() != 4) return wrong_length();
  const std::uint32_t role = in.u32();
  if (role > 2) return fault(ErrorName::kRoleBad, "role unknown");
  // NX_ROLE_OTHER, MASTER, SLAVE
  return RoleRequest{static_cast<RoleRequest::Role>(role + 1), 0, true};
}

Decoded<Request> set_flow_format(Reader in) {
  if (in.left() != 4) return wrong_length();
  const std::uint32_t format = in.u32();
  if (format != 0 && format != 2) return fault(ErrorName::kPermission, "flow format unknown");
  return NxSetFlowFormat{format};
}

Decoded<Request> set_packet_in_format(Reader in) {
  if (in.left() != 4) return wrong_length();
  const std::uint32_t format = in.u32();
  if (format > 2) return fault(ErrorName::kPermission, "packet-in format unknown");
  return NxSetPacketInFormat{format};
}

Decoded<Request> flow_mod_table_id(Reader in) {
  if (in.left() != 8) return wrong_length();
  const std::uint8_t set = in.u8();
  if (set > 1) return fault(ErrorName::kPermission, "flow_mod_table_id is neither on nor off");
  return NxFlowModTableId{set != 0};
}

Decoded<Request> set_controller_id(Reader in) {
  if (in.left() != 8) return wrong_length();
  if (!is_all_zeros(in.bytes(6))) return fault(ErrorName::kMustBeZero, "controller id padding");
  return NxSetControllerId{in.u16()};
}

Decoded<Request> async(Decoded<SetAsync> masks) {
  if (!masks) return tl::unexpected(std::move(masks.error()));
  return NxSetAsync{*masks};
}

Decoded<Request> flow_mod(Reader in, bool has_table_id) {
  auto mod = decode_nicira_flow_mod(in, has_table_id);
  if (!mod) return tl::unexpected(std::move(mod.error()));
  return std::move(*mod);
}

Decoded<Request> nicira(std::uint32_t subtype, Reader in, Dialect dialect) {
  const bool is_10 = dialect.version == Version::kOf10;
  switch (static_cast<NiciraMessage>(subtype)) {
    case NiciraMessage::kRoleRequest:
      return nicira_role(in);
    case NiciraMessage::kSetFlowFormat:
      return set_flow_format(in);
    case NiciraMessage::kFlowMod:
      if (!is_10) break;
      return flow_mod(in, dialect.has_flow_mod_table_id);
    case NiciraMessage::kFlowModTableId:
      return flow_mod_table_id(in);
    case NiciraMessage::kSetPacketInFormat:
      return set_packet_in_format(in);
    case NiciraMessage::kSetAsyncConfig:
      return async(decode_async_masks(in));
    case NiciraMessage::kSetAsyncConfig2:
      return async(decode_async_properties(in));
    case NiciraMessage::kSetControllerId:
      return set_controller_id(in);
    case NiciraMessage::kFlowMonitorCancel:
      if (in.left() != 4) return wrong_length();
      return NxFlowMonitorCancel{in.u32()};
    case NiciraMessage::kCtFlush:
      return decode_ct_flush(in);
    case NiciraMessage::kCtFlushZone:
      return decode_ct_flush_zone(in);
    default:
      break;
  }
  return fault(ErrorName::kBadSubtype, "Nicira message " + std::to_string(subtype) + " unknown");
}

/// Which of the six masks a property is: OFPACPT_* come in pairs, slave first.
std::uint32_t* mask_of(SetAsync& masks, std::uint16_t type) noexcept {
  const std::size_t who = type % 2 == 0 ? 1 : 0;
  switch (type / 2) {
    case 0:
      return &masks.packet_in_mask[who];
    case 1:
      return &masks.port_status_mask[who];
    case 2:
      return &masks.flow_removed_mask[who];
    default:
      return nullptr;
  }
}

}  // namespace

Decoded<SetAsync> decode_async_masks(Reader in) {
  if (in.left() != 24) return wrong_length();
  SetAsync masks;
  for (auto* mask : {masks.packet_in_mask, masks.port_status_mask, masks.flow_removed_mask}) {
    mask[0] = in.u32();
    mask[1] = in.u32();
  }
  return masks;
}

Decoded<SetAsync> decode_async_properties(Reader in) {
  constexpr std::uint16_t kKnownTypes = 12;  // up to OFPACPT_REQUESTFORWARD_MASTER
  SetAsync masks;
  while (in.left() != 0) {
    const std::uint16_t type = in.u16();
    const std::uint16_t length = in.u16();
    if (length != 8 || in.left() < 4) return fault(ErrorName::kPropertyBadLength, "async property");
    const std::uint32_t mask = in.u32();
    if (type >= kKnownTypes) return fault(ErrorName::kPropertyBadType, "async property unknown");
    if (std::uint32_t* to = mask_of(masks, type)) *to = mask;
  }
  return masks;
}

Decoded<Request> decode_bundle_control(Reader in) {
  BundleControl control;
  control.bundle_id = in.u32();
  control.type = in.u16();
  control.flags = in.u16();
  // Properties may follow; there is none that hoist knows.
  if (!in.is_ok()) return wrong_length();
  return control;
}

Decoded<Request> decode_bundle_add(Reader in) {
  BundleAdd add;
  add.bundle_id = in.u32();
  in.skip(2);
  add.flags = in.u16();
  if (!in.is_ok()) return wrong_length();
  const auto inner = Header::read(in.rest());
  if (!inner || inner->length < Header::kSize || inner->length > in.left()) {
    return fault(ErrorName::kBundleMessageBadLength, "bundled message of a wrong length");
  }
  const ByteSpan message = in.bytes(inner->length);
  add.message.assign(message.begin(), message.end());
  return add;
}

Decoded<Request> decode_vendor(Reader in, Dialect dialect) {
  const std::uint32_t vendor = in.u32();
  const std::uint32_t subtype = in.u32();
  if (vendor == kOnfId && dialect.version == Version::kOf13) {
    if (subtype == kOnfBundleControl) return decode_bundle_control(in);
    if (subtype == kOnfBundleAdd) return decode_bundle_add(in);
    return fault(ErrorName::kBadSubtype, "ONF message " + std::to_string(subtype) + " unknown");
  }
  if (vendor != kNiciraId)
    return fault(ErrorName::kBadExperimenter, "message of an unknown vendor");
  if (!in.is_ok()) return wrong_length();
  return nicira(subtype, in, dialect);
}

}  // namespace hoist::openflow

// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include "openflow/message_types.hpp"
#include "openflow/request_codec.hpp"

namespace hoist::openflow {
namespace {

tl::unexpected<Fault> wrong_length() {
  return fault(ErrorName::kBadLength, "message of a wrong length");
}

/// Elements of a hello (1.3.1, 7.5.1); without a bitmap all versions up to the header's are
/// offered.
Decoded<Request> hello(Reader in, std::uint8_t version) {
  constexpr std::uint16_t kVersionBitmap = 1;
  Hello out;
  const unsigned highest = std::min<unsigned>(version, 30);
  out.version_bitmap = ((1u << (highest + 1)) - 1) & ~1u;
  while (in.left() >= 4) {
    const std::uint16_t type = in.u16();
    const std::uint16_t length = in.u16();
    if (length < 4) break;  // Nonsense at the end of a hello does no harm.
    Reader element(in.bytes(std::min(in.left(), rounded_to_8(length) - 4)));
    if (type == kVersionBitmap && length >= 8 && element.left() >= 4)
      out.version_bitmap = element.u32();
  }
  return out;
}

Decoded<Request> error_message(Reader in, std::uint8_t version) {
  ErrorMessage out;
  out.error.type = in.u16();
  out.error.code = in.u16();
  if (!in.is_ok()) return wrong_length();
  if (version >= 3 && out.error.type == 0xffff) out.error.experimenter = in.u32();
  const ByteSpan data = in.rest();
  out.data.assign(data.begin(), data.end());
  return out;
}

template <class Echo>
Decoded<Request> echo(Reader in) {
  const ByteSpan data = in.rest();
  return Echo{{data.begin(), data.end()}};
}

Decoded<Request> set_config(Reader in) {
  if (in.left() != 4) return wrong_length();
  const std::uint16_t flags = in.u16();
  return SetConfig{flags, in.u16()};
}

template <class R>
Decoded<Request> generic(Decoded<R> decoded) {
  if (!decoded) return tl::unexpected(std::move(decoded.error()));
  return Decoded<Request>(tl::in_place, std::move(*decoded));
}

template <class R>
Decoded<Request> empty(const Reader& in) {
  if (in.left() != 0) return wrong_length();
  return R{};
}

/// OpenFlow 1.0: | port 2 | hw_addr 6 | config 4 | mask 4 | advertise 4 | pad 4 |
Decoded<Request> of10_port_mod(Reader in) {
  if (in.left() != 24) return wrong_length();
  PortMod m;
  m.port_no = port_from_16(in.u16());
  m.hw_addr = in.array<6>();
  m.config = in.u32();
  m.mask = in.u32();
  m.advertise = in.u32();
  return m;
}

/// 1.3: | port 4 | pad 4 | hw_addr 6 | pad 2 | config 4 | mask 4 | advertise 4 | pad 4 |; 1.4 has
/// properties instead of what comes after the mask.
Decoded<Request> port_mod(Reader in, Version version) {
  const bool has_properties = is_at_least(version, Version::kOf14);
  if (has_properties ? in.left() < 24 : in.left() != 32) return wrong_length();
  PortMod m;
  m.port_no = PortNo{in.u32()};
  in.skip(4);
  m.hw_addr = in.array<6>();
  in.skip(2);
  m.config = in.u32();
  m.mask = in.u32();
  if (!has_properties) {
    m.advertise = in.u32();
    return m;
  }
  while (in.left() != 0) {
    const std::uint16_t type = in.u16();
    const std::uint16_t length = in.u16();
    if (length < 4) return fault(ErrorName::kPropertyBadLength, "port mod property");
    Reader property(in.bytes(rounded_to_8(length) - 4));
    if (!in.is_ok()) return fault(ErrorName::kPropertyBadLength, "port mod property");
    if (type == 0) m.advertise = property.u32();
  }
  return m;
}

Decoded<Request> role(Reader in) {
  if (in.left() != 16) return wrong_length();
  const std::uint32_t r = in.u32();
  in.skip(4);
  if (r > 3) return fault(ErrorName::kRoleBad, "role unknown");
  return RoleRequest{static_cast<RoleRequest::Role>(r), in.u64(), false};
}

Decoded<Request> table_mod(Reader in) {
  if (in.left() < 8) return wrong_length();
  const std::uint8_t table_id = in.u8();
  in.skip(3);
  return TableMod{table_id, in.u32()};
}

Decoded<Request> group_mod(Reader in) {
  if (in.left() < 8) return wrong_length();
  const std::uint16_t command = in.u16();
  in.skip(2);
  return GroupMod{command, in.u32()};
}

Decoded<Request> unknown_type(std::uint8_t type) {
  return fault(ErrorName::kBadType, "message type " + std::to_string(type) + " unknown");
}

Decoded<Request> decode_of10(std::uint8_t type, Reader in) {
  switch (static_cast<Of10Type>(type)) {
    case Of10Type::kPortMod:
      return of10_port_mod(in);
    case Of10Type::kStatsRequest:
      return decode_multipart(in, Version::kOf10);
    case Of10Type::kBarrierRequest:
      return empty<BarrierRequest>(in);
    case Of10Type::kQueueGetConfigRequest:
      if (in.left() != 4) return wrong_length();
      return QueueGetConfigRequest{port_from_16(in.u16())};
    default:
      return unknown_type(type);
  }
}

Decoded<Request> decode_of14(Type type, Reader in) {
  switch (type) {
    case Type::kBundleControl:
      return decode_bundle_control(in);
    case Type::kBundleAddMessage:
      return decode_bundle_add(in);
    default:
      return unknown_type(to_integer(type));
  }
}

Decoded<Request> decode_of13(Type type, Reader in, Version version) {
  const bool is_14 = is_at_least(version, Version::kOf14);
  switch (type) {
    case Type::kGroupMod:
      return group_mod(in);
    case Type::kPortMod:
      return port_mod(in, version);
    case Type::kTableMod:
      return table_mod(in);
    case Type::kMultipartRequest:
      return decode_multipart(in, version);
    case Type::kBarrierRequest:
      return empty<BarrierRequest>(in);
    case Type::kQueueGetConfigRequest:
      if (is_14) break;
      if (in.left() != 8) return wrong_length();
      return QueueGetConfigRequest{PortNo{in.u32()}};
    case Type::kRoleRequest:
      return role(in);
    case Type::kGetAsyncRequest:
      return empty<GetAsyncRequest>(in);
    case Type::kSetAsync:
      return generic(is_14 ? decode_async_properties(in) : decode_async_masks(in));
    case Type::kMeterMod:
      return generic(decode_meter_mod(in));
    default:
      if (is_14) return decode_of14(type, in);
      break;
  }
  return unknown_type(to_integer(type));
}

Decoded<Request> decode_common(const Header& header, Reader in, Dialect dialect) {
  const auto type = static_cast<Type>(header.type);
  const Version version = dialect.version;
  switch (type) {
    case Type::kEchoRequest:
      return echo<EchoRequest>(in);
    case Type::kEchoReply:
      return echo<EchoReply>(in);
    case Type::kExperimenter:
      return decode_vendor(in, dialect);
    case Type::kFeaturesRequest:
      return empty<FeaturesRequest>(in);
    case Type::kGetConfigRequest:
      return empty<GetConfigRequest>(in);
    case Type::kSetConfig:
      return set_config(in);
    case Type::kPacketOut:
      return generic(decode_packet_out(in, version));
    case Type::kFlowMod:
      return generic(version == Version::kOf10
                         ? decode_of10_flow_mod(in, dialect.has_flow_mod_table_id)
                         : decode_flow_mod(in, version));
    default:
      break;
  }
  return version == Version::kOf10 ? decode_of10(header.type, in) : decode_of13(type, in, version);
}

}  // namespace

std::optional<Header> Header::read(std::span<const std::uint8_t> bytes) noexcept {
  Reader in(bytes);
  Header h{};
  h.version = in.u8();
  h.type = in.u8();
  h.length = in.u16();
  h.xid = in.u32();
  if (!in.is_ok()) return std::nullopt;
  return h;
}

tl::expected<Request, WireError> decode(std::span<const std::uint8_t> message, Dialect dialect) {
  const auto refuse = [&dialect](ErrorName name, const char* why) {
    return tl::unexpected(to_wire(name, dialect.version, why));
  };
  const auto header = Header::read(message);
  if (!header) return refuse(ErrorName::kBadLength, "shorter than a header");
  if (header->length != message.size())
    return refuse(ErrorName::kBadLength, "not of its own length");
  Reader in(message.subspan(Header::kSize));
  const auto type = static_cast<Type>(header->type);
  Decoded<Request> decoded = tl::unexpected(Fault{});
  if (type == Type::kHello) {
    decoded = hello(in, header->version);
  } else if (type == Type::kError) {
    decoded = error_message(in, header->version);
  } else if (header->version != to_integer(dialect.version)) {
    return refuse(ErrorName::kBadVersion, "another version than the connection's");
  } else {
    decoded = decode_common(*header, in, dialect);
  }
  if (!decoded) return tl::unexpected(to_wire(std::move(decoded.error()), dialect.version));
  return std::move(*decoded);
}

}  // namespace hoist::openflow

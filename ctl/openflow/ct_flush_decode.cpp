// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <string>

#include "openflow/request_codec.hpp"

namespace hoist::openflow {
namespace {

/// NXT_CT_*: the properties of the message.
enum class Property : std::uint16_t { kOriginal, kReply, kZone };
/// NXT_CT_TUPLE_*: the properties of a tuple.
enum class TupleProperty : std::uint16_t {
  kSrc,
  kDst,
  kSrcPort,
  kDstPort,
  kIcmpId,
  kIcmpType,
  kIcmpCode
};

struct TypedBytes {
  std::uint16_t type;
  ByteSpan value;
};

/// `| type 2 | length 2 | value | zeros up to a multiple of 8 |`; the length counts what is before
/// the zeros.
Decoded<TypedBytes> take_property(Reader& in) {
  constexpr std::size_t kHeader = 4;
  const std::uint16_t type = in.u16();
  const std::size_t length = in.u16();
  if (length < kHeader) return fault(ErrorName::kPropertyBadLength, "ct_flush: property too short");
  const ByteSpan value = in.bytes(length - kHeader);
  in.skip(rounded_to_8(length) - length);
  if (!in.is_ok()) return fault(ErrorName::kPropertyBadLength, "ct_flush: property cut off");
  return TypedBytes{type, value};
}

/// Numbers of 8 bits stand alone, those of 16 bits before two bytes that do not count.
template <class Integer>
Decoded<void> take_integer(ByteSpan value, Integer& out) {
  constexpr std::size_t kSize = sizeof(Integer) == 1 ? 1 : 4;
  if (value.size() != kSize) {
    return fault(ErrorName::kPropertyBadLength, "ct_flush: number of a wrong size");
  }
  out = 0;
  for (const std::uint8_t byte : value.first(sizeof(Integer))) {
    out = static_cast<Integer>(out << 8 | byte);
  }
  return {};
}

/// IPv4 travels mapped into IPv6 (::ffff:a.b.c.d). All zeros mean any address.
Decoded<void> take_address(ByteSpan value, Ipv6Address& out, ConnectionFilter& filter) {
  constexpr std::array<std::uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (value.size() != out.size()) {
    return fault(ErrorName::kPropertyBadLength, "ct_flush: address of a wrong size");
  }
  out = {};
  if (is_all_zeros(value)) return {};
  const bool is_ipv4 = std::ranges::equal(value.first(kMapped.size()), kMapped);
  const std::uint8_t family = is_ipv4 ? 4 : 6;
  if (filter.family != 0 && filter.family != family) {
    return fault(ErrorName::kPropertyBadValue, "ct_flush: IPv4 and IPv6 in one");
  }
  filter.family = family;
  std::ranges::copy(is_ipv4 ? value.subspan(kMapped.size()) : value, out.begin());
  return {};
}

Decoded<void> take_tuple_property(const TypedBytes& at, TupleFilter& tuple,
                                  ConnectionFilter& filter) {
  switch (static_cast<TupleProperty>(at.type)) {
    case TupleProperty::kSrc:
      return take_address(at.value, tuple.src, filter);
    case TupleProperty::kDst:
      return take_address(at.value, tuple.dst, filter);
    case TupleProperty::kSrcPort:
      return take_integer(at.value, tuple.src_port);
    case TupleProperty::kDstPort:
      return take_integer(at.value, tuple.dst_port);
    case TupleProperty::kIcmpId:
      return take_integer(at.value, tuple.icmp_id);
    case TupleProperty::kIcmpType:
      return take_integer(at.value, tuple.icmp_type);
    case TupleProperty::kIcmpCode:
      return take_integer(at.value, tuple.icmp_code);
  }
  return fault(ErrorName::kPropertyBadType,
               "ct_flush: tuple property " + std::to_string(at.type) + " unknown");
}

/// Four zeros, then properties.
Decoded<void> take_tuple(ByteSpan value, TupleFilter& tuple, ConnectionFilter& filter) {
  Reader in(value);
  in.skip(4);
  if (!in.is_ok()) return fault(ErrorName::kPropertyBadLength, "ct_flush: tuple too short");
  while (in.left() != 0) {
    const auto property = take_property(in);
    if (!property) return tl::unexpected(property.error());
    if (Decoded<void> taken = take_tuple_property(*property, tuple, filter); !taken) return taken;
  }
  return {};
}

Decoded<void> take_message_property(const TypedBytes& at, ConnectionFilter& filter) {
  switch (static_cast<Property>(at.type)) {
    case Property::kOriginal:
      return take_tuple(at.value, filter.original, filter);
    case Property::kReply:
      return take_tuple(at.value, filter.reply, filter);
    case Property::kZone:
      return take_integer(at.value, filter.zone.emplace());
  }
  return fault(ErrorName::kPropertyBadType,
               "ct_flush: property " + std::to_string(at.type) + " unknown");
}

}  // namespace

Decoded<Request> decode_ct_flush(Reader in) {
  NxCtFlush flush;
  flush.filter.ip_proto = in.u8();
  const ByteSpan zeros = in.bytes(7);
  if (!in.is_ok()) return fault(ErrorName::kBadLength, "ct_flush too short");
  if (!is_all_zeros(zeros)) return fault(ErrorName::kMustBeZero, "ct_flush: padding");
  while (in.left() != 0) {
    const auto property = take_property(in);
    if (!property) return tl::unexpected(property.error());
    if (Decoded<void> taken = take_message_property(*property, flush.filter); !taken) {
      return tl::unexpected(taken.error());
    }
  }
  return flush;
}

Decoded<Request> decode_ct_flush_zone(Reader in) {
  if (in.left() != 8) return fault(ErrorName::kBadLength, "ct_flush_zone of a wrong length");
  if (!is_all_zeros(in.bytes(6))) return fault(ErrorName::kMustBeZero, "ct_flush_zone: padding");
  NxCtFlush flush;
  flush.filter.zone = in.u16();
  return flush;
}

}  // namespace hoist::openflow

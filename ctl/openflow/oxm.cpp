// SPDX-License-Identifier: BSD-3-Clause
#include "openflow/oxm.hpp"

#include <array>
#include <optional>
#include <string>

namespace hoist::openflow {
namespace {

constexpr std::uint32_t kNxCookie = field_table::nx(30, 8);
constexpr std::uint32_t kMaskBit = 1u << 8;

// FieldId + 1 by field number, for the four classes that have fields; 0: no such field. NXM's
// numbers are unique but for NXM_NX_COOKIE, which differs from NXM_NX_MPLS_TTL by its length alone.
using FieldsOfClass = std::array<std::uint8_t, 128>;
constexpr std::array<FieldsOfClass, 4> make_classes() {
  std::array<FieldsOfClass, 4> classes{};
  auto add = [&classes](std::uint32_t header, FieldId id) {
    if (header == 0) return;
    const std::uint32_t cls = header >> 16;
    classes[(cls & 1) | (cls >> 15) << 1][header >> 9 & 0x7f] =
        static_cast<std::uint8_t>(static_cast<int>(id) + 1);
  };
  for (const Field& f : kFields) {
    add(f.nxm, f.id);
    add(f.oxm, f.id);
  }
  return classes;
}
constexpr auto kClasses = make_classes();

const Field* find(std::uint32_t bits, std::uint32_t experimenter) noexcept {
  const std::uint32_t cls = bits >> 16;
  if (cls == kExperimenterClass) {
    const Field& flags = field(FieldId::kTcpFlags);  // ONFOXM_ET_TCP_FLAGS, the only one
    return experimenter == kOnfId && (bits >> 9 & 0x7f) == (flags.oxm >> 9 & 0x7f) ? &flags
                                                                                   : nullptr;
  }
  if ((cls & 0x7ffe) != 0) return nullptr;
  const std::uint8_t id = kClasses[(cls & 1) | (cls >> 15) << 1][bits >> 9 & 0x7f];
  return id == 0 ? nullptr : &kFields[id - 1u];
}

std::string describe(std::uint32_t bits) {
  return "field " + std::to_string(bits >> 9 & 0x7f) + " of class " + std::to_string(bits >> 16);
}

struct Named {
  const Field* field;
  std::uint32_t bits;
  bool has_mask;
};

/// Takes the header; `bits` comes out without mask bit and with the length of the value alone.
Decoded<Named> take_header(Reader& in, const OxmErrors& errors) {
  std::uint32_t bits = in.u32();
  std::uint32_t length = bits & 0xff;
  std::uint32_t experimenter = 0;
  if (bits >> 16 == kExperimenterClass) {
    experimenter = in.u32();
    if (length < 4) return fault(errors.bad_length, "experimenter field too short");
    length -= 4;
  }
  if (!in.is_ok()) return fault(errors.bad_length, "field header cut off");
  const bool has_mask = (bits & kMaskBit) != 0;
  if (has_mask && length % 2 != 0) return fault(errors.bad_length, describe(bits) + ": odd length");
  if (has_mask) length /= 2;
  bits = (bits & ~(kMaskBit | 0xffu)) | length;
  if (bits == kNxCookie) return Named{nullptr, bits, has_mask};
  const Field* field = find(bits, experimenter);
  if (field == nullptr) return fault(errors.unknown_field, describe(bits) + " is unknown");
  const std::uint32_t own = bits >> 16 < 2 ? field->nxm : field->oxm;
  if ((own & 0xff) != length) {
    return fault(errors.bad_length, std::string(field->name) + ": wrong length");
  }
  return Named{field, bits, has_mask};
}

void copy_right_aligned(FieldValue& to, ByteSpan from) noexcept {
  std::memcpy(to.data() + to.size() - from.size(), from.data(), from.size());
}

bool has_bits_outside(const FieldValue& value, const FieldValue& mask) noexcept {
  unsigned outside = 0;
  for (std::size_t i = 0; i < value.size(); ++i)
    outside |= value[i] & static_cast<unsigned>(~mask[i]);
  return outside != 0;
}

/// Makes the field's own value and mask out of what the wire carries.
std::optional<Fault> normalise(OxmEntry& entry, const OxmErrors& errors) {
  const Field& f = *entry.field;
  const FieldValue full = full_mask(f);
  if (entry.has_mask) {
    if (has_bits_outside(entry.value, entry.mask)) {
      const bool in_match = errors.unknown_field == ErrorName::kMatchBadField;
      return Fault{in_match ? ErrorName::kMatchBadWildcards : errors.bad_value,
                   std::string(f.name) + ": value has bits outside its mask"};
    }
    for (std::size_t i = 0; i < 16; ++i) entry.mask[i] &= full[i];
  } else {
    entry.mask = full;
  }
  if (f.id == FieldId::kInPort && entry.bits >> 16 == 0) {
    entry.value =
        field_value(to_integer(port_from_16(static_cast<std::uint16_t>(low64(entry.value)))));
  } else if (f.id == FieldId::kIpTos) {
    // NXM_OF_IP_TOS means the DSCP bits; ECN has a field of its own.
    if ((entry.value[15] & 3) != 0) return Fault{errors.bad_value, "nw_tos has ECN bits"};
    entry.mask[15] &= 0xfc;
    entry.has_mask = false;
    return std::nullopt;
  }
  constexpr std::uint64_t kCtStates = 0xff;  // what ct_state's bits mean ends there
  const bool is_ct_state = f.id == FieldId::kCtState;
  if (has_bits_outside(entry.value, full) || (is_ct_state && low64(entry.value) > kCtStates)) {
    return Fault{errors.bad_value, std::string(f.name) + ": value out of range"};
  }
  if (is_ct_state && entry.has_mask) entry.mask = field_value(low64(entry.mask) & kCtStates);
  const bool is_partial = entry.mask != full && entry.mask != FieldValue{};
  if (is_partial && !f.is_maskable) {
    return Fault{errors.bad_mask, std::string(f.name) + " takes no mask"};
  }
  return std::nullopt;
}

}  // namespace

OxmHeader header_of(const Field& field, Flavor flavor) noexcept {
  if (flavor == Flavor::kNxm && field.nxm != 0) return {field.nxm, 0};
  if (field.oxm == 0) return {field.nxm, 0};
  if (field.id == FieldId::kTcpFlags && flavor == Flavor::kOxm) {
    return {std::uint32_t{kExperimenterClass} << 16 | (field.oxm & 0xffff), kOnfId};
  }
  return {field.oxm, 0};
}

Decoded<const Field*> take_field(Reader& in, const OxmErrors& errors) {
  const auto named = take_header(in, errors);
  if (!named) return tl::unexpected(named.error());
  if (named->field == nullptr) return fault(errors.unknown_field, "cookie is not a packet's field");
  if (named->has_mask) return fault(errors.bad_mask, "mask where a whole field is named");
  return named->field;
}

Decoded<OxmEntry> take_entry(Reader& in, const OxmErrors& errors) {
  const auto named = take_header(in, errors);
  if (!named) return tl::unexpected(named.error());
  const std::size_t size = named->bits & 0xff;
  if (in.left() < size * (named->has_mask ? 2u : 1u)) {
    return fault(errors.bad_length, describe(named->bits) + " cut off");
  }
  OxmEntry entry;
  entry.field = named->field;
  entry.bits = named->bits;
  entry.has_mask = named->has_mask;
  copy_right_aligned(entry.value, in.bytes(size));
  if (entry.has_mask) copy_right_aligned(entry.mask, in.bytes(size));
  if (entry.field == nullptr) {
    if (!entry.has_mask) entry.mask = field_value(UINT64_MAX);
    return entry;
  }
  if (auto wrong = normalise(entry, errors)) return tl::unexpected(std::move(*wrong));
  return entry;
}

void put_header(Bytes& out, OxmHeader header, bool has_mask) {
  const std::uint32_t size = header.bits & 0xff;
  const std::uint32_t length = (has_mask ? size * 2 : size) + (header.experimenter != 0 ? 4u : 0u);
  put32(out, (header.bits & ~0xffu) | (has_mask ? kMaskBit : 0) | length);
  if (header.experimenter != 0) put32(out, header.experimenter);
}

void put_entry(Bytes& out, const Field& field, Flavor flavor, const FieldValue& value,
               const FieldValue& mask) {
  const OxmHeader header = header_of(field, flavor);
  const bool has_mask = mask != full_mask(field);
  put_header(out, header, has_mask);
  if (header.bits >> 16 == 0 && field.id == FieldId::kInPort) {
    put16(out, port_to_16(PortNo{static_cast<std::uint32_t>(low64(value))}));
    return;
  }
  const std::size_t skip = 16 - header.value_bytes();
  put_bytes(out, ByteSpan(value).subspan(skip));
  if (has_mask) put_bytes(out, ByteSpan(mask).subspan(skip));
}

}  // namespace hoist::openflow

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "hoist/field.hpp"
#include "openflow/fault.hpp"
#include "openflow/wire.hpp"

/// NXM and OXM entries: `| class 16 | field 7 | has mask 1 | payload bytes 8 | [experimenter 32] |
/// value | [mask] |` (OpenFlow 1.3, 7.2.3.2; nicira-ext.h).
namespace hoist::openflow {

/// How a field is written on connections of one kind.
enum class Flavor : std::uint8_t {
  kNxm,  ///< OpenFlow 1.0 with Nicira's extensions: NXM where there is one.
  kOxm,  ///< OpenFlow 1.3 and 1.4: OXM where there is one, ONF's experimenter class for tcp_flags.
  kOxm15,  ///< OpenFlow 1.5.
};
[[nodiscard]] constexpr Flavor flavor_of(Version version) noexcept {
  if (version == Version::kOf10) return Flavor::kNxm;
  return version == Version::kOf15 ? Flavor::kOxm15 : Flavor::kOxm;
}

inline constexpr std::uint16_t kExperimenterClass = 0xffff;

/// An entry's header without its mask bit.
struct OxmHeader {
  std::uint32_t bits = 0;          ///< class << 16 | field << 9 | value bytes.
  std::uint32_t experimenter = 0;  ///< Where the class is kExperimenterClass.
  [[nodiscard]] std::size_t value_bytes() const noexcept { return bits & 0xff; }
};
[[nodiscard]] OxmHeader header_of(const Field& field, Flavor flavor) noexcept;
/// The header as a 32-bit number, NXM first: how Nicira's actions name a field.
[[nodiscard]] constexpr std::uint32_t nxm_header_of(const Field& field) noexcept {
  return field.nxm != 0 ? field.nxm : field.oxm;
}

/// One entry, taken apart. Value and mask are of the field's own bits.
struct OxmEntry {
  const Field* field = nullptr;  ///< Null: NXM_NX_COOKIE.
  FieldValue value{};
  FieldValue mask{};
  bool has_mask = false;
  std::uint32_t bits = 0;  ///< OxmHeader::bits.
};

/// The errors that differ between entries of a match and those inside an action.
struct OxmErrors {
  ErrorName unknown_field;
  ErrorName bad_length;
  ErrorName bad_value;
  ErrorName bad_mask;
};
inline constexpr OxmErrors kMatchErrors{ErrorName::kMatchBadField, ErrorName::kMatchBadLength,
                                        ErrorName::kMatchBadValue, ErrorName::kMatchBadMask};
inline constexpr OxmErrors kActionErrors{
    ErrorName::kActionBadSetType, ErrorName::kActionBadSetLength, ErrorName::kActionBadSetArgument,
    ErrorName::kActionBadSetArgument};

/// Takes a header (4 or 8 bytes) that names a whole field, without mask.
[[nodiscard]] Decoded<const Field*> take_field(Reader& in, const OxmErrors& errors);
/// Takes a whole entry.
[[nodiscard]] Decoded<OxmEntry> take_entry(Reader& in, const OxmErrors& errors);

/// Appends an entry; the mask is left out where it covers the whole field.
void put_entry(Bytes& out, const Field& field, Flavor flavor, const FieldValue& value,
               const FieldValue& mask);
/// As above, always with the mask (NXAST_REG_LOAD2 of a part).
void put_header(Bytes& out, OxmHeader header, bool has_mask);

}  // namespace hoist::openflow

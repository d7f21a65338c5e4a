// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "hoist/action.hpp"
#include "hoist/field.hpp"
#include "text/scan.hpp"

namespace hoist::text {

struct ValueMask {
  FieldValue value;
  FieldValue mask;
};

/// Parses "value" or "value/mask" in the field's own notation (ovs-fields(7)). Bits of the value
/// outside the mask are cleared.
[[nodiscard]] Result<ValueMask> parse_value(const Scan& scan, const Field& field,
                                            std::string_view word);
/// Appends the value, and "/mask" unless it covers the whole field.
void append_value(std::string& out, const Field& field, const FieldValue& value,
                  const FieldValue& mask, const PortNamer& name_of);
void append_port(std::string& out, PortNo port, const PortNamer& name_of);

/// Parses "NXM_NX_REG0[0..15]", "reg0[5]", "reg0[]" or "reg0".
[[nodiscard]] Result<FieldBits> parse_bits(const Scan& scan, std::string_view word);
/// Appends the form with brackets, under the name that nicira-ext.h or OpenFlow gives the field.
void append_bits(std::string& out, const FieldBits& bits);

/// As ovs-ofctl names it after "set_field:...->".
[[nodiscard]] std::string_view set_field_name(const Field& field) noexcept;

void append_hex(std::string& out, std::uint64_t v);  ///< "0x1f"

}  // namespace hoist::text

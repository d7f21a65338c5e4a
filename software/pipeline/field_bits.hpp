// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "hoist/field.hpp"
#include "hoist/flow_key.hpp"

namespace hoist::software {

namespace field_bits {

__extension__ using Wide = unsigned __int128;

[[nodiscard]] inline Wide to_wide(const FieldValue& value) noexcept {
  Wide v = 0;
  for (const std::uint8_t byte : value) v = v << 8 | byte;
  return v;
}
[[nodiscard]] inline FieldValue from_wide(Wide v) noexcept {
  FieldValue out;
  for (std::size_t i = 0; i < 16; ++i) out[15 - i] = static_cast<std::uint8_t>(v >> (8 * i));
  return out;
}
[[nodiscard]] constexpr Wide ones(unsigned count) noexcept {
  return count >= 128 ? ~Wide{0} : (Wide{1} << count) - 1;
}

}  // namespace field_bits

/// Bits [start, start + count) of a value, moved down to bit 0. start + count <= 128.
[[nodiscard]] inline FieldValue extract_bits(const FieldValue& value, unsigned start,
                                             unsigned count) noexcept {
  return field_bits::from_wide(field_bits::to_wide(value) >> start & field_bits::ones(count));
}

/// The low `count` bits of a value, moved up to bit `start`; all others zero. start + count <= 128.
[[nodiscard]] inline FieldValue deposit_bits(const FieldValue& value, unsigned start,
                                             unsigned count) noexcept {
  return field_bits::from_wide((field_bits::to_wide(value) & field_bits::ones(count)) << start);
}

/// Says whether a field is read from the packet, and not pipeline state or where it came in.
[[nodiscard]] inline bool is_packet_field(const Field& f) noexcept {
  return f.id != FieldId::kInPort && f.offset < kPacketWords * sizeof(std::uint64_t);
}

}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "hoist/field.hpp"

namespace hoist {

/// Bits [start, start + count) of a field, 0 being the least: `NXM_NX_REG0[0..15]`.
struct FieldBits {
  FieldId field;
  std::uint8_t start;
  std::uint8_t count;
  bool operator==(const FieldBits&) const = default;
};

/// Writes value's bits under mask. `form` is how the controller said it, to echo it so.
struct SetFieldAction {
  enum class Form : std::uint8_t {
    kSetField,  ///< OFPAT_SET_FIELD, NXAST_REG_LOAD2.
    kRegLoad,   ///< NXAST_REG_LOAD; the mask is one run of bits.
    /// OpenFlow 1.0's OFPAT_SET_DL_SRC, OFPAT_SET_NW_SRC, OFPAT_SET_TP_SRC, NXAST_SET_TUNNEL, ...:
    /// a packet without the field passes unchanged. tcp_src and tcp_dst mean the port of whatever
    /// transport protocol the packet has (TCP, UDP or SCTP).
    kLegacy,
  };
  FieldId field;
  Form form = Form::kSetField;
  FieldValue value;
  FieldValue mask;
  bool operator==(const SetFieldAction&) const = default;
};
struct MoveAction {
  FieldBits source;
  FieldBits target;
  bool operator==(const MoveAction&) const = default;
};

}  // namespace hoist

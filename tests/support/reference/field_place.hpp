// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "hoist/field.hpp"
#include "support/reference/layers.hpp"

namespace hoist::reference {

/// Where a field lies in a frame: bits [shift, shift + bits) of the big-endian integer in `bytes`
/// bytes from `at`.
struct Place {
  std::size_t at;
  std::size_t bytes;
  unsigned shift;
  unsigned bits;
};

/// Nothing if the frame has no such header, or the field lies in no header.
[[nodiscard]] std::optional<Place> find_place(FieldId id, View frame, const Layers& layers);

}  // namespace hoist::reference

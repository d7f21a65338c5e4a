// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <random>

#include "hoist/field.hpp"
#include "support/packet_builder.hpp"

namespace hoist::test {

using Random = std::mt19937_64;

/// A frame of any kind that the parser knows: mostly valid, now and then odd (deep tags, extension
/// headers, fragments, lengths that disagree with the frame), cut short or damaged. Each field has
/// few distinct values, those of random_value(), so that random rules hit.
[[nodiscard]] Bytes random_packet(Random& random);

/// A value that random_packet() often gives to this field; for a field that it cannot set
/// (registers, metadata), a small number. Within the field's width.
[[nodiscard]] FieldValue random_value(const Field& field, Random& random);

}  // namespace hoist::test

// SPDX-License-Identifier: BSD-3-Clause
#include "translate/match_rows.hpp"

#include <algorithm>
#include <span>

#include "translate/match_builder.hpp"

namespace hoist::offload {
namespace {

bool is_zero(std::span<const std::uint8_t> bytes) {
  return std::ranges::all_of(bytes, [](std::uint8_t b) { return b == 0; });
}

bool applies(const MatchRow& row, const MatchBuilder& builder) {
  if (row.eth_type != 0 && row.eth_type != builder.eth_type) return false;
  if (row.ip_proto != 0 && (row.ip_proto != builder.ip_proto || !builder.is_ip())) return false;
  return true;
}

/// TCP flags: "exact" stands for all 12 bits, "masked" for those of the last byte.
bool is_usable(const MatchRow& row, std::size_t index, std::span<const std::uint8_t> mask,
               const Capabilities& capabilities) {
  const bool is_full = row.field == FieldId::kTcpFlags
                           ? mask[0] != 0
                           : std::ranges::all_of(mask, [](std::uint8_t b) { return b == 0xff; });
  return (is_full ? capabilities.match_exact : capabilities.match_masked).test(index);
}

}  // namespace

void express_rows(MatchBuilder& builder) {
  auto* mask_bytes = reinterpret_cast<std::uint8_t*>(&builder.left.mask);
  const auto* value_bytes = reinterpret_cast<const std::uint8_t*>(&builder.left.value);
  for (std::size_t i = 0; i < kMatchRows.size(); ++i) {
    const MatchRow& row = kMatchRows[i];
    const std::span mask(mask_bytes + row.key_offset, row.bytes);
    if (is_zero(mask) || !applies(row, builder)) continue;
    if (!is_usable(row, i, mask, builder.context.capabilities)) continue;
    const std::span value(value_bytes + row.key_offset, row.bytes);
    builder.pattern.need(row.layer, row.item);
    builder.pattern.put(row.layer, row.item_offset, value.data(), mask.data(), row.bytes);
    builder.has_l4_value |= row.layer == Layer::kL4 && !is_zero(value);
    std::ranges::fill(mask, std::uint8_t{0});
  }
}

}  // namespace hoist::offload

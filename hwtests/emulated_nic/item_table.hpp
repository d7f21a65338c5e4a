// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_flow.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "fields.hpp"

namespace emulated_nic {

/// One pattern item that the emulation knows: how its spec maps to slots.
struct ItemRow {
  rte_flow_item_type type;
  std::string_view name;  ///< As in profiles, dumps and testpmd's flow syntax.
  std::size_t slot;
  std::size_t size;        ///< Bytes of spec that are copied to the slot.
  std::uint32_t presence;  ///< What the packet must have.
};

/// One part of an item that a profile allows to be matched.
struct ItemField {
  rte_flow_item_type item;
  std::string_view name;
  std::size_t slot;
  std::size_t size;
  std::uint32_t presence = 0;  ///< Instead of bytes: a presence bit that may be asked for.
};

[[nodiscard]] std::span<const ItemRow> item_rows();
[[nodiscard]] std::span<const ItemField> item_fields();
/// Null: the emulation has no such item.
[[nodiscard]] const ItemRow* find_item(rte_flow_item_type type);
[[nodiscard]] const ItemRow* find_item(std::string_view name);
/// Index of `row` in item_rows().
[[nodiscard]] std::size_t item_index(const ItemRow& row);

}  // namespace emulated_nic

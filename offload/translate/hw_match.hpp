// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_flow.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace hoist::offload {

/// Place of an item in a pattern; patterns list layers in this order.
enum class Layer : std::uint8_t { kPort, kEth, kVlan, kL3, kL4, kCount };
inline constexpr std::size_t kLayerCount = static_cast<std::size_t>(Layer::kCount);

/// One pattern item by value. VOID: the layer is not in the pattern.
struct HwItem {
  rte_flow_item_type type = RTE_FLOW_ITEM_TYPE_VOID;
  alignas(8) std::array<std::uint8_t, 48> spec{};
  alignas(8) std::array<std::uint8_t, 48> mask{};
  bool operator==(const HwItem&) const = default;
};
static_assert(sizeof(rte_flow_item_ipv6) <= 48 && sizeof(rte_flow_item_arp_eth_ipv4) <= 48 &&
              sizeof(rte_flow_item_icmp6_nd_na) <= 48 && sizeof(rte_flow_item_eth) <= 48);

/// A pattern by value.
struct HwMatch {
  std::array<HwItem, kLayerCount> items{};

  [[nodiscard]] HwItem& at(Layer layer) noexcept { return items[static_cast<std::size_t>(layer)]; }
  [[nodiscard]] const HwItem& at(Layer layer) const noexcept {
    return items[static_cast<std::size_t>(layer)];
  }
  [[nodiscard]] bool has(Layer layer) const noexcept {
    return at(layer).type != RTE_FLOW_ITEM_TYPE_VOID;
  }
  /// Makes sure that the layer is in the pattern, as `type`.
  HwItem& need(Layer layer, rte_flow_item_type type) noexcept {
    at(layer).type = type;
    return at(layer);
  }
  /// Matches `size` bytes of the item from `offset`.
  void put(Layer layer, std::size_t offset, const void* value, const void* mask,
           std::size_t size) noexcept {
    std::memcpy(at(layer).spec.data() + offset, value, size);
    std::memcpy(at(layer).mask.data() + offset, mask, size);
  }
  bool operator==(const HwMatch&) const = default;
};

}  // namespace hoist::offload

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <rte_flow.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "hoist/field.hpp"
#include "translate/hw_match.hpp"

namespace hoist::offload {

/// One header rewrite that an rte_flow action does: `set_field` of the whole field.
struct RewriteRow {
  FieldId field;
  rte_flow_action_type action;
  std::uint8_t bytes;  ///< Of the action's configuration, the value right-aligned in network order.
  std::uint16_t eth_type;   ///< The rule must match it exactly; 0: any.
  std::uint8_t ip_proto;    ///< The rule must match it exactly; 0: any.
  rte_flow_item_type item;  ///< That the pattern must hold; VOID: none.
};

// clang-format off
inline constexpr auto kRewriteRows = std::to_array<RewriteRow>({
    {FieldId::kEthSrc,  RTE_FLOW_ACTION_TYPE_SET_MAC_SRC,  6,  0,      0,  RTE_FLOW_ITEM_TYPE_ETH},
    {FieldId::kEthDst,  RTE_FLOW_ACTION_TYPE_SET_MAC_DST,  6,  0,      0,  RTE_FLOW_ITEM_TYPE_ETH},
    {FieldId::kNwSrc,   RTE_FLOW_ACTION_TYPE_SET_IPV4_SRC, 4,  0x0800, 0,  RTE_FLOW_ITEM_TYPE_IPV4},
    {FieldId::kNwDst,   RTE_FLOW_ACTION_TYPE_SET_IPV4_DST, 4,  0x0800, 0,  RTE_FLOW_ITEM_TYPE_IPV4},
    {FieldId::kIpv6Src, RTE_FLOW_ACTION_TYPE_SET_IPV6_SRC, 16, 0x86dd, 0,  RTE_FLOW_ITEM_TYPE_IPV6},
    {FieldId::kIpv6Dst, RTE_FLOW_ACTION_TYPE_SET_IPV6_DST, 16, 0x86dd, 0,  RTE_FLOW_ITEM_TYPE_IPV6},
    {FieldId::kIpDscp,  RTE_FLOW_ACTION_TYPE_SET_IPV4_DSCP, 1, 0x0800, 0,  RTE_FLOW_ITEM_TYPE_IPV4},
    {FieldId::kIpDscp,  RTE_FLOW_ACTION_TYPE_SET_IPV6_DSCP, 1, 0x86dd, 0,  RTE_FLOW_ITEM_TYPE_IPV6},
    {FieldId::kIpTtl,   RTE_FLOW_ACTION_TYPE_SET_TTL,      1,  0x0800, 0,  RTE_FLOW_ITEM_TYPE_IPV4},
    {FieldId::kIpTtl,   RTE_FLOW_ACTION_TYPE_SET_TTL,      1,  0x86dd, 0,  RTE_FLOW_ITEM_TYPE_IPV6},
    {FieldId::kTcpSrc,  RTE_FLOW_ACTION_TYPE_SET_TP_SRC,   2,  0,      6,  RTE_FLOW_ITEM_TYPE_TCP},
    {FieldId::kTcpDst,  RTE_FLOW_ACTION_TYPE_SET_TP_DST,   2,  0,      6,  RTE_FLOW_ITEM_TYPE_TCP},
    {FieldId::kUdpSrc,  RTE_FLOW_ACTION_TYPE_SET_TP_SRC,   2,  0,      17, RTE_FLOW_ITEM_TYPE_UDP},
    {FieldId::kUdpDst,  RTE_FLOW_ACTION_TYPE_SET_TP_DST,   2,  0,      17, RTE_FLOW_ITEM_TYPE_UDP},
});
// clang-format on

/// Actions that are no plain rewrite of a field.
enum class IrregularAction : std::uint8_t {
  kDecTtlIpv4,
  kDecTtlIpv6,
  kPopVlan,
  kPushVlan,
  kSetVlanVid,
  kSetVlanPcp,
  kCount,
};
inline constexpr std::size_t kActionRowCount =
    kRewriteRows.size() + static_cast<std::size_t>(IrregularAction::kCount);

[[nodiscard]] constexpr std::size_t row_index(IrregularAction row) noexcept {
  return kRewriteRows.size() + static_cast<std::size_t>(row);
}

/// One action by value.
struct HwAction {
  rte_flow_action_type type = RTE_FLOW_ACTION_TYPE_END;
  bool has_conf = false;
  alignas(8) std::array<std::uint8_t, 16> conf{};
  bool operator==(const HwAction&) const = default;
};

/// A list of actions by value.
struct HwActions {
  static constexpr std::size_t kMax = 20;
  std::array<HwAction, kMax> list{};
  std::uint8_t count = 0;

  /// Whether there was room.
  bool add(rte_flow_action_type type) noexcept {
    if (count == kMax) return false;
    list[count++] = HwAction{.type = type};
    return true;
  }
  /// `conf`: the action's structure, of at most 16 bytes, without pointers.
  template <class Conf>
  bool add(rte_flow_action_type type, const Conf& conf) noexcept {
    static_assert(sizeof(Conf) <= sizeof(HwAction::conf));
    if (!add(type)) return false;
    list[count - 1].has_conf = true;
    std::memcpy(list[count - 1].conf.data(), &conf, sizeof conf);
    return true;
  }
  bool operator==(const HwActions&) const = default;
};

}  // namespace hoist::offload

// SPDX-License-Identifier: BSD-3-Clause
#include "install/hw_text.hpp"

#include <rte_flow.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <span>
#include <utility>

#include "translate/match_rows.hpp"

namespace hoist::offload {
namespace {

using Bytes = std::span<const std::uint8_t>;

/// DPDK's name of an item or action.
std::string name(rte_flow_conv_op op, int type) {
  const char* text = nullptr;
  rte_flow_error error{};
  const auto* number = reinterpret_cast<const void*>(static_cast<std::uintptr_t>(type));
  if (rte_flow_conv(op, static_cast<void*>(&text), sizeof text, number, &error) <= 0 ||
      text == nullptr) {
    return std::string("#").append(std::to_string(type));
  }
  return text;
}

std::string hex(Bytes bytes) {
  std::string out;
  for (const std::uint8_t byte : bytes) {
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", byte);
    out += digits.data();
  }
  return out;
}

bool is_zero(Bytes bytes) {
  return std::ranges::all_of(bytes, [](std::uint8_t b) { return b == 0; });
}

std::string value_text(Bytes value, Bytes mask) {
  const bool is_full = std::ranges::all_of(mask, [](std::uint8_t b) { return b == 0xff; });
  std::string out("=");
  out.append(hex(value));
  if (!is_full) out.append("/").append(hex(mask));
  return out;
}

std::string port_text(const HwItem& item) {
  if (is_zero(item.mask)) return "";
  std::uint32_t id = 0;
  std::memcpy(&id, item.spec.data(),
              item.type == RTE_FLOW_ITEM_TYPE_PORT_ID ? sizeof id : sizeof(std::uint16_t));
  return std::string(" ").append(std::to_string(id));
}

std::string item_text(HwItem item) {
  std::string out = name(RTE_FLOW_CONV_OP_ITEM_NAME_PTR, item.type);
  for (const MatchRow& row : kMatchRows) {
    if (row.item != item.type) continue;
    const std::span mask = std::span(item.mask).subspan(row.item_offset, row.bytes);
    if (is_zero(mask)) continue;
    out.append(" ").append(field(row.field).name);
    out += value_text(std::span(item.spec).subspan(row.item_offset, row.bytes), mask);
    std::ranges::fill(mask, std::uint8_t{0});
  }
  for (std::size_t at = 0; at < item.mask.size();) {
    std::size_t end = at;
    while (end < item.mask.size() && item.mask[end] != 0) ++end;
    if (end == at) {
      ++at;
      continue;
    }
    out.append(" +").append(std::to_string(at));
    out.append(value_text(std::span(item.spec).subspan(at, end - at),
                          std::span(item.mask).subspan(at, end - at)));
    at = end;
  }
  return out;
}

template <class Conf>
Conf conf_of(const HwAction& action) {
  Conf conf{};
  std::memcpy(&conf, action.conf.data(), sizeof conf);
  return conf;
}

std::string numbered(std::string name, std::uint32_t number) {
  return name.append(" ").append(std::to_string(number));
}

std::string action_text(const HwAction& action) {
  std::string out = name(RTE_FLOW_CONV_OP_ACTION_NAME_PTR, action.type);
  switch (action.type) {
    case RTE_FLOW_ACTION_TYPE_JUMP:
      return numbered(std::move(out), conf_of<rte_flow_action_jump>(action).group);
    case RTE_FLOW_ACTION_TYPE_MARK:
      return numbered(std::move(out), conf_of<rte_flow_action_mark>(action).id);
    case RTE_FLOW_ACTION_TYPE_QUEUE:
      return numbered(std::move(out), conf_of<rte_flow_action_queue>(action).index);
    case RTE_FLOW_ACTION_TYPE_PORT_ID:
      return numbered(std::move(out), conf_of<rte_flow_action_port_id>(action).id);
    case RTE_FLOW_ACTION_TYPE_REPRESENTED_PORT:
    case RTE_FLOW_ACTION_TYPE_PORT_REPRESENTOR:
      return numbered(std::move(out), conf_of<rte_flow_action_ethdev>(action).port_id);
    default:
      break;
  }
  const auto row = std::ranges::find(kRewriteRows, action.type, &RewriteRow::action);
  if (row != kRewriteRows.end())
    out.append(" ").append(hex(std::span(action.conf).first(row->bytes)));
  return out;
}

}  // namespace

std::string hw_text(const HwRule& rule) {
  std::string out = numbered(numbered("group", rule.group).append(" priority"), rule.priority);
  out.append(rule.is_transfer ? " transfer: " : ": ");
  const char* separator = "";
  for (const HwItem& item : rule.match.items) {
    if (item.type == RTE_FLOW_ITEM_TYPE_VOID) continue;
    const bool is_port = &item == &rule.match.at(Layer::kPort);
    const std::string text = is_port
                                 ? name(RTE_FLOW_CONV_OP_ITEM_NAME_PTR, item.type) + port_text(item)
                                 : item_text(item);
    out.append(separator).append(text);
    separator = " / ";
  }
  separator = " -> ";
  for (const HwAction& action : std::span(rule.actions.list).first(rule.actions.count)) {
    out.append(separator).append(action_text(action));
    separator = ", ";
  }
  return out;
}

}  // namespace hoist::offload

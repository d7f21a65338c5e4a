// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include "item_table.hpp"
#include "nic.hpp"

namespace emulated_nic {
namespace {

void append(std::string& text, const char* format, auto... values) {
  char buffer[96];
  std::snprintf(buffer, sizeof buffer, format, values...);
  text += buffer;
}

void append_bytes(std::string& text, const std::uint8_t* bytes, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) append(text, "%02x", bytes[i]);
}

bool has_bits(const Fields& mask, const ItemField& field) {
  for (std::size_t i = 0; i < field.size; ++i) {
    if (*mask.at(field.slot + i) != 0) return true;
  }
  return false;
}

/// Whether the slots of `row` mean `row` here: IPv4 and IPv6, say, share theirs.
bool is_item(const ItemRow& row, std::uint32_t presence) {
  if (row.type == RTE_FLOW_ITEM_TYPE_PORT_ID) return false;  // Shown as represented_port.
  return (presence & row.presence) == row.presence;
}

std::string describe_pattern(const Fields& value, const Fields& mask) {
  std::string text;
  const auto presence = value.get<std::uint32_t>(slot::kPresence);
  if (mask.get<std::uint32_t>(slot::kPresence) != 0) {
    append(text, " layers=%x/%x", presence, mask.get<std::uint32_t>(slot::kPresence));
  }
  for (const ItemField& field : item_fields()) {
    const ItemRow& row = *find_item(field.item);
    if (!is_item(row, presence) || !has_bits(mask, field)) continue;
    append(text, " %s.%s=", row.name.data(), field.name.data());
    append_bytes(text, value.at(field.slot), field.size);
    text += '/';
    append_bytes(text, mask.at(field.slot), field.size);
  }
  return text.empty() ? " any" : text;
}

struct OpName {
  OpKind kind;
  const char* name;
};
constexpr OpName kOpNames[] = {
    {OpKind::kDrop, "drop"},
    {OpKind::kQueue, "queue"},
    {OpKind::kRss, "rss"},
    {OpKind::kJump, "jump"},
    {OpKind::kPort, "port"},
    {OpKind::kRepresentor, "port_representor"},
    {OpKind::kCount, "count"},
    {OpKind::kSharedCount, "shared_count"},
    {OpKind::kSharedAge, "shared_age"},
    {OpKind::kAge, "age"},
    {OpKind::kMark, "mark"},
    {OpKind::kFlag, "flag"},
    {OpKind::kSetMeta, "set_meta"},
    {OpKind::kSetTag, "set_tag"},
    {OpKind::kMeter, "meter"},
    {OpKind::kSample, "sample"},
    {OpKind::kPopVlan, "of_pop_vlan"},
    {OpKind::kPushVlan, "of_push_vlan"},
    {OpKind::kSetVlanVid, "of_set_vlan_vid"},
    {OpKind::kSetVlanPcp, "of_set_vlan_pcp"},
    {OpKind::kSetMacSrc, "set_mac_src"},
    {OpKind::kSetMacDst, "set_mac_dst"},
    {OpKind::kSwapMac, "mac_swap"},
    {OpKind::kSetIpv4Src, "set_ipv4_src"},
    {OpKind::kSetIpv4Dst, "set_ipv4_dst"},
    {OpKind::kSetIpv6Src, "set_ipv6_src"},
    {OpKind::kSetIpv6Dst, "set_ipv6_dst"},
    {OpKind::kSetTpSrc, "set_tp_src"},
    {OpKind::kSetTpDst, "set_tp_dst"},
    {OpKind::kSetTtl, "set_ttl"},
    {OpKind::kDecTtl, "dec_ttl"},
    {OpKind::kSetIpv4Dscp, "set_ipv4_dscp"},
    {OpKind::kSetIpv6Dscp, "set_ipv6_dscp"},
    {OpKind::kModify, "modify_field"},
};

std::string describe_op(const Op& op) {
  std::string text = " ";
  for (const OpName& known : kOpNames) {
    if (known.kind == op.kind) text += known.name;
  }
  switch (op.kind) {
    case OpKind::kQueue:
    case OpKind::kPort:
    case OpKind::kRepresentor:
    case OpKind::kSetVlanVid:
    case OpKind::kSetVlanPcp:
      append(text, "=%u", op.port);
      break;
    case OpKind::kJump:
    case OpKind::kMark:
    case OpKind::kMeter:
    case OpKind::kSetMeta:
    case OpKind::kSetTag:
      append(text, "=%u", op.number);
      break;
    case OpKind::kPushVlan:
      append(text, "=%04x", op.port);
      break;
    case OpKind::kSetTtl:
    case OpKind::kSetIpv4Dscp:
    case OpKind::kSetIpv6Dscp:
      append(text, "=%u", op.bytes[0]);
      break;
    default:
      break;
  }
  return text;
}

}  // namespace

std::string Nic::describe(const Rule& rule) const {
  std::string text;
  append(text, "port %u %s group %u priority %u:", rule.port,
         rule.is_transfer ? "transfer" : "ingress", rule.group->id(), rule.priority);
  text += describe_pattern(rule.shape->value_of(rule), rule.shape->mask());
  text += " =>";
  for (const Op& op : rule.program.ops) text += describe_op(op);
  append(text, " (%llu packets, %llu bytes)\n",
         static_cast<unsigned long long>(rule.hits.packets.load(std::memory_order_relaxed)),
         static_cast<unsigned long long>(rule.hits.bytes.load(std::memory_order_relaxed)));
  return text;
}

Answer<std::string> Nic::dump(std::uint16_t port_id, rte_flow* flow) {
  const std::lock_guard guard(api_);
  if (flow != nullptr) {
    auto rule = find(port_id, reinterpret_cast<std::uintptr_t>(flow));
    if (!rule) return tl::unexpected(rule.error());
    if (auto present = check_present(**rule); !present) return tl::unexpected(present.error());
    return describe(**rule);
  }
  std::string text;
  rules_.for_each([&](std::uint64_t, Rule& rule) {
    if (rule.port == port_id) text += describe(rule);
  });
  return text;
}

std::string Nic::books_json() {
  const std::lock_guard guard(api_);
  std::string text = "{\"profile\": \"" + profile_.name + "\"";
  append(text, ", \"rules\": %zu, \"counters\": %llu, \"indirect_actions\": %zu",
         static_cast<std::size_t>(active_count_), static_cast<unsigned long long>(counter_count_),
         indirects_.size());
  books_.for_each([&](const char* name, const Books::Count& counter) {
    append(text, ", \"%s\": %llu", name,
           static_cast<unsigned long long>(counter.load(std::memory_order_relaxed)));
  });
  text += ", \"groups\": [";
  const char* separator = "";
  const auto add = [&](const char* domain, int port, const Group& group) {
    if (group.size() == 0) return;
    append(text, "%s{\"domain\": \"%s\", ", separator, domain);
    if (port >= 0) append(text, "\"port\": %d, ", port);
    append(text, "\"group\": %u, \"rules\": %llu, \"masks\": %zu}", group.id(),
           static_cast<unsigned long long>(group.size()), group.shape_count());
    separator = ", ";
  };
  for (const auto& [id, group] : transfer_) add("transfer", -1, *group);
  for (std::uint16_t i = 0; i < RTE_MAX_ETHPORTS; ++i) {
    for (const auto& [id, group] : ports_[i].ingress) add("ingress", i, *group);
  }
  return text + "]}";
}

}  // namespace emulated_nic

// SPDX-License-Identifier: BSD-3-Clause
#include "nic/report.hpp"

#include <rte_ethdev.h>
#include <rte_mtr.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "translate/field_name.hpp"

namespace hoist::offload {
namespace {

constexpr std::array<std::string_view, kIrregularCount> kIrregularMatches = {
    "eth_type",
    "vlan",
    "vlan_vid",
    "vlan_pcp",
    "eth_type behind a tag",
    "ip_frag",
    "ip without options",
    "ipv6 nw_tos",
    "ipv6_label",
    "nd_target",
    "mpls_label"};
constexpr std::array<std::string_view, static_cast<std::size_t>(IrregularAction::kCount)>
    kIrregularActions = {"dec_ttl (ipv4)", "dec_ttl (ipv6)", "pop_vlan",
                         "push_vlan",      "set_vlan_vid",   "set_vlan_pcp"};

/// "nw_proto" of IPv4 and of IPv6 are two rows.
std::string row_name(FieldId id, std::uint16_t eth_type) {
  std::string name(field(id).name);
  const bool says_itself = name.starts_with("ipv6") || name.starts_with("icmpv6");
  return eth_type == kEthIpv6 && !says_itself ? "ipv6 " + name : name;
}

std::vector<std::string> matches(const Capabilities& c) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < kMatchRowCount; ++i) {
    if (!c.match_exact.test(i) && !c.match_masked.test(i)) continue;
    const bool is_regular = i < kMatchRows.size();
    out.push_back(is_regular ? row_name(kMatchRows[i].field, kMatchRows[i].eth_type)
                             : std::string(kIrregularMatches[i - kMatchRows.size()]));
    if (is_regular && c.match_masked.test(i)) out.back() += "/mask";
  }
  return out;
}

std::vector<std::string> actions(const Capabilities& c) {
  std::vector<std::string> out;
  if (c.has(Feature::kDrop)) out.emplace_back("drop");
  if (c.output_port != PortOutput::kNone) out.emplace_back("output");
  if (c.has(Feature::kGroups)) out.emplace_back("goto_table");
  for (std::size_t i = 0; i < kActionRowCount; ++i) {
    if (!c.actions.test(i)) continue;
    const bool is_regular = i < kRewriteRows.size();
    out.push_back(is_regular ? "set " + row_name(kRewriteRows[i].field, kRewriteRows[i].eth_type)
                             : std::string(kIrregularActions[i - kRewriteRows.size()]));
  }
  return out;
}

std::vector<std::string> hazards(const Capabilities& c) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < c.admissible.size(); ++i) {
    if (!c.admissible.test(i)) continue;
    std::string name(hazard_name(HazardSet{}.set(i)));
    if (std::ranges::find(out, name) == out.end()) out.push_back(std::move(name));
  }
  return out;
}

std::string_view punt_name(Punt punt) {
  switch (punt) {
    case Punt::kQueue:
      return "QUEUE";
    case Punt::kRss:
      return "RSS";
    case Punt::kPortRepresentor:
      return "PORT_REPRESENTOR";
    case Punt::kEmptyGroup:
      return "a miss in the embedded switch";
    case Punt::kNone:
      break;
  }
  return "";
}

std::string why_useless(const Capabilities& c) {
  if (c.is_usable()) return "";
  if (!c.has(Feature::kDrop) && !c.has(Feature::kCount) && !c.has(Feature::kToSoftware)) {
    return "the driver takes no rules";
  }
  if (!c.has(Feature::kCount)) return "it cannot count what a rule carries";
  if (!c.has(Feature::kToSoftware)) return "no rule of it can hand a packet to software";
  return "it has fewer than 4 priorities";
}

std::uint32_t meter_max(EthdevId ethdev) {
  rte_mtr_capabilities limits{};
  rte_mtr_error error{};
  return rte_mtr_capabilities_get(to_integer(ethdev), &limits, &error) == 0 ? limits.n_max : 0;
}

}  // namespace

NicReport report(const PortIdentity& identity, const Capabilities& c) {
  NicReport out{.takes_rules = c.is_usable(),
                .why_not = why_useless(c),
                .domain_id = identity.domain_id,
                .proxy = c.has(Feature::kTransfer) ? identity.proxy : identity.ethdev,
                .is_switch = c.has(Feature::kTransfer)};
  out.meter_max = meter_max(out.proxy);
  if (!out.takes_rules) return out;
  out.group_count = c.group_count;
  out.priority_count = c.has(Feature::kGroups) ? c.priority_count : c.root_priority_count;
  out.mark_max = c.mark_max;
  out.hands_over_by = punt_name(c.punt);
  out.matches = matches(c);
  if (c.match_port != PortMatch::kNone) out.matches.insert(out.matches.begin(), "in_port");
  out.actions = actions(c);
  out.keeps_out = hazards(c);
  return out;
}

NicReport::Port describe_port(const PortStatus& port) {
  NicReport::Port out{
      .number = port.number, .ethdev = port.ethdev, .name = port.name, .driver = port.driver};
  std::array<char, 64> firmware{};
  if (rte_eth_dev_fw_version_get(to_integer(port.ethdev), firmware.data(), firmware.size()) == 0) {
    out.firmware = firmware.data();
  }
  rte_eth_dev_info info{};
  out.is_representor = rte_eth_dev_info_get(to_integer(port.ethdev), &info) == 0 &&
                       info.dev_flags != nullptr &&
                       (*info.dev_flags & RTE_ETH_DEV_REPRESENTOR) != 0;
  return out;
}

}  // namespace hoist::offload

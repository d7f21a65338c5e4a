// SPDX-License-Identifier: BSD-3-Clause
// Which rows of matches a port takes, with a full mask and with a part of one.
#include <algorithm>

#include "nic/question.hpp"
#include "translate/admission.hpp"
#include "translate/match_rows.hpp"

namespace hoist::offload {
namespace {

HwMatch base(std::uint16_t eth_type) {
  HwMatch match = Question::any();
  if (eth_type == 0) return match;
  const Be16 type{eth_type};
  const Be16 all{0xffff};
  match.put(Layer::kEth, offsetof(rte_flow_item_eth, hdr.ether_type), &type, &all, 2);
  return match;
}

HwMatch with_l3(std::uint16_t eth_type) {
  HwMatch match = base(eth_type);
  if (eth_type == kEthIpv4) match.need(Layer::kL3, RTE_FLOW_ITEM_TYPE_IPV4);
  if (eth_type == kEthIpv6) match.need(Layer::kL3, RTE_FLOW_ITEM_TYPE_IPV6);
  return match;
}

/// `mask`: of the row's bytes. Values are 0, which every field can have.
bool takes(const Question& question, const MatchRow& row, std::span<const std::uint8_t> mask) {
  const bool needs_ip = row.layer == Layer::kL4 && row.eth_type == 0;
  HwMatch match = with_l3(needs_ip ? kEthIpv4 : row.eth_type);
  constexpr std::array<std::uint8_t, 16> kZero{};
  match.need(row.layer, row.item);
  match.put(row.layer, row.item_offset, kZero.data(), mask.data(), mask.size());
  return question.ask(match);
}

void probe_rows(const Question& question, Capabilities& out) {
  for (std::size_t i = 0; i < kMatchRows.size(); ++i) {
    const MatchRow& row = kMatchRows[i];
    std::array<std::uint8_t, 16> full;
    full.fill(0xff);
    std::array<std::uint8_t, 16> part = full;
    part[row.bytes - 1u] = 0xf0;
    if (row.field == FieldId::kTcpFlags) {
      full = {0x0f, 0xff};
      part = {0x00, 0x12};
    }
    out.match_exact[i] = takes(question, row, std::span(full).first(row.bytes));
    out.match_masked[i] = takes(question, row, std::span(part).first(row.bytes));
  }
}

/// Asks for `bits` of a 16- or 32-bit word at `offset`, in whole and in part.
template <class Word>
void irregular(const Question& question, Capabilities& out, IrregularRow row, HwMatch match,
               Layer layer, std::size_t offset, Word full, Word part) {
  const Word zero{};
  HwMatch exact = match;
  exact.put(layer, offset, &zero, &full, sizeof full);
  out.match_exact[row_index(row)] = question.ask(exact);
  match.put(layer, offset, &zero, &part, sizeof part);
  out.match_masked[row_index(row)] = question.ask(match);
}

void probe_irregular(const Question& question, Capabilities& out) {
  irregular(question, out, IrregularRow::kEthType, base(0), Layer::kEth,
            offsetof(rte_flow_item_eth, hdr.ether_type), Be16{0xffff}, Be16{0xff00});
  HwMatch vlan = base(0);
  vlan.need(Layer::kVlan, RTE_FLOW_ITEM_TYPE_VLAN);
  out.match_exact[row_index(IrregularRow::kVlan)] = question.ask(vlan);
  constexpr std::size_t kTci = offsetof(rte_flow_item_vlan, hdr.vlan_tci);
  irregular(question, out, IrregularRow::kVlanVid, vlan, Layer::kVlan, kTci, Be16{0x0fff},
            Be16{0x00ff});
  irregular(question, out, IrregularRow::kVlanPcp, vlan, Layer::kVlan, kTci, Be16{0xe000},
            Be16{0x8000});
  irregular(question, out, IrregularRow::kVlanType, vlan, Layer::kVlan,
            offsetof(rte_flow_item_vlan, hdr.eth_proto), Be16{0xffff}, Be16{0xff00});
  irregular(question, out, IrregularRow::kIpv4Frag, with_l3(kEthIpv4), Layer::kL3,
            offsetof(rte_ipv4_hdr, fragment_offset), Be16{0x3fff}, Be16{0x2000});
  irregular(question, out, IrregularRow::kIpv4Ihl, with_l3(kEthIpv4), Layer::kL3,
            offsetof(rte_ipv4_hdr, version_ihl), std::uint8_t{0xff}, std::uint8_t{0x0f});
  irregular(question, out, IrregularRow::kIpv6Tos, with_l3(kEthIpv6), Layer::kL3,
            offsetof(rte_ipv6_hdr, vtc_flow), Be32{0x0ff00000}, Be32{0x0fc00000});
  irregular(question, out, IrregularRow::kIpv6Label, with_l3(kEthIpv6), Layer::kL3,
            offsetof(rte_ipv6_hdr, vtc_flow), Be32{0x000fffff}, Be32{0x000000ff});
  HwMatch nd = with_l3(kEthIpv6);
  nd.need(Layer::kL4, RTE_FLOW_ITEM_TYPE_ICMP6_ND_NS);
  irregular(question, out, IrregularRow::kNdTarget, nd, Layer::kL4,
            offsetof(rte_flow_item_icmp6_nd_ns, target_addr) + 12, Be32{0xffffffff},
            Be32{0xffffff00});
  HwMatch mpls = base(kEthMpls);
  mpls.need(Layer::kL3, RTE_FLOW_ITEM_TYPE_MPLS);
  irregular(question, out, IrregularRow::kMpls, mpls, Layer::kL3, 0, Be32{0xffffffff},
            Be32{0xfffff000});
}

void probe_tags(const Question& question, Capabilities& out) {
  rte_flow_item_eth has{};
  has.has_vlan = 1;
  HwMatch eth = base(0);
  eth.put(Layer::kEth, 0, &has, &has, sizeof has);
  out.set(Feature::kMatchHasVlan, question.ask(eth));
  rte_flow_item_vlan more{};
  more.has_more_vlan = 1;
  HwMatch vlan = base(0);
  vlan.need(Layer::kVlan, RTE_FLOW_ITEM_TYPE_VLAN);
  vlan.put(Layer::kVlan, 0, &more, &more, sizeof more);
  out.set(Feature::kMatchMoreVlan, question.ask(vlan));
}

/// A hazard can be kept out if all rows that keep it out are taken.
void probe_hazards(const Question& question, Capabilities& out) {
  const bool has_groups = out.has(Feature::kGroups);
  HwActions go_on;
  if (has_groups) {
    go_on.add(RTE_FLOW_ACTION_TYPE_JUMP, rte_flow_action_jump{.group = 2});
  } else {
    go_on = question.fate();
  }
  for (std::size_t i = 0; i < out.admissible.size(); ++i) {
    HazardSet one;
    one.set(i);
    const bool is_tagged = static_cast<Hazard>(i) == Hazard::kTagged;
    const auto rows = admission_rows(one, is_tagged ? TagMode::kUntagged : TagMode::kSingle, out);
    const bool is_admissible = std::ranges::all_of(rows, [&](const AdmissionRow& row) {
      return question.ask(row.match, go_on, has_groups ? 1 : 0);
    });
    out.admissible.set(i, !rows.empty() && is_admissible);
  }
}

}  // namespace

void probe_matches(const Question& question, Capabilities& out) {
  probe_rows(question, out);
  probe_irregular(question, out);
  probe_tags(question, out);
  probe_hazards(question, out);
}

}  // namespace hoist::offload

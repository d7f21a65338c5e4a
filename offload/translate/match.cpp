// SPDX-License-Identifier: BSD-3-Clause
#include "translate/match.hpp"

#include <optional>

#include "translate/field_name.hpp"
#include "translate/match_builder.hpp"

namespace hoist::offload {
namespace {

constexpr std::uint16_t kEthTypeMin = 0x0600;

/// Puts the EtherType where the form of packet has it.
HwMatch shaped(const MatchBuilder& builder, TagForm form) {
  HwMatch pattern = builder.pattern;
  pattern.need(Layer::kEth, RTE_FLOW_ITEM_TYPE_ETH);
  const Be16 type{builder.eth_type};
  const Be16 all{0xffff};
  if (form == TagForm::kTagged) {
    pattern.need(Layer::kVlan, RTE_FLOW_ITEM_TYPE_VLAN);
    if (builder.eth_type != 0) {
      pattern.put(Layer::kVlan, offsetof(rte_flow_item_vlan, hdr.eth_proto), &type, &all, 2);
    }
  } else if (builder.eth_type != 0) {
    pattern.put(Layer::kEth, offsetof(rte_flow_item_eth, hdr.ether_type), &type, &all, 2);
  } else if (form == TagForm::kUntagged) {
    rte_flow_item_eth mask{};
    std::memcpy(&mask, pattern.at(Layer::kEth).mask.data(), sizeof mask);
    mask.has_vlan = 1;
    std::memcpy(pattern.at(Layer::kEth).mask.data(), &mask, sizeof mask);
  }
  return pattern;
}

void express_eth_type(MatchBuilder& builder) {
  if (builder.eth_type < kEthTypeMin) {  // 0, or 802.3 without SNAP
    builder.eth_type = 0;
    return;
  }
  const bool can_untagged = builder.can(IrregularRow::kEthType);
  const bool can_tagged = builder.can(IrregularRow::kVlan) && builder.can(IrregularRow::kVlanType);
  const bool needs_tagged =
      builder.tag == TagForm::kTagged ||
      (builder.tag == TagForm::kAgnostic && builder.context.tag_mode == TagMode::kSingle);
  const bool needs_untagged = builder.tag != TagForm::kTagged;
  if ((needs_untagged && !can_untagged) || (needs_tagged && !can_tagged)) {
    builder.eth_type = 0;
    return;
  }
  builder.left.mask.eth_type = Be16{0};
  add(builder.hazards, Hazard::kLength8023);
}

void add_needed(MatchBuilder& builder, NeededItems needed) {
  if (needed.l4 && !builder.pattern.has(Layer::kL4)) {
    const auto type = builder.ip_proto == 6    ? RTE_FLOW_ITEM_TYPE_TCP
                      : builder.ip_proto == 17 ? RTE_FLOW_ITEM_TYPE_UDP
                                               : RTE_FLOW_ITEM_TYPE_VOID;
    builder.pattern.need(Layer::kL4, type);
  }
  if ((needed.l3 || builder.pattern.has(Layer::kL4)) && !builder.pattern.has(Layer::kL3)) {
    builder.pattern.need(Layer::kL3, builder.eth_type == kEthIpv4 ? RTE_FLOW_ITEM_TYPE_IPV4
                                                                  : RTE_FLOW_ITEM_TYPE_IPV6);
  }
}

void add_layer_hazards(MatchBuilder& builder) {
  const rte_flow_item_type l3 = builder.pattern.at(Layer::kL3).type;
  const bool reads_l4 = builder.pattern.has(Layer::kL4);
  if (l3 == RTE_FLOW_ITEM_TYPE_IPV4) {
    add(builder.hazards, Hazard::kIpv4);
    if (reads_l4) add(builder.hazards, Hazard::kIpv4Fragment);
  } else if (l3 == RTE_FLOW_ITEM_TYPE_IPV6) {
    // Software's ip_proto is that behind the extension headers; the item's is the first.
    add(builder.hazards, Hazard::kIpv6);
    if (reads_l4 || builder.ip_proto != 0) add(builder.hazards, Hazard::kIpv6Extension);
  } else if (l3 == RTE_FLOW_ITEM_TYPE_ARP_ETH_IPV4) {
    add(builder.hazards, Hazard::kArp);
  }
  if (reads_l4 && !builder.has_l4_value) {
    const auto hazard = short_hazard(builder.eth_type == kEthIpv6, builder.ip_proto);
    if (hazard) add(builder.hazards, *hazard);
  }
}

/// The forms of packet that one pattern must be written for.
void add_forms(const MatchBuilder& builder, HwMatches& out) {
  if (builder.tag != TagForm::kAgnostic || builder.eth_type == 0) {
    out.forms[out.count++] = shaped(builder, builder.tag);
    // A VLAN item means exactly one tag to some NICs, at least one to others.
    if (builder.tag == TagForm::kTagged) add(out.hazards, Hazard::kDoubleTagged);
    return;
  }
  out.forms[out.count++] = shaped(builder, TagForm::kUntagged);
  if (builder.context.tag_mode == TagMode::kUntagged) {
    add(out.hazards, Hazard::kTagged);
  } else {
    out.forms[out.count++] = shaped(builder, TagForm::kTagged);
    add(out.hazards, Hazard::kDoubleTagged);
  }
}

std::optional<Refused> refuse_left(const MatchBuilder& builder, const Match& match) {
  const KeyWord* left = words(builder.left.mask);
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < kFlowKeyWords; ++i) any |= left[i];
  if (any == 0) return std::nullopt;
  return Refused{Refusal::kFieldUnsupported, "match: " + field_name(builder.left.mask, match) +
                                                 " has no hardware form on " +
                                                 builder.context.ports.label};
}

Match without(const Match& match, const FlowKey& left) {
  Match out = match;
  KeyWord* value = words(out.value);
  KeyWord* mask = words(out.mask);
  for (std::size_t i = 0; i < kFlowKeyWords; ++i) {
    mask[i] &= ~words(left)[i];
    value[i] &= mask[i];
  }
  return out;
}

/// Hazards that steering cannot keep away make a rule inexact. A guard widens until it has none:
/// first without L3 and L4, then without the EtherType.
std::optional<Refused> check_hazards(const HwMatches& matches, const Context& context) {
  const HazardSet open = matches.hazards & ~context.capabilities.admissible;
  if (open.none()) return std::nullopt;
  return Refused{Refusal::kFieldUnsupported, "match: " + std::string(hazard_name(open)) +
                                                 " cannot be kept apart on " + context.ports.label};
}

HwMatches finish(MatchBuilder& builder, const Match& match, NeededItems needed) {
  HwMatches out;
  out.is_never = builder.is_never;
  out.is_steered = builder.is_steered;
  out.matched = without(match, builder.left.mask);
  if (builder.is_steered) {
    add(out.hazards, builder.eth_type == kEthIpv4 ? Hazard::kIpv4Fragment : Hazard::kIpv6Extension);
    return out;
  }
  add_needed(builder, needed);
  add_layer_hazards(builder);
  out.hazards = builder.hazards;
  add_forms(builder, out);
  out.needs_tags = builder.tag == TagForm::kTagged;
  return out;
}

MatchBuilder express(const Match& match, const Context& context) {
  MatchBuilder builder{.context = context,
                       .left = match,
                       .eth_type = exact_eth_type(match),
                       .ip_proto = exact_ip_proto(match),
                       .tag = tag_form(match)};
  express_in_port(builder);
  express_pipeline_state(builder);
  express_eth_type(builder);
  express_vlan(builder);
  if (builder.left.mask.vlan_tci.wire() != 0) builder.tag = TagForm::kAgnostic;
  express_rows(builder);
  express_fragment(builder);
  express_ipv6_flow(builder);
  express_neighbor(builder);
  express_mpls(builder);
  return builder;
}

/// The match without all that depends on a hazard: in_port, addresses and the outer tag stay.
Match link_layer_only(const Match& match) {
  Match out;
  out.mask.in_port = match.mask.in_port;
  out.mask.eth_dst = match.mask.eth_dst;
  out.mask.eth_src = match.mask.eth_src;
  for (std::size_t i = 0; i < kFlowKeyWords; ++i) {
    words(out.value)[i] = words(match.value)[i] & words(out.mask)[i];
  }
  return out;
}

}  // namespace

std::uint16_t exact_eth_type(const Match& match) noexcept {
  return match.mask.eth_type.wire() == 0xffff ? match.value.eth_type.host() : std::uint16_t{0};
}

std::uint8_t exact_ip_proto(const Match& match) noexcept {
  const std::uint16_t eth_type = exact_eth_type(match);
  const bool is_ip = eth_type == kEthIpv4 || eth_type == kEthIpv6;
  return is_ip && match.mask.ip_proto == 0xff ? match.value.ip_proto : std::uint8_t{0};
}

std::variant<HwMatches, Refused> translate_match(const Match& match, const Context& context,
                                                 Precision precision, NeededItems needed) {
  MatchBuilder builder = express(match, context);
  if (precision == Precision::kExact) {
    const bool has_form = !builder.is_never && !builder.is_steered;
    if (auto refused = refuse_left(builder, match); refused && has_form) return *refused;
  }
  HwMatches out = finish(builder, match, needed);
  auto refused = check_hazards(out, context);
  if (!refused) return out;
  if (precision == Precision::kExact) return *refused;
  const Match wide = link_layer_only(match);
  MatchBuilder wide_builder = express(wide, context);
  out = finish(wide_builder, wide, {});
  out.is_never |= builder.is_never;
  return out;
}

}  // namespace hoist::offload

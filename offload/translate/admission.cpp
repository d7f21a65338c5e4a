// SPDX-License-Identifier: BSD-3-Clause
#include "translate/admission.hpp"

#include <array>
#include <optional>

#include "translate/match_rows.hpp"

namespace hoist::offload {
namespace {

enum Level : std::uint8_t { kBySelf, kWholeL4, kShortL4, kWholeL3, kBadL3, kRest };

constexpr std::array<std::uint8_t, 4> kIpv6Protocols = {6, 17, 58, 132};
constexpr std::array<std::uint8_t, 4> kIpv4Protocols = {6, 17, 1, 132};

rte_flow_item_type l4_item(std::uint8_t ip_proto) {
  switch (ip_proto) {
    case 6:
      return RTE_FLOW_ITEM_TYPE_TCP;
    case 17:
      return RTE_FLOW_ITEM_TYPE_UDP;
    case 132:
      return RTE_FLOW_ITEM_TYPE_SCTP;
    case 1:
      return RTE_FLOW_ITEM_TYPE_ICMP;
    default:
      return RTE_FLOW_ITEM_TYPE_ICMP6;
  }
}

/// Builds the rows of one form of packet: untagged, or with one tag.
class Rows {
 public:
  Rows(const HazardSet& hazards, bool is_tagged, const Capabilities& capabilities,
       std::vector<AdmissionRow>& out)
      : hazards_(hazards), is_tagged_(is_tagged), capabilities_(capabilities), out_(out) {}

  void length_8023() {
    if (has(Hazard::kLength8023)) add(typed(0, 0xf800), kBySelf, false);
  }

  void ipv4() {
    if (!has_any({Hazard::kIpv4, Hazard::kIpv4Fragment, Hazard::kShortTcp4, Hazard::kShortUdp4,
                  Hazard::kShortSctp4, Hazard::kShortIcmp4})) {
      return;
    }
    for (const std::uint8_t proto : kIpv4Protocols) short_l4(false, proto);
    add(whole_ipv4(), kWholeL3, true);
    add(typed(kEthIpv4, 0xffff), kBadL3, false);
  }

  void ipv6() {
    if (!has_any({Hazard::kIpv6, Hazard::kIpv6Extension, Hazard::kShortTcp6, Hazard::kShortUdp6,
                  Hazard::kShortSctp6, Hazard::kShortIcmp6})) {
      return;
    }
    for (const std::uint8_t proto : kIpv6Protocols) short_l4(true, proto);
    if (has(Hazard::kIpv6Extension)) {
      for (const std::uint8_t proto : kIpv6Protocols) {
        if (!is_short(true, proto)) add(with_proto(whole_ipv6(), true, proto), kWholeL3, true);
      }
    } else {
      add(whole_ipv6(), kWholeL3, true);
    }
    add(typed(kEthIpv6, 0xffff), kBadL3, false);
  }

  void arp() {
    if (!has(Hazard::kArp)) return;
    HwMatch whole = typed(kEthArp, 0xffff);
    whole.need(Layer::kL3, RTE_FLOW_ITEM_TYPE_ARP_ETH_IPV4);
    constexpr std::array<std::uint8_t, 6> kEthernetIpv4 = {0, 1, 8, 0, 6, 4};
    constexpr std::array<std::uint8_t, 6> kAll = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    whole.put(Layer::kL3, 0, kEthernetIpv4.data(), kAll.data(), kAll.size());
    add(whole, kWholeL3, true);
    add(typed(kEthArp, 0xffff), kBadL3, false);
  }

 private:
  [[nodiscard]] bool has(Hazard hazard) const { return contains(hazards_, hazard); }
  [[nodiscard]] bool has_any(std::initializer_list<Hazard> list) const {
    for (const Hazard hazard : list) {
      if (has(hazard)) return true;
    }
    return false;
  }
  [[nodiscard]] bool is_short(bool is_ipv6, std::uint8_t proto) const {
    const std::optional<Hazard> hazard = short_hazard(is_ipv6, proto);
    return hazard && has(*hazard);
  }
  void add(const HwMatch& match, Level level, bool goes_on) {
    out_.push_back(AdmissionRow{.match = match, .level = level, .goes_on = goes_on});
  }

  [[nodiscard]] HwMatch typed(std::uint16_t type, std::uint16_t mask) const {
    HwMatch match;
    const Be16 wire_type{type};
    const Be16 wire_mask{mask};
    match.need(Layer::kEth, RTE_FLOW_ITEM_TYPE_ETH);
    if (is_tagged_) {
      match.need(Layer::kVlan, RTE_FLOW_ITEM_TYPE_VLAN);
      match.put(Layer::kVlan, offsetof(rte_flow_item_vlan, hdr.eth_proto), &wire_type, &wire_mask,
                2);
    } else {
      match.put(Layer::kEth, offsetof(rte_flow_item_eth, hdr.ether_type), &wire_type, &wire_mask,
                2);
    }
    return match;
  }

  [[nodiscard]] HwMatch whole_ipv4() const {
    HwMatch match = typed(kEthIpv4, 0xffff);
    match.need(Layer::kL3, RTE_FLOW_ITEM_TYPE_IPV4);
    if (!has_any({Hazard::kIpv4Fragment, Hazard::kShortTcp4, Hazard::kShortUdp4,
                  Hazard::kShortSctp4, Hazard::kShortIcmp4})) {
      return match;
    }
    const Be16 none{0};
    const Be16 all{0x3fff};
    match.put(Layer::kL3, offsetof(rte_ipv4_hdr, fragment_offset), &none, &all, 2);
    if (capabilities_.match_exact.test(row_index(IrregularRow::kIpv4Ihl))) {
      const std::uint8_t ihl = 0x45;
      const std::uint8_t byte = 0xff;
      match.put(Layer::kL3, offsetof(rte_ipv4_hdr, version_ihl), &ihl, &byte, 1);
    }
    return match;
  }

  [[nodiscard]] HwMatch whole_ipv6() const {
    HwMatch match = typed(kEthIpv6, 0xffff);
    match.need(Layer::kL3, RTE_FLOW_ITEM_TYPE_IPV6);
    return match;
  }

  [[nodiscard]] static HwMatch with_proto(HwMatch match, bool is_ipv6, std::uint8_t proto) {
    const std::uint8_t all = 0xff;
    const std::size_t offset =
        is_ipv6 ? offsetof(rte_ipv6_hdr, proto) : offsetof(rte_ipv4_hdr, next_proto_id);
    match.put(Layer::kL3, offset, &proto, &all, 1);
    return match;
  }

  /// Packets with the whole header go on, others of the protocol do not.
  void short_l4(bool is_ipv6, std::uint8_t proto) {
    if (!is_short(is_ipv6, proto)) return;
    HwMatch whole = with_proto(is_ipv6 ? whole_ipv6() : whole_ipv4(), is_ipv6, proto);
    HwMatch any = whole;
    whole.need(Layer::kL4, l4_item(proto));
    add(whole, kWholeL4, true);
    add(any, kShortL4, false);
  }

  const HazardSet& hazards_;
  const bool is_tagged_;
  const Capabilities& capabilities_;
  std::vector<AdmissionRow>& out_;
};

/// "Has a tag", in whichever form the NIC has.
HwMatch tagged(const Capabilities& capabilities) {
  HwMatch match;
  match.need(Layer::kEth, RTE_FLOW_ITEM_TYPE_ETH);
  if (!capabilities.has(Feature::kMatchHasVlan)) {
    match.need(Layer::kVlan, RTE_FLOW_ITEM_TYPE_VLAN);
    return match;
  }
  rte_flow_item_eth bits{};
  bits.has_vlan = 1;
  match.put(Layer::kEth, 0, &bits, &bits, sizeof bits);
  return match;
}

HwMatch double_tagged() {
  HwMatch match;
  match.need(Layer::kEth, RTE_FLOW_ITEM_TYPE_ETH);
  match.need(Layer::kVlan, RTE_FLOW_ITEM_TYPE_VLAN);
  rte_flow_item_vlan bits{};
  bits.has_more_vlan = 1;
  match.put(Layer::kVlan, 0, &bits, &bits, sizeof bits);
  return match;
}

}  // namespace

std::vector<AdmissionRow> admission_rows(const HazardSet& hazards, TagMode mode,
                                         const Capabilities& capabilities) {
  std::vector<AdmissionRow> out;
  if (hazards.none()) return out;
  if (contains(hazards, Hazard::kTagged)) {
    out.push_back({.match = tagged(capabilities), .level = kBySelf, .goes_on = false});
  }
  if (contains(hazards, Hazard::kDoubleTagged)) {
    out.push_back({.match = double_tagged(), .level = kBySelf, .goes_on = false});
  }
  const bool has_tagged_form = mode == TagMode::kSingle || contains(hazards, Hazard::kDoubleTagged);
  for (int is_tagged = 0; is_tagged <= (has_tagged_form ? 1 : 0); ++is_tagged) {
    Rows rows(hazards, is_tagged != 0, capabilities, out);
    rows.length_8023();
    rows.ipv4();
    rows.ipv6();
    rows.arp();
  }
  HwMatch any;
  any.need(Layer::kEth, RTE_FLOW_ITEM_TYPE_ETH);
  if (capabilities.has(Feature::kGroups)) {
    out.push_back({.match = any, .level = kRest, .goes_on = true});
  } else {
    std::erase_if(out, [](const AdmissionRow& row) { return row.goes_on || row.level != kBySelf; });
  }
  return out;
}

}  // namespace hoist::offload

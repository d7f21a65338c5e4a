// SPDX-License-Identifier: BSD-3-Clause
#include "pattern.hpp"

#include <rte_byteorder.h>

#include "item_masks.h"
#include "item_table.hpp"

namespace emulated_nic {
namespace {

/// What stands so far, for the order of items.
enum Seen : std::uint32_t {
  kSeenEth = 1u << 0,
  kSeenVlan = 1u << 1,
  kSeenVlan2 = 1u << 2,
  kSeenIpv4 = 1u << 3,
  kSeenIpv6 = 1u << 4,
  kSeenOtherL3 = 1u << 5,  ///< ARP or MPLS.
  kSeenMpls2 = 1u << 6,
  kSeenIpv6Frag = 1u << 7,
  kSeenL4 = 1u << 8,
  kSeenIcmp6 = 1u << 9,
  kSeenNd = 1u << 10,
  kSeenPort = 1u << 11,
};
constexpr std::uint32_t kSeenAnyL3 = kSeenIpv4 | kSeenIpv6 | kSeenOtherL3;

class Compiler {
 public:
  Compiler(const Profile& profile, std::uint16_t port, const rte_flow_attr& attr)
      : profile_(profile), port_(port), attr_(attr) {}

  Answer<Pattern> compile(const rte_flow_item* items) {
    for (; items->type != RTE_FLOW_ITEM_TYPE_END; ++items) {
      if (items->type == RTE_FLOW_ITEM_TYPE_VOID) continue;
      item_ = items;
      if (auto done = add_item(); !done) return tl::unexpected(done.error());
    }
    if (attr_.transfer && (seen_ & kSeenPort) == 0 && !profile_.transfer_all_ports) {
      set_number(slot::kPort, port_, UINT32_MAX);
    }
    if (!profile_.vlan_optional && (seen_ & kSeenAnyL3) != 0) demand_vlan_count();
    return std::move(pattern_);
  }

 private:
  using Done = Answer<bool>;

  [[nodiscard]] tl::unexpected<Refused> no(int code, rte_flow_error_type type,
                                           const char* message) const {
    return refuse(code, type, item_, message);
  }

  Done add_item() {
    row_ = find_item(item_->type);
    if (row_ == nullptr || !profile_.items[item_index(*row_)]) {
      return no(ENOTSUP, RTE_FLOW_ERROR_TYPE_ITEM, "item not supported");
    }
    if (auto ordered = check_order(); !ordered) return ordered;
    if (item_->spec == nullptr && (item_->mask != nullptr || item_->last != nullptr)) {
      return no(EINVAL, RTE_FLOW_ERROR_TYPE_ITEM, "mask or last without spec");
    }
    spec_ = static_cast<const std::uint8_t*>(item_->spec);
    mask_ = static_cast<const std::uint8_t*>(
        item_->mask != nullptr ? item_->mask : default_item_mask(item_->type));
    item_value_ = {};
    item_mask_ = {};
    demand(row_->presence, row_->presence);
    if (spec_ != nullptr && mask_ == nullptr) mask_ = kNothing;
    if (auto done = add_by_type(); !done) return done;
    return merge();
  }

  Done add_by_type() {
    switch (item_->type) {
      case RTE_FLOW_ITEM_TYPE_ETH:
        return add_eth();
      case RTE_FLOW_ITEM_TYPE_VLAN:
        return add_vlan();
      case RTE_FLOW_ITEM_TYPE_IPV4:
        return add_ipv4();
      case RTE_FLOW_ITEM_TYPE_IPV6:
        return add_ipv6();
      case RTE_FLOW_ITEM_TYPE_IPV6_FRAG_EXT:
        return add_ipv6_frag();
      case RTE_FLOW_ITEM_TYPE_ARP_ETH_IPV4:
        return add_arp();
      case RTE_FLOW_ITEM_TYPE_MPLS:
        return add_mpls();
      case RTE_FLOW_ITEM_TYPE_MARK:
      case RTE_FLOW_ITEM_TYPE_META:
        return add_register(row_->slot);
      case RTE_FLOW_ITEM_TYPE_TAG:
        return add_tag();
      case RTE_FLOW_ITEM_TYPE_PORT_ID:
      case RTE_FLOW_ITEM_TYPE_REPRESENTED_PORT:
        return add_port();
      default:
        return add_header(row_->slot);
    }
  }

  /// Refuses an item that cannot stand here, and notes what it is.
  Done check_order() {
    switch (item_->type) {
      case RTE_FLOW_ITEM_TYPE_ETH:
        return follow(0, ~kSeenPort, kSeenEth);
      case RTE_FLOW_ITEM_TYPE_VLAN:
        if ((seen_ & kSeenVlan) != 0 && !profile_.vlan_optional) {
          return follow(kSeenVlan, kSeenVlan2 | kSeenAnyL3 | kSeenL4, kSeenVlan2);
        }
        return follow(kSeenEth, kSeenVlan | kSeenAnyL3 | kSeenL4, kSeenVlan);
      case RTE_FLOW_ITEM_TYPE_IPV4:
        return follow(l2(), kSeenAnyL3 | kSeenL4, kSeenIpv4);
      case RTE_FLOW_ITEM_TYPE_IPV6:
        return follow(l2(), kSeenAnyL3 | kSeenL4, kSeenIpv6);
      case RTE_FLOW_ITEM_TYPE_ARP_ETH_IPV4:
        return follow(l2(), kSeenAnyL3 | kSeenL4, kSeenOtherL3);
      case RTE_FLOW_ITEM_TYPE_MPLS:
        if ((seen_ & kSeenOtherL3) != 0) return follow(kSeenOtherL3, kSeenMpls2, kSeenMpls2);
        return follow(l2(), kSeenAnyL3 | kSeenL4, kSeenOtherL3);
      case RTE_FLOW_ITEM_TYPE_IPV6_FRAG_EXT:
        return follow(kSeenIpv6, kSeenIpv6Frag | kSeenL4, kSeenIpv6Frag);
      case RTE_FLOW_ITEM_TYPE_TCP:
      case RTE_FLOW_ITEM_TYPE_UDP:
      case RTE_FLOW_ITEM_TYPE_SCTP:
        return follow(kSeenIpv4 | kSeenIpv6, kSeenL4, kSeenL4);
      case RTE_FLOW_ITEM_TYPE_ICMP:
        return follow(kSeenIpv4, kSeenL4, kSeenL4);
      case RTE_FLOW_ITEM_TYPE_ICMP6:
        return follow(kSeenIpv6, kSeenL4, kSeenL4 | kSeenIcmp6);
      case RTE_FLOW_ITEM_TYPE_ICMP6_ND_NS:
      case RTE_FLOW_ITEM_TYPE_ICMP6_ND_NA:
        return follow(kSeenIpv6, kSeenNd, kSeenL4 | kSeenNd);
      case RTE_FLOW_ITEM_TYPE_ICMP6_ND_OPT_SLA_ETH:
      case RTE_FLOW_ITEM_TYPE_ICMP6_ND_OPT_TLA_ETH:
        return follow(kSeenNd, 0, 0);
      case RTE_FLOW_ITEM_TYPE_PORT_ID:
      case RTE_FLOW_ITEM_TYPE_REPRESENTED_PORT:
        return follow(0, kSeenPort, kSeenPort);
      default:
        return true;
    }
  }

  [[nodiscard]] std::uint32_t allowed_presence() const {
    return profile_.items[item_index(*row_)]->get<std::uint32_t>(slot::kPresence);
  }
  [[nodiscard]] std::uint32_t l2() const {
    return profile_.eth_optional ? 0u : std::uint32_t{kSeenEth};
  }

  /// `needed`: at least one of these must have been seen (0: none); `excluded`: none of these.
  Done follow(std::uint32_t needed, std::uint32_t excluded, std::uint32_t adds) {
    if (needed != 0 && (seen_ & needed) == 0) {
      return no(EINVAL, RTE_FLOW_ERROR_TYPE_ITEM, "item lacks the layer below it");
    }
    if ((seen_ & excluded) != 0) {
      return no(EINVAL, RTE_FLOW_ERROR_TYPE_ITEM, "item may not follow those before it");
    }
    seen_ |= adds;
    return true;
  }

  void demand(std::uint32_t bits, std::uint32_t values) {
    item_mask_.set(slot::kPresence, item_mask_.get<std::uint32_t>(slot::kPresence) | bits);
    const auto old = item_value_.get<std::uint32_t>(slot::kPresence);
    item_value_.set(slot::kPresence, (old & ~bits) | (values & bits));
  }
  /// A one-bit field of the item that stands for a presence bit.
  void demand_flag(bool is_asked, bool value, std::uint32_t bit) {
    if (is_asked) demand(bit, value ? bit : 0u);
  }
  void set_bytes(std::size_t to, const std::uint8_t* spec, const std::uint8_t* mask,
                 std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      *item_mask_.at(to + i) = mask[i];
      *item_value_.at(to + i) = static_cast<std::uint8_t>(spec[i] & mask[i]);
    }
  }
  void set_number(std::size_t to, std::uint32_t value, std::uint32_t mask) {
    pattern_.mask.set(to, mask);
    pattern_.value.set(to, value & mask);
  }

  Done no_range() const {
    if (item_->last == nullptr) return true;
    return no(ENOTSUP, RTE_FLOW_ERROR_TYPE_ITEM_LAST, "range not supported");
  }

  Done add_header(std::size_t to) {
    if (auto done = no_range(); !done || spec_ == nullptr) return done;
    set_bytes(to, spec_, mask_, row_->size);
    return true;
  }

  Done add_eth() {
    pattern_.matches_eth = true;
    if (auto done = add_header(slot::kEth); !done || spec_ == nullptr) return done;
    const auto* spec = reinterpret_cast<const rte_flow_item_eth*>(spec_);
    const auto* mask = reinterpret_cast<const rte_flow_item_eth*>(mask_);
    demand_flag(mask->has_vlan != 0, spec->has_vlan != 0, kTagged);
    pattern_.matches_vlan |= mask->has_vlan != 0 && spec->has_vlan != 0;
    is_qinq_ = (spec->type & mask->type) == RTE_BE16(0x88a8);
    return true;
  }

  Done add_vlan() {
    pattern_.matches_vlan = true;
    const bool is_second = (seen_ & kSeenVlan2) != 0;
    if (is_second) demand(kDoubleTagged, kDoubleTagged);
    bool wants_more = false;
    if (spec_ != nullptr) {
      if (auto done = add_header(is_second ? slot::kVlan2 : slot::kVlan); !done) return done;
      const auto* spec = reinterpret_cast<const rte_flow_item_vlan*>(spec_);
      const auto* mask = reinterpret_cast<const rte_flow_item_vlan*>(mask_);
      demand_flag(mask->has_more_vlan != 0, spec->has_more_vlan != 0, kDoubleTagged);
      wants_more = mask->has_more_vlan != 0 && spec->has_more_vlan != 0;
      if (mask->has_more_vlan != 0 && (allowed_presence() & kDoubleTagged) == 0) {
        return no(ENOTSUP, RTE_FLOW_ERROR_TYPE_ITEM_MASK, "has_more_vlan cannot be matched");
      }
    }
    // mlx5: one VLAN item means exactly one tag, unless the item or the TPID says there are more.
    if (profile_.vlan_optional && !is_qinq_ && !wants_more) demand(kDoubleTagged, 0);
    return true;
  }

  Done add_ipv4() {
    if (spec_ == nullptr) return no_range();
    const auto* spec = reinterpret_cast<const rte_flow_item_ipv4*>(spec_);
    const auto* mask = reinterpret_cast<const rte_flow_item_ipv4*>(mask_);
    const auto* last = static_cast<const rte_flow_item_ipv4*>(item_->last);
    set_bytes(slot::kL3, spec_, mask_, row_->size);
    if (mask->hdr.fragment_offset == 0) return no_range();
    return add_fragment({.spec = spec->hdr.fragment_offset,
                         .mask = mask->hdr.fragment_offset,
                         .last = last == nullptr ? rte_be16_t{0} : last->hdr.fragment_offset,
                         .full_mask = RTE_BE16(0x3fff),
                         .slot = slot::kL3 + 6});
  }

  Done add_ipv6() {
    if (auto done = add_header(slot::kL3); !done || spec_ == nullptr) return done;
    const auto* spec = reinterpret_cast<const rte_flow_item_ipv6*>(spec_);
    const auto* mask = reinterpret_cast<const rte_flow_item_ipv6*>(mask_);
    demand_flag(mask->has_hop_ext != 0, spec->has_hop_ext != 0, kIpv6HopExt);
    demand_flag(mask->has_route_ext != 0, spec->has_route_ext != 0, kIpv6RouteExt);
    demand_flag(mask->has_frag_ext != 0, spec->has_frag_ext != 0, kIpv6FragExt);
    demand_flag(mask->has_auth_ext != 0, spec->has_auth_ext != 0, kIpv6AuthExt);
    demand_flag(mask->has_esp_ext != 0, spec->has_esp_ext != 0, kIpv6EspExt);
    demand_flag(mask->has_dest_ext != 0, spec->has_dest_ext != 0, kIpv6DestExt);
    demand_flag(mask->has_mobil_ext != 0, spec->has_mobil_ext != 0, kIpv6MobilExt);
    demand_flag(mask->has_hip_ext != 0, spec->has_hip_ext != 0, kIpv6HipExt);
    demand_flag(mask->has_shim6_ext != 0, spec->has_shim6_ext != 0, kIpv6Shim6Ext);
    return true;
  }

  Done add_ipv6_frag() {
    if (spec_ == nullptr) return no_range();
    const auto* spec = reinterpret_cast<const rte_flow_item_ipv6_frag_ext*>(spec_);
    const auto* mask = reinterpret_cast<const rte_flow_item_ipv6_frag_ext*>(mask_);
    const auto* last = static_cast<const rte_flow_item_ipv6_frag_ext*>(item_->last);
    set_bytes(slot::kIpv6Frag, spec_, mask_, row_->size);
    if (mask->hdr.frag_data == 0) return no_range();
    return add_fragment({.spec = spec->hdr.frag_data,
                         .mask = mask->hdr.frag_data,
                         .last = last == nullptr ? rte_be16_t{0} : last->hdr.frag_data,
                         .full_mask = RTE_BE16(0xfff9),
                         .slot = slot::kIpv6Frag + 2});
  }

  struct FragmentMatch {
    rte_be16_t spec, mask, last, full_mask;
    std::size_t slot;
  };

  /// A NIC that cannot match the bits themselves takes two forms, both with a full mask: 0 is "not
  /// a fragment", and the range from 1 to all ones is "a fragment".
  Done add_fragment(const FragmentMatch& match) {
    const Fields& allowed = *profile_.items[item_index(*row_)];
    const bool takes_bits = allowed.get<std::uint16_t>(match.slot) != 0;
    if (takes_bits && item_->last == nullptr) return true;
    item_mask_.set(match.slot, std::uint16_t{0});
    item_value_.set(match.slot, std::uint16_t{0});
    if ((match.mask & match.full_mask) != match.full_mask) {
      return no(EINVAL, RTE_FLOW_ERROR_TYPE_ITEM_MASK, "fragment match needs the full mask");
    }
    if (item_->last == nullptr) {
      if ((match.spec & match.full_mask) != 0) {
        return no(ENOTSUP, RTE_FLOW_ERROR_TYPE_ITEM, "fragment match not supported for this value");
      }
      demand(kFragment, 0);
      return true;
    }
    if (match.spec != RTE_BE16(0x0001) || (match.last & match.full_mask) != match.full_mask) {
      return no(ENOTSUP, RTE_FLOW_ERROR_TYPE_ITEM_LAST, "fragment range not supported");
    }
    demand(kFragment, kFragment);
    return true;
  }

  Done add_arp() {
    if (auto done = no_range(); !done || spec_ == nullptr) return done;
    // DPDK's structure has padding that the wire does not.
    using Arp = rte_flow_item_arp_eth_ipv4;
    constexpr struct {
      std::size_t from, to, size;
    } kParts[] = {
        {0, 0, 8},
        {offsetof(Arp, sha), 8, 6},
        {offsetof(Arp, spa), 14, 4},
        {offsetof(Arp, tha), 18, 6},
        {offsetof(Arp, tpa), 24, 4},
    };
    for (const auto& part : kParts) {
      set_bytes(slot::kL3 + part.to, spec_ + part.from, mask_ + part.from, part.size);
    }
    return true;
  }

  Done add_mpls() {
    const bool is_second = (seen_ & kSeenMpls2) != 0;
    if (is_second) demand(kMplsDeep, kMplsDeep);
    return add_header(is_second ? slot::kMpls + 4 : slot::kMpls);
  }

  Done add_register(std::size_t to) {
    if (auto done = no_range(); !done) return done;
    if (spec_ == nullptr) return no(EINVAL, RTE_FLOW_ERROR_TYPE_ITEM_SPEC, "item needs a spec");
    if (item_->type == RTE_FLOW_ITEM_TYPE_MARK && attr_.transfer &&
        !profile_.mark_crosses_domains) {
      return no(ENOTSUP, RTE_FLOW_ERROR_TYPE_ITEM, "no MARK in transfer rules");
    }
    set_bytes(to, spec_, mask_, 4);
    return true;
  }

  Done add_tag() {
    if (auto done = no_range(); !done) return done;
    if (spec_ == nullptr) return no(EINVAL, RTE_FLOW_ERROR_TYPE_ITEM_SPEC, "item needs a spec");
    const auto* spec = reinterpret_cast<const rte_flow_item_tag*>(spec_);
    const auto* mask = reinterpret_cast<const rte_flow_item_tag*>(mask_);
    if (mask->index != 0xff) {
      return no(EINVAL, RTE_FLOW_ERROR_TYPE_ITEM_MASK, "TAG index needs the full mask");
    }
    if (spec->index >= profile_.tag_count) {
      return no(ENOTSUP, RTE_FLOW_ERROR_TYPE_ITEM_SPEC, "no such TAG");
    }
    set_bytes(slot::kTag + spec->index * 4u, spec_, mask_, 4);
    return true;
  }

  Done add_port() {
    if (!attr_.transfer) {
      return no(ENOTSUP, RTE_FLOW_ERROR_TYPE_ITEM, "port items are for transfer rules");
    }
    if (auto done = no_range(); !done || spec_ == nullptr) return done;
    std::uint32_t id;
    std::uint32_t mask;
    if (item_->type == RTE_FLOW_ITEM_TYPE_PORT_ID) {
      id = reinterpret_cast<const rte_flow_item_port_id*>(spec_)->id;
      mask = reinterpret_cast<const rte_flow_item_port_id*>(mask_)->id;
      if (mask != UINT32_MAX) mask &= 0xffff;
    } else {
      id = reinterpret_cast<const rte_flow_item_ethdev*>(spec_)->port_id;
      mask = reinterpret_cast<const rte_flow_item_ethdev*>(mask_)->port_id;
    }
    if ((mask & 0xffff) != 0xffff && mask != 0) {
      return no(ENOTSUP, RTE_FLOW_ERROR_TYPE_ITEM_MASK, "a port is matched whole or not at all");
    }
    if (mask != 0 && id >= RTE_MAX_ETHPORTS) {
      return no(EINVAL, RTE_FLOW_ERROR_TYPE_ITEM_SPEC, "no such port in the switch domain");
    }
    const std::uint32_t full = mask == 0 ? 0 : UINT32_MAX;
    item_mask_.set(slot::kPort, full);
    item_value_.set(slot::kPort, id & full);
    return true;
  }

  /// Without vlan_optional, layers follow each other as the pattern has them.
  void demand_vlan_count() {
    item_mask_ = {};
    item_value_ = {};
    const std::uint32_t values = (seen_ & kSeenVlan2) != 0  ? kTagged | kDoubleTagged
                                 : (seen_ & kSeenVlan) != 0 ? std::uint32_t{kTagged}
                                                            : 0;
    demand(kTagged | kDoubleTagged, values);
    combine();
  }

  /// Checks the item's mask against the profile's, then adds it to the pattern.
  Done merge() {
    Fields allowed = *profile_.items[item_index(*row_)];
    // What the item is, and what it implies, is no matter of the profile; a second VLAN or MPLS
    // item is allowed what the first is.
    constexpr std::uint32_t kImplied = kDoubleTagged | kMplsDeep;
    allowed.set(slot::kPresence, allowed_presence() | row_->presence |
                                     (item_->type == RTE_FLOW_ITEM_TYPE_ETH ? 0 : kImplied));
    for (std::size_t i = 0; i < 4; ++i) {
      if (row_->slot == slot::kVlan) *allowed.at(slot::kVlan2 + i) = *allowed.at(slot::kVlan + i);
      if (row_->slot == slot::kMpls)
        *allowed.at(slot::kMpls + 4 + i) = *allowed.at(slot::kMpls + i);
    }
    for (std::size_t i = 0; i < Fields::kWords; ++i) {
      if ((item_mask_.words[i] & ~allowed.words[i]) != 0) {
        return no(ENOTSUP, RTE_FLOW_ERROR_TYPE_ITEM_MASK, "mask has bits that cannot be matched");
      }
    }
    combine();
    return true;
  }

  void combine() {
    for (std::size_t i = 0; i < Fields::kWords; ++i) {
      pattern_.mask.words[i] |= item_mask_.words[i];
      pattern_.value.words[i] |= item_value_.words[i];
    }
  }

  static constexpr std::uint8_t kNothing[64] = {};

  const Profile& profile_;
  const std::uint16_t port_;
  const rte_flow_attr& attr_;
  Pattern pattern_;
  std::uint32_t seen_ = 0;
  bool is_qinq_ = false;
  // The item being added.
  const rte_flow_item* item_ = nullptr;
  const ItemRow* row_ = nullptr;
  const std::uint8_t* spec_ = nullptr;
  const std::uint8_t* mask_ = nullptr;
  Fields item_value_;
  Fields item_mask_;
};

}  // namespace

Answer<Pattern> compile_pattern(const Profile& profile, std::uint16_t port,
                                const rte_flow_attr& attr, const rte_flow_item* items) {
  if (items == nullptr) {
    return refuse(EINVAL, RTE_FLOW_ERROR_TYPE_ITEM_NUM, nullptr, "no pattern");
  }
  return Compiler(profile, port, attr).compile(items);
}

}  // namespace emulated_nic

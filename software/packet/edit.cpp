// SPDX-License-Identifier: BSD-3-Clause
#include "packet/edit.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "packet/checksum.hpp"
#include "packet/edit_room.hpp"
#include "packet/ipv6_extension.hpp"
#include "packet/neighbour.hpp"
#include "packet/wire.hpp"

namespace hoist::software {
namespace {

using namespace wire;

std::uint8_t* data_of(rte_mbuf& packet) noexcept {
  return rte_pktmbuf_mtod(&packet, std::uint8_t*);
}

/// Where a field lies in a frame: a big-endian integer of `bytes` bytes at `offset`, of which it is
/// the bits from `shift` up; and which checksums cover it.
struct Place {
  enum class Cover : std::uint8_t {
    kNone,
    kIpHeader,  ///< The IPv4 header alone.
    kAddress,   ///< The IPv4 header, if it is one, and layer 4's pseudo header.
    kLayer4,
  };
  std::size_t offset = 0;
  std::uint8_t bytes = 0;
  std::uint8_t shift = 0;
  Cover cover = Cover::kNone;
};
using Cover = Place::Cover;

std::optional<Place> locate_l2(const Layers& layers, const Field& field) noexcept {
  switch (field.id) {
    using enum FieldId;
    case kEthDst:
      return Place{.offset = 0, .bytes = 6};
    case kEthSrc:
      return Place{.offset = 6, .bytes = 6};
    case kEthType:
      if (layers.eth_type == kEthTypeNone) return std::nullopt;
      return Place{.offset = layers.l2_end - std::size_t{2}, .bytes = 2};
    case kVlanPcp:
      if (layers.vlan_count == 0) return std::nullopt;
      return Place{.offset = 14, .bytes = 2, .shift = field.shift};
    default:  // MPLS
      if (layers.mpls_count == 0) return std::nullopt;
      return Place{.offset = layers.l2_end, .bytes = 4, .shift = field.shift};
  }
}

std::optional<Place> locate_arp(const Layers& layers, const Field& field) noexcept {
  if (layers.l3_offset == Layers::kNone || !is_arp(layers.eth_type)) return std::nullopt;
  const std::size_t arp = layers.l3_offset;
  switch (field.id) {
    using enum FieldId;
    case kArpOp:
      return Place{.offset = arp + 6, .bytes = 2};
    case kArpSha:
      return Place{.offset = arp + 8, .bytes = 6};
    case kArpSpa:
      return Place{.offset = arp + 14, .bytes = 4};
    case kArpTha:
      return Place{.offset = arp + 18, .bytes = 6};
    default:  // arp_tpa
      return Place{.offset = arp + 24, .bytes = 4};
  }
}

std::optional<Place> locate_ip(const Layers& layers, const Field& field) noexcept {
  if (!layers.is_ip()) return std::nullopt;
  const std::size_t ip = layers.l3_offset;
  const bool is_v4 = layers.eth_type == kEthIpv4;
  const bool wants_v4 = field.prerequisite == Prerequisite::kIpv4;
  if (field.prerequisite != Prerequisite::kIp && wants_v4 != is_v4) return std::nullopt;
  switch (field.id) {
    using enum FieldId;
    case kNwSrc:
      return Place{.offset = ip + 12, .bytes = 4, .cover = Cover::kAddress};
    case kNwDst:
      return Place{.offset = ip + 16, .bytes = 4, .cover = Cover::kAddress};
    case kIpv6Src:
      return Place{.offset = ip + 8, .bytes = 16, .cover = Cover::kAddress};
    case kIpv6Dst: {
      // With segments left the pseudo header has the address in the routing header (RFC 8200, 8.1).
      const Cover cover = layers.has(Layers::kRoutePending) ? Cover::kNone : Cover::kAddress;
      return Place{.offset = ip + 24, .bytes = 16, .cover = cover};
    }
    case kIpv6Label:
      return Place{.offset = ip, .bytes = 4};
    case kIpTtl:
      return Place{.offset = ip + (is_v4 ? 8u : 7u), .bytes = 1, .cover = Cover::kIpHeader};
    default:  // ip_tos, ip_dscp, ip_ecn
      if (is_v4) {
        return Place{.offset = ip + 1, .bytes = 1, .shift = field.shift, .cover = Cover::kIpHeader};
      }
      return Place{.offset = ip, .bytes = 4, .shift = static_cast<std::uint8_t>(field.shift + 20)};
  }
}

std::optional<Place> locate_neighbour(rte_mbuf& packet, const Layers& layers,
                                      const Field& field) noexcept {
  const std::uint8_t* icmp = data_of(packet) + layers.l4_offset;
  if (field.prerequisite == Prerequisite::kNdSolicit && icmp[0] != kNdSolicit) return std::nullopt;
  if (field.prerequisite == Prerequisite::kNdAdvertise && icmp[0] != kNdAdvertise)
    return std::nullopt;
  const std::size_t readable =
      std::min<std::size_t>(layers.l4_size, packet.data_len - layers.l4_offset);
  const NeighbourOffsets found = find_neighbour(icmp, readable);
  const std::size_t at = field.id == FieldId::kNdTarget ? found.target
                         : field.id == FieldId::kNdSll  ? found.source_link
                                                        : found.target_link;
  if (at == 0) return std::nullopt;
  return Place{.offset = layers.l4_offset + at,
               .bytes = static_cast<std::uint8_t>(field.bytes),
               .cover = Cover::kLayer4};
}

std::optional<Place> locate_l4(rte_mbuf& packet, const Layers& layers, const Field& field,
                               std::uint8_t ip_proto) noexcept {
  if (!layers.has(Layers::kHasL4) || layers.ip_proto != ip_proto) return std::nullopt;
  const std::size_t l4 = layers.l4_offset;
  const bool is_first = field.offset == offsetof(FlowKey, tp_src);
  switch (ip_proto) {
    case kIpSctp:
      if (layers.has(Layers::kFragment)) return std::nullopt;
      [[fallthrough]];
    case kIpTcp:
    case kIpUdp:
      return Place{.offset = l4 + (is_first ? 0u : 2u), .bytes = 2, .cover = Cover::kLayer4};
    default:
      if (field.bytes != sizeof(FlowKey::tp_src)) return locate_neighbour(packet, layers, field);
      return Place{.offset = l4 + (is_first ? 0u : 1u), .bytes = 1, .cover = Cover::kLayer4};
  }
}

std::optional<Place> locate(rte_mbuf& packet, const Layers& layers, const Field& field) noexcept {
  switch (field.prerequisite) {
    case Prerequisite::kNone:
      if (field.offset >= kPacketWords * 8 || field.id == FieldId::kInPort) return std::nullopt;
      [[fallthrough]];
    case Prerequisite::kVlan:
    case Prerequisite::kMpls:
      return locate_l2(layers, field);
    case Prerequisite::kArp:
      return locate_arp(layers, field);
    case Prerequisite::kIp:
    case Prerequisite::kIpv4:
    case Prerequisite::kIpv6:
      return locate_ip(layers, field);
    case Prerequisite::kTcp:
      return locate_l4(packet, layers, field, kIpTcp);
    case Prerequisite::kUdp:
      return locate_l4(packet, layers, field, kIpUdp);
    case Prerequisite::kSctp:
      return locate_l4(packet, layers, field, kIpSctp);
    case Prerequisite::kIcmpv4:
      return locate_l4(packet, layers, field, kIpIcmp);
    default:  // ICMPv6 and neighbour discovery
      return locate_l4(packet, layers, field, kIpIcmpv6);
  }
}

void write_bits(std::uint8_t* at, const Place& place, const FieldValue& value,
                const FieldValue& mask) noexcept {
  if (place.bytes > 8) {
    for (std::size_t i = 0; i < 16; ++i) {
      at[i] = static_cast<std::uint8_t>((at[i] & ~mask[i]) | (value[i] & mask[i]));
    }
    return;
  }
  const std::uint64_t m = low64(mask) << place.shift;
  const std::uint64_t v = low64(value) << place.shift & m;
  for (std::size_t i = 0; i < place.bytes; ++i) {
    const std::size_t up = 8 * (place.bytes - 1 - i);
    at[i] = static_cast<std::uint8_t>((at[i] & ~(m >> up)) | (v >> up));
  }
}

/// Brings layer 4's checksum up to date. `is_pseudo`: what changed is in the pseudo header.
void update_l4(rte_mbuf& packet, const Layers& layers, const ChecksumDelta& delta,
               bool is_pseudo) noexcept {
  if (layers.l4_offset == Layers::kNone) return;
  std::uint8_t* l4 = data_of(packet) + layers.l4_offset;
  const bool is_v4 = layers.eth_type == kEthIpv4;
  const std::size_t there =
      std::min<std::size_t>(layers.l4_size, packet.data_len - layers.l4_offset);
  switch (layers.ip_proto) {
    case kIpTcp:
      if (there >= 18) delta.apply(l4 + 16);
      break;
    case kIpUdp:
    case kIpUdpLite:
      if (there >= 8) delta.apply_optional(l4 + 6);
      break;
    case kIpDccp:
      if (there >= 8) delta.apply(l4 + 6);
      break;
    case kIpIcmpv6:
      if (!is_v4 && there >= 4) delta.apply(l4 + 2);
      break;
    case kIpIcmp:
      if (is_v4 && !is_pseudo && there >= 4) delta.apply_nonzero(l4 + 2);
      break;
    default:
      break;
  }
}

// The ports are the first 4 bytes of an SCTP packet, its checksum bytes 8 to 11.
void update_sctp(std::uint8_t* sctp, const Layers& layers, const Place& place,
                 const std::uint8_t* before) noexcept {
  std::array<std::uint8_t, 4> difference{};
  const std::size_t first = place.offset - layers.l4_offset;
  for (std::size_t i = 0; i < 2; ++i) {
    difference[first + i] = static_cast<std::uint8_t>(before[i] ^ sctp[first + i]);
  }
  apply_crc32c(sctp + 8, difference.data(), layers.l4_size - std::size_t{4});
}

void update_checksums(rte_mbuf& packet, const Layers& layers, const Place& place,
                      const std::uint8_t* before) noexcept {
  std::uint8_t* data = data_of(packet);
  if (place.cover == Cover::kLayer4 && layers.ip_proto == kIpSctp) {
    return update_sctp(data + layers.l4_offset, layers, place, before);
  }
  ChecksumDelta delta;
  delta.replace(before, data + place.offset, place.bytes,
                (place.offset - layers.l3_offset) % 2 != 0);
  const bool is_l3 = place.cover == Cover::kIpHeader || place.cover == Cover::kAddress;
  if (is_l3 && layers.eth_type == kEthIpv4) delta.apply(data + layers.l3_offset + 10);
  if (place.cover != Cover::kIpHeader) {
    update_l4(packet, layers, delta, place.cover == Cover::kAddress);
  }
}

bool set_vlan(rte_mbuf& packet, Layers& layers, const FieldValue& value,
              const FieldValue& mask) noexcept {
  if (layers.has(Layers::kRunt)) return false;
  std::uint8_t* at = data_of(packet) + 14;
  const unsigned cfi = layers.vlan_count > 0 ? load16(at) & unsigned{kVlanPresent} : 0u;
  const unsigned before = layers.vlan_count > 0 ? load16(at) | unsigned{kVlanPresent} : 0u;
  const auto m = static_cast<unsigned>(low64(mask));
  const unsigned after = (before & ~m) | (static_cast<unsigned>(low64(value)) & m);
  if ((after & kVlanPresent) == 0) return layers.vlan_count == 0 || pop_vlan(packet, layers);
  const auto tci = static_cast<std::uint16_t>((after & ~unsigned{kVlanPresent}) | cfi);
  if (layers.vlan_count == 0) return insert_tag(packet, layers, kEthVlan, tci);
  store16(at, tci);
  return true;
}

// Of the byte that holds ip_proto; 0 if it is not there.
std::size_t ip_proto_offset(rte_mbuf& packet, const Layers& layers) noexcept {
  if (!layers.is_ip()) return 0;
  const std::size_t ip = layers.l3_offset;
  if (layers.eth_type == kEthIpv4) return ip + 9;
  if (layers.l4_offset == Layers::kNone) return 0;
  const std::uint8_t* at = data_of(packet) + ip;
  const auto chain = walk_ipv6_extensions(at[6], at + 40, layers.l4_offset - ip - 40);
  return chain.size == 0 ? ip + 6 : ip + 40 + chain.proto_offset;
}

bool set_ip_proto(rte_mbuf& packet, Layers& layers, const FieldValue& value,
                  const FieldValue& mask) noexcept {
  const std::size_t offset = ip_proto_offset(packet, layers);
  if (offset == 0) return false;
  std::uint8_t* data = data_of(packet);
  const std::uint8_t before = data[offset];
  write_bits(data + offset, Place{.offset = offset, .bytes = 1}, value, mask);
  // Both the IPv4 header and the pseudo headers have it in the low half of a word.
  ChecksumDelta delta;
  delta.replace(std::uint16_t{before}, std::uint16_t{data[offset]});
  if (layers.eth_type == kEthIpv4) delta.apply(data + layers.l3_offset + 10);
  update_l4(packet, layers, delta, true);
  layers = parse_again(packet);
  return true;
}

}  // namespace

bool set_field(rte_mbuf& packet, Layers& layers, const Field& field, const FieldValue& value,
               const FieldValue& mask) noexcept {
  if (layers.has(Layers::kRunt) || !field.is_writable) return false;
  if (field.id == FieldId::kVlanTci || field.id == FieldId::kVlanVid) {
    return set_vlan(packet, layers, value, mask);
  }
  if (field.id == FieldId::kIpProto) return set_ip_proto(packet, layers, value, mask);

  const std::optional<Place> place = locate(packet, layers, field);
  if (!place) return false;
  std::uint8_t* at = data_of(packet) + place->offset;
  std::array<std::uint8_t, 16> before;
  std::copy_n(at, place->bytes, before.begin());
  write_bits(at, *place, value, mask);
  if (place->cover != Cover::kNone) update_checksums(packet, layers, *place, before.data());
  if (field.id == FieldId::kEthType || field.id == FieldId::kMplsBos) layers = parse_again(packet);
  return true;
}

}  // namespace hoist::software

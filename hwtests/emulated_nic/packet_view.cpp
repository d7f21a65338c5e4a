// SPDX-License-Identifier: BSD-3-Clause
#include "packet_view.hpp"

#include <algorithm>

namespace emulated_nic {
namespace {

using Frame = std::span<const std::uint8_t>;

constexpr std::size_t kEthSize = 14;
constexpr std::size_t kVlanSize = 4;

std::uint16_t be16(Frame frame, std::size_t offset) {
  return static_cast<std::uint16_t>(frame[offset] << 8 | frame[offset + 1]);
}

bool is_vlan(std::uint16_t type) { return type == 0x8100 || type == 0x88a8 || type == 0x9100; }

/// Copies what there is of `size` bytes; the rest of the slot stays zero.
void copy(Frame frame, std::size_t offset, std::size_t size, Fields& fields, std::size_t to) {
  if (offset >= frame.size()) return;
  std::memcpy(fields.at(to), frame.data() + offset, std::min(size, frame.size() - offset));
}

void view_nd_options(Frame frame, std::size_t offset, Fields& fields, Layers& layers) {
  while (offset + 8 <= frame.size() && frame[offset + 1] != 0) {
    const bool is_source = frame[offset] == 1;
    const std::uint32_t bit = is_source ? kNdOptSla : frame[offset] == 2 ? kNdOptTla : 0u;
    if (bit != 0 && (layers.presence & bit) == 0) {
      layers.presence |= bit;
      copy(frame, offset, 8, fields, is_source ? slot::kNdOptSla : slot::kNdOptTla);
    }
    offset += std::size_t{frame[offset + 1]} * 8;
  }
}

void view_icmp6(Frame frame, std::size_t offset, Fields& fields, Layers& layers) {
  const std::uint8_t type = frame[offset];
  if ((type != 135 && type != 136) || offset + 24 > frame.size()) return;
  layers.presence |= type == 135 ? kNdNs : kNdNa;
  copy(frame, offset, 24, fields, slot::kL4);
  view_nd_options(frame, offset + 24, fields, layers);
}

struct L4 {
  std::uint8_t protocol;
  std::uint32_t bit;
  std::size_t header_size;  ///< What must be there.
};
constexpr L4 kL4Kinds[] = {
    {6, kTcp, 20}, {17, kUdp, 8}, {132, kSctp, 12}, {1, kIcmp, 8}, {58, kIcmp6, 4},
};

void view_l4(Frame frame, std::size_t offset, std::uint8_t protocol, bool is_later, Fields& fields,
             Layers& layers) {
  for (const L4& kind : kL4Kinds) {
    if (kind.protocol != protocol) continue;
    if (kind.bit == kIcmp && (layers.presence & kIpv4) == 0) return;
    if (kind.bit == kIcmp6 && (layers.presence & kIpv6) == 0) return;
    layers.presence |= kind.bit;
    if (is_later || offset + kind.header_size > frame.size()) return;
    layers.l4 = static_cast<std::uint16_t>(offset);
    copy(frame, offset, kind.header_size, fields, slot::kL4);
    if (kind.bit == kIcmp6) view_icmp6(frame, offset, fields, layers);
  }
}

void view_ipv4(Frame frame, std::size_t offset, Fields& fields, Layers& layers) {
  if (offset + 20 > frame.size() || frame[offset] >> 4 != 4) return;
  const std::size_t header_size = std::size_t{frame[offset] & 0xfu} * 4;
  if (header_size < 20) return;
  layers.presence |= kIpv4;
  layers.l3 = static_cast<std::uint16_t>(offset);
  copy(frame, offset, 20, fields, slot::kL3);
  const std::uint16_t fragment = be16(frame, offset + 6);
  if ((fragment & 0x3fff) != 0) layers.presence |= kFragment;
  view_l4(frame, offset + header_size, frame[offset + 9], (fragment & 0x1fff) != 0, fields, layers);
}

/// Presence bit of an IPv6 extension header, or 0 where `next` is none.
std::uint32_t ipv6_extension(std::uint8_t next) {
  switch (next) {
    case 0:
      return kIpv6HopExt;
    case 43:
      return kIpv6RouteExt;
    case 44:
      return kIpv6FragExt;
    case 50:
      return kIpv6EspExt;
    case 51:
      return kIpv6AuthExt;
    case 60:
      return kIpv6DestExt;
    case 135:
      return kIpv6MobilExt;
    case 139:
      return kIpv6HipExt;
    case 140:
      return kIpv6Shim6Ext;
    default:
      return 0;
  }
}

void view_ipv6(Frame frame, std::size_t offset, Fields& fields, Layers& layers) {
  if (offset + 40 > frame.size() || frame[offset] >> 4 != 6) return;
  layers.presence |= kIpv6;
  layers.l3 = static_cast<std::uint16_t>(offset);
  copy(frame, offset, 40, fields, slot::kL3);
  std::uint8_t next = frame[offset + 6];
  std::size_t at = offset + 40;
  bool is_later = false;
  for (std::uint32_t bit = ipv6_extension(next); bit != 0; bit = ipv6_extension(next)) {
    layers.presence |= bit;
    if (bit == kIpv6EspExt || at + 8 > frame.size()) return;
    std::size_t size = (std::size_t{frame[at + 1]} + 1) * 8;
    if (bit == kIpv6FragExt) {
      size = 8;
      copy(frame, at, 8, fields, slot::kIpv6Frag);
      if ((be16(frame, at + 2) & 0xfff9) != 0) layers.presence |= kFragment;
      is_later = (be16(frame, at + 2) & 0xfff8) != 0;
    } else if (bit == kIpv6AuthExt) {
      size = (std::size_t{frame[at + 1]} + 2) * 4;
    }
    next = frame[at];
    at += size;
    if (is_later) break;
  }
  view_l4(frame, at, next, is_later, fields, layers);
}

void view_mpls(Frame frame, std::size_t offset, Fields& fields, Layers& layers) {
  if (offset + 4 > frame.size()) return;
  layers.presence |= kMpls;
  layers.l3 = static_cast<std::uint16_t>(offset);
  copy(frame, offset, 4, fields, slot::kMpls);
  if ((frame[offset + 2] & 1) != 0 || offset + 8 > frame.size()) return;
  layers.presence |= kMplsDeep;
  copy(frame, offset + 4, 4, fields, slot::kMpls + 4);
}

void view_l3(Frame frame, std::size_t offset, std::uint16_t type, Fields& fields, Layers& layers) {
  if (type == 0x0800) {
    view_ipv4(frame, offset, fields, layers);
  } else if (type == 0x86dd) {
    view_ipv6(frame, offset, fields, layers);
  } else if (type == 0x8847 || type == 0x8848) {
    view_mpls(frame, offset, fields, layers);
  } else if (type == 0x0806 && offset + 28 <= frame.size()) {
    layers.presence |= kArp;
    layers.l3 = static_cast<std::uint16_t>(offset);
    copy(frame, offset, 28, fields, slot::kL3);
  }
}

}  // namespace

Layers view_packet(Frame frame, Fields& fields) {
  Layers layers;
  std::memset(fields.at(slot::kPresence), 0, 4);
  std::memset(fields.at(slot::kEth), 0, slot::kMark - slot::kEth);
  if (frame.size() < kEthSize) return layers;
  copy(frame, 0, kEthSize, fields, slot::kEth);
  std::size_t offset = kEthSize;
  std::uint16_t type = be16(frame, 12);
  while (is_vlan(type) && layers.vlan_count < 2 && offset + kVlanSize <= frame.size()) {
    copy(frame, offset, kVlanSize, fields, layers.vlan_count == 0 ? slot::kVlan : slot::kVlan2);
    layers.presence |= layers.vlan_count == 0 ? kTagged : kDoubleTagged;
    ++layers.vlan_count;
    type = be16(frame, offset + 2);
    offset += kVlanSize;
  }
  view_l3(frame, offset, type, fields, layers);
  fields.set(slot::kPresence, layers.presence);
  return layers;
}

}  // namespace emulated_nic

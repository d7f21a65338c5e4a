// SPDX-License-Identifier: BSD-3-Clause
#include <bit>

#include "openflow/check.hpp"
#include "openflow/match_codec.hpp"

// OpenFlow 1.0, 5.2.3:
//   | wildcards 4 | in_port 2 | dl_src 6 | dl_dst 6 | dl_vlan 2 | dl_vlan_pcp 1 | pad 1 | dl_type 2
//   | | nw_tos 1 | nw_proto 1 | pad 2 | nw_src 4 | nw_dst 4 | tp_src 2 | tp_dst 2 |

namespace hoist::openflow {
namespace {

using F = FieldId;

constexpr std::uint32_t kInPort = 1u << 0;
constexpr std::uint32_t kDlVlan = 1u << 1;
constexpr std::uint32_t kDlSrc = 1u << 2;
constexpr std::uint32_t kDlDst = 1u << 3;
constexpr std::uint32_t kDlType = 1u << 4;
constexpr std::uint32_t kNwProto = 1u << 5;
constexpr std::uint32_t kTpSrc = 1u << 6;
constexpr std::uint32_t kTpDst = 1u << 7;
constexpr unsigned kNwSrcShift = 8;
constexpr unsigned kNwDstShift = 14;
constexpr std::uint32_t kDlVlanPcp = 1u << 20;
constexpr std::uint32_t kNwTos = 1u << 21;
constexpr std::uint32_t kAll = (1u << 22) - 1;
constexpr std::uint16_t kVlanNone = 0xffff;

struct Wire {
  std::uint32_t wildcards = kAll;
  std::uint16_t in_port = 0;
  MacAddress dl_src{}, dl_dst{};
  std::uint16_t dl_vlan = 0;
  std::uint8_t dl_vlan_pcp = 0;
  std::uint16_t dl_type = 0;
  std::uint8_t nw_tos = 0, nw_proto = 0;
  std::uint32_t nw_src = 0, nw_dst = 0;
  std::uint16_t tp_src = 0, tp_dst = 0;
};

Wire take_wire(Reader& in) {
  Wire w;
  w.wildcards = in.u32() & kAll;
  w.in_port = in.u16();
  w.dl_src = in.array<6>();
  w.dl_dst = in.array<6>();
  w.dl_vlan = in.u16();
  w.dl_vlan_pcp = in.u8();
  in.skip(1);
  w.dl_type = in.u16();
  w.nw_tos = in.u8();
  w.nw_proto = in.u8();
  in.skip(2);
  w.nw_src = in.u32();
  w.nw_dst = in.u32();
  w.tp_src = in.u16();
  w.tp_dst = in.u16();
  return w;
}

void put_wire(Bytes& out, const Wire& w) {
  put32(out, w.wildcards);
  put16(out, w.in_port);
  put_bytes(out, w.dl_src);
  put_bytes(out, w.dl_dst);
  put16(out, w.dl_vlan);
  put8(out, w.dl_vlan_pcp);
  put8(out, 0);
  put16(out, w.dl_type);
  put8(out, w.nw_tos);
  put8(out, w.nw_proto);
  put16(out, 0);
  put32(out, w.nw_src);
  put32(out, w.nw_dst);
  put16(out, w.tp_src);
  put16(out, w.tp_dst);
}

/// Mask of an address of which the `bits` least significant bits are wildcarded.
std::uint32_t address_mask(std::uint32_t wildcards, unsigned shift) noexcept {
  const std::uint32_t bits = wildcards >> shift & 0x3f;
  return bits >= 32 ? 0 : ~std::uint32_t{0} << bits;
}

void demand(Match& match, FieldId id, std::uint64_t v, std::uint64_t mask) {
  const Field& f = field(id);
  set_field(match.value, f, field_value(v & mask), field_value(mask));
  set_field(match.mask, f, field_value(mask), field_value(mask));
}

void read_vlan(Match& match, const Wire& w) {
  const bool has_vid = (w.wildcards & kDlVlan) == 0;
  if (has_vid && w.dl_vlan == kVlanNone) {
    // Untagged; a priority asked for besides cannot be met, and is ignored.
    demand(match, F::kVlanTci, 0, 0xffff);
    return;
  }
  if (has_vid) demand(match, F::kVlanVid, (w.dl_vlan & kVlanVidMask) | kVlanPresent, 0x1fff);
  if ((w.wildcards & kDlVlanPcp) == 0) {
    demand(match, F::kVlanVid, kVlanPresent, kVlanPresent);
    demand(match, F::kVlanPcp, w.dl_vlan_pcp & 7u, 7);
  }
}

void read_transport(Match& match, const Wire& w) {
  const bool is_icmp = is_satisfied(Prerequisite::kIcmpv4, match);
  if (!is_icmp && !is_satisfied(Prerequisite::kTcp, match) &&
      !is_satisfied(Prerequisite::kUdp, match) && !is_satisfied(Prerequisite::kSctp, match)) {
    return;
  }
  const std::uint64_t mask = is_icmp ? 0xff : 0xffff;
  if ((w.wildcards & kTpSrc) == 0)
    demand(match, is_icmp ? F::kIcmpType : F::kTcpSrc, w.tp_src, mask);
  if ((w.wildcards & kTpDst) == 0)
    demand(match, is_icmp ? F::kIcmpCode : F::kTcpDst, w.tp_dst, mask);
}

void read_network(Match& match, const Wire& w) {
  const bool is_ipv4 = is_satisfied(Prerequisite::kIpv4, match);
  const bool is_arp = is_satisfied(Prerequisite::kArp, match);
  const bool is_ip = is_satisfied(Prerequisite::kIp, match);
  if (is_ipv4 || is_arp) {
    demand(match, F::kNwSrc, w.nw_src, address_mask(w.wildcards, kNwSrcShift));
    demand(match, F::kNwDst, w.nw_dst, address_mask(w.wildcards, kNwDstShift));
  }
  if ((w.wildcards & kNwProto) == 0) {
    if (is_ip) demand(match, F::kIpProto, w.nw_proto, 0xff);
    if (is_arp) demand(match, F::kArpOp, w.nw_proto, 0xffff);
  }
  if (is_ip && (w.wildcards & kNwTos) == 0) demand(match, F::kIpTos, w.nw_tos, 0xfc);
  read_transport(match, w);
}

std::uint32_t wildcard_bits(std::uint32_t mask, unsigned shift) noexcept {
  const auto bits = mask == 0 ? 32u : static_cast<unsigned>(std::countr_zero(mask));
  return bits << shift;
}

void write_vlan(Wire& w, const Match& m) {
  const std::uint16_t mask = m.mask.vlan_tci.host();
  const std::uint16_t tci = m.value.vlan_tci.host();
  if (mask == 0) return;
  if ((mask & kVlanPresent) != 0 && (tci & kVlanPresent) == 0) {
    w.wildcards &= ~kDlVlan;
    w.dl_vlan = kVlanNone;
    return;
  }
  if ((mask & kVlanVidMask) != 0) {
    w.wildcards &= ~kDlVlan;
    w.dl_vlan = tci & kVlanVidMask;
  }
  if ((mask & 0xe000) != 0) {
    w.wildcards &= ~kDlVlanPcp;
    w.dl_vlan_pcp = static_cast<std::uint8_t>(tci >> 13);
  }
}

void write_network(Wire& w, const Match& m) {
  w.wildcards &= ~(0x3fu << kNwSrcShift | 0x3fu << kNwDstShift);
  w.wildcards |= wildcard_bits(m.mask.nw_src.host(), kNwSrcShift);
  w.wildcards |= wildcard_bits(m.mask.nw_dst.host(), kNwDstShift);
  w.nw_src = m.value.nw_src.host();
  w.nw_dst = m.value.nw_dst.host();
  if (m.mask.ip_proto != 0) {
    w.wildcards &= ~kNwProto;
    w.nw_proto = m.value.ip_proto;
  } else if (m.mask.arp_op.host() != 0) {
    w.wildcards &= ~kNwProto;
    w.nw_proto = static_cast<std::uint8_t>(m.value.arp_op.host());
  }
  if ((m.mask.ip_tos & 0xfc) != 0) {
    w.wildcards &= ~kNwTos;
    w.nw_tos = m.value.ip_tos & 0xfc;
  }
  if (m.mask.tp_src.host() != 0) {
    w.wildcards &= ~kTpSrc;
    w.tp_src = m.value.tp_src.host();
  }
  if (m.mask.tp_dst.host() != 0) {
    w.wildcards &= ~kTpDst;
    w.tp_dst = m.value.tp_dst.host();
  }
}

}  // namespace

Of10Match take_of10_match(Reader& in) {
  const Wire w = take_wire(in);
  Of10Match out{{}, w.wildcards == 0};
  Match& match = out.match;
  if ((w.wildcards & kInPort) == 0) {
    demand(match, F::kInPort, to_integer(port_from_16(w.in_port)), 0xffffffff);
  }
  constexpr MacAddress kExact{0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  if ((w.wildcards & kDlSrc) == 0) {
    match.value.eth_src = w.dl_src;
    match.mask.eth_src = kExact;
  }
  if ((w.wildcards & kDlDst) == 0) {
    match.value.eth_dst = w.dl_dst;
    match.mask.eth_dst = kExact;
  }
  if ((w.wildcards & kDlType) == 0) demand(match, F::kEthType, w.dl_type, 0xffff);
  read_vlan(match, w);
  read_network(match, w);
  return out;
}

void put_of10_match(Bytes& out, const MiniMatch& match) {
  const Match m = match.expand();
  Wire w;
  if (m.mask.in_port.host() != 0) {
    w.wildcards &= ~kInPort;
    w.in_port = port_to_16(PortNo{m.value.in_port.host()});
  }
  if (m.mask.eth_src != MacAddress{}) {
    w.wildcards &= ~kDlSrc;
    w.dl_src = m.value.eth_src;
  }
  if (m.mask.eth_dst != MacAddress{}) {
    w.wildcards &= ~kDlDst;
    w.dl_dst = m.value.eth_dst;
  }
  if (m.mask.eth_type.host() != 0) {
    w.wildcards &= ~kDlType;
    w.dl_type = m.value.eth_type.host();
  }
  write_vlan(w, m);
  write_network(w, m);
  put_wire(out, w);
}

}  // namespace hoist::openflow

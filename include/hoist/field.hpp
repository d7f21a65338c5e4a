// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "hoist/flow_key.hpp"

namespace hoist {

enum class FieldId : std::uint8_t {
  kInPort,
  kMetadata,
  kTunnelId,
  kEthDst,
  kEthSrc,
  kEthType,
  kVlanTci,
  kVlanVid,
  kVlanPcp,
  kMplsLabel,
  kMplsTc,
  kMplsBos,
  kMplsTtl,
  kNwSrc,
  kNwDst,
  kIpv6Src,
  kIpv6Dst,
  kIpv6Label,
  kIpProto,
  kIpTos,
  kIpDscp,
  kIpEcn,
  kIpTtl,
  kIpFrag,
  kIpv6Exthdr,
  kArpOp,
  kArpSpa,
  kArpTpa,
  kArpSha,
  kArpTha,
  kTcpSrc,
  kTcpDst,
  kTcpFlags,
  kUdpSrc,
  kUdpDst,
  kSctpSrc,
  kSctpDst,
  kIcmpType,
  kIcmpCode,
  kIcmpv6Type,
  kIcmpv6Code,
  kNdTarget,
  kNdSll,
  kNdTll,
  kReg0,
  kReg15 = kReg0 + 15,
  kXreg0,
  kXreg7 = kXreg0 + 7,
  kXxreg0,
  kXxreg3 = kXxreg0 + 3,
  kPktMark,
  kCtState,
  kCtZone,
  kCtMark,
  kCtLabel,
  kCtNwProto,
  kCtNwSrc,
  kCtNwDst,
  kCtIpv6Src,
  kCtIpv6Dst,
  kCtTpSrc,
  kCtTpDst,
  kConjId,
  kCount,
};

/// What a match must also say before a field means anything (OpenFlow 1.3, 7.2.3.8).
enum class Prerequisite : std::uint8_t {
  kNone,
  kVlan,         ///< vlan_tci has kVlanPresent.
  kMpls,         ///< eth_type 0x8847 or 0x8848.
  kIp,           ///< eth_type 0x0800 or 0x86dd.
  kIpv4,         ///< eth_type 0x0800.
  kIpv6,         ///< eth_type 0x86dd.
  kArp,          ///< eth_type 0x0806 or 0x8035.
  kTcp,          ///< kIp and ip_proto 6.
  kUdp,          ///< kIp and ip_proto 17.
  kSctp,         ///< kIp and ip_proto 132.
  kIcmpv4,       ///< kIpv4 and ip_proto 1.
  kIcmpv6,       ///< kIpv6 and ip_proto 58.
  kNd,           ///< kIcmpv6, type 135 or 136, code 0.
  kNdSolicit,    ///< kIcmpv6, type 135, code 0.
  kNdAdvertise,  ///< kIcmpv6, type 136, code 0.
};

enum class Display : std::uint8_t { kDecimal, kHex, kMac, kIpv4, kIpv6, kPort, kTcpFlags, kFrag, kCtState };

/// One row of the table of fields: all that text, OpenFlow, set_field and the translator need.
/// The value lies in `bytes` bytes of a FlowKey from `offset`, as a big-endian integer of which it is
/// bits [shift, shift + bits).
struct Field {
  FieldId id;
  std::string_view name;   ///< As ovs-fields(7) calls it.
  std::string_view alias;  ///< Second name there, or empty.
  std::uint16_t offset;
  std::uint8_t bytes;
  std::uint8_t shift;
  std::uint8_t bits;
  std::uint32_t nxm;      ///< class << 16 | field << 9 | value bytes; 0: none.
  std::uint32_t oxm;      ///< The same for OXM (OpenFlow 1.3 numbering); 0: none.
  Prerequisite prerequisite;
  bool is_maskable;
  bool is_writable;
  Display display;

  /// Bytes of the value in NXM/OXM, right-aligned. The OXM length may exceed ceil(bits / 8).
  [[nodiscard]] constexpr std::size_t value_bytes() const noexcept {
    return (oxm != 0 ? oxm : nxm) & 0xff;
  }
};

namespace field_table {

constexpr std::uint32_t nxm(std::uint32_t cls, std::uint32_t field, std::uint32_t bytes) {
  return cls << 16 | field << 9 | bytes;
}
constexpr std::uint32_t of(std::uint32_t field, std::uint32_t bytes) { return nxm(0x0000, field, bytes); }
constexpr std::uint32_t nx(std::uint32_t field, std::uint32_t bytes) { return nxm(0x0001, field, bytes); }
constexpr std::uint32_t oxm(std::uint32_t field, std::uint32_t bytes) { return nxm(0x8000, field, bytes); }
constexpr std::uint32_t reg(std::uint32_t field, std::uint32_t bytes) { return nxm(0x8001, field, bytes); }

// clang-format off
#define HOIST_AT(member) offsetof(FlowKey, member), sizeof(FlowKey::member)


inline constexpr std::string_view kReg[] = {"reg0","reg1","reg2","reg3","reg4","reg5","reg6","reg7",
  "reg8","reg9","reg10","reg11","reg12","reg13","reg14","reg15"};
inline constexpr std::string_view kXreg[] = {"xreg0","xreg1","xreg2","xreg3","xreg4","xreg5","xreg6","xreg7"};
inline constexpr std::string_view kXxreg[] = {"xxreg0","xxreg1","xxreg2","xxreg3"};

constexpr auto make() {
  using F = FieldId; using P = Prerequisite; using D = Display;
  std::array<Field, static_cast<std::size_t>(F::kCount)> t{};
  auto row = [&t](const Field& f) { t[static_cast<std::size_t>(f.id)] = f; };
  //   id               name            alias        place                      shift bits nxm          oxm          needs           mask   write  display
  row({F::kInPort,     "in_port",      "",          HOIST_AT(in_port),              0, 32, of(0, 2),    oxm(0, 4),   P::kNone,       false, true,  D::kPort});
  row({F::kMetadata,   "metadata",     "",          HOIST_AT(metadata),             0, 64, 0,           oxm(2, 8),   P::kNone,       true,  true,  D::kHex});
  row({F::kTunnelId,   "tun_id",       "tunnel_id", HOIST_AT(tunnel_id),            0, 64, nx(16, 8),   oxm(38, 8),  P::kNone,       true,  true,  D::kHex});
  row({F::kEthDst,     "eth_dst",      "dl_dst",    HOIST_AT(eth_dst),              0, 48, of(1, 6),    oxm(3, 6),   P::kNone,       true,  true,  D::kMac});
  row({F::kEthSrc,     "eth_src",      "dl_src",    HOIST_AT(eth_src),              0, 48, of(2, 6),    oxm(4, 6),   P::kNone,       true,  true,  D::kMac});
  row({F::kEthType,    "eth_type",     "dl_type",   HOIST_AT(eth_type),             0, 16, of(3, 2),    oxm(5, 2),   P::kNone,       false, true,  D::kHex});
  row({F::kVlanTci,    "vlan_tci",     "",          HOIST_AT(vlan_tci),             0, 16, of(4, 2),    0,           P::kNone,       true,  true,  D::kHex});
  row({F::kVlanVid,    "vlan_vid",     "",          HOIST_AT(vlan_tci),             0, 13, 0,           oxm(6, 2),   P::kNone,       true,  true,  D::kDecimal});
  row({F::kVlanPcp,    "vlan_pcp",     "",          HOIST_AT(vlan_tci),            13,  3, 0,           oxm(7, 1),   P::kVlan,       true,  true,  D::kDecimal});
  row({F::kMplsLabel,  "mpls_label",   "",          HOIST_AT(mpls_lse),            12, 20, 0,           oxm(34, 4),  P::kMpls,       false, true,  D::kDecimal});
  row({F::kMplsTc,     "mpls_tc",      "",          HOIST_AT(mpls_lse),             9,  3, 0,           oxm(35, 1),  P::kMpls,       false, true,  D::kDecimal});
  row({F::kMplsBos,    "mpls_bos",     "",          HOIST_AT(mpls_lse),             8,  1, 0,           oxm(36, 1),  P::kMpls,       false, true,  D::kDecimal});
  row({F::kMplsTtl,    "mpls_ttl",     "",          HOIST_AT(mpls_lse),             0,  8, nx(30, 1),   0,           P::kMpls,       false, true,  D::kDecimal});
  row({F::kNwSrc,      "nw_src",       "ip_src",    HOIST_AT(nw_src),               0, 32, of(7, 4),    oxm(11, 4),  P::kIpv4,       true,  true,  D::kIpv4});
  row({F::kNwDst,      "nw_dst",       "ip_dst",    HOIST_AT(nw_dst),               0, 32, of(8, 4),    oxm(12, 4),  P::kIpv4,       true,  true,  D::kIpv4});
  row({F::kIpv6Src,    "ipv6_src",     "",          HOIST_AT(ipv6_src),             0,128, nx(19, 16),  oxm(26, 16), P::kIpv6,       true,  true,  D::kIpv6});
  row({F::kIpv6Dst,    "ipv6_dst",     "",          HOIST_AT(ipv6_dst),             0,128, nx(20, 16),  oxm(27, 16), P::kIpv6,       true,  true,  D::kIpv6});
  row({F::kIpv6Label,  "ipv6_label",   "",          HOIST_AT(ipv6_label),           0, 20, nx(27, 4),   oxm(28, 4),  P::kIpv6,       true,  true,  D::kHex});
  row({F::kIpProto,    "nw_proto",     "ip_proto",  HOIST_AT(ip_proto),             0,  8, of(6, 1),    oxm(10, 1),  P::kIp,         false, true,  D::kDecimal});
  row({F::kIpTos,      "nw_tos",       "",          HOIST_AT(ip_tos),               0,  8, of(5, 1),    0,           P::kIp,         true,  true,  D::kDecimal});
  row({F::kIpDscp,     "ip_dscp",      "",          HOIST_AT(ip_tos),               2,  6, 0,           oxm(8, 1),   P::kIp,         false, true,  D::kDecimal});
  row({F::kIpEcn,      "nw_ecn",       "ip_ecn",    HOIST_AT(ip_tos),               0,  2, nx(28, 1),   oxm(9, 1),   P::kIp,         false, true,  D::kDecimal});
  row({F::kIpTtl,      "nw_ttl",       "ip_ttl",    HOIST_AT(ip_ttl),               0,  8, nx(29, 1),   0,           P::kIp,         false, true,  D::kDecimal});
  row({F::kIpFrag,     "ip_frag",      "nw_frag",   HOIST_AT(ip_frag),              0,  2, nx(26, 1),   0,           P::kIp,         true,  false, D::kFrag});
  row({F::kIpv6Exthdr, "ipv6_exthdr",  "",          HOIST_AT(ipv6_exthdr),          0,  9, 0,           oxm(39, 2),  P::kIpv6,       true,  false, D::kHex});
  row({F::kArpOp,      "arp_op",       "",          HOIST_AT(arp_op),               0, 16, of(15, 2),   oxm(21, 2),  P::kArp,        false, true,  D::kDecimal});
  row({F::kArpSpa,     "arp_spa",      "",          HOIST_AT(nw_src),               0, 32, of(16, 4),   oxm(22, 4),  P::kArp,        true,  true,  D::kIpv4});
  row({F::kArpTpa,     "arp_tpa",      "",          HOIST_AT(nw_dst),               0, 32, of(17, 4),   oxm(23, 4),  P::kArp,        true,  true,  D::kIpv4});
  row({F::kArpSha,     "arp_sha",      "",          HOIST_AT(l2_sha),               0, 48, nx(17, 6),   oxm(24, 6),  P::kArp,        true,  true,  D::kMac});
  row({F::kArpTha,     "arp_tha",      "",          HOIST_AT(l2_tha),               0, 48, nx(18, 6),   oxm(25, 6),  P::kArp,        true,  true,  D::kMac});
  row({F::kTcpSrc,     "tcp_src",      "",          HOIST_AT(tp_src),               0, 16, of(9, 2),    oxm(13, 2),  P::kTcp,        true,  true,  D::kDecimal});
  row({F::kTcpDst,     "tcp_dst",      "",          HOIST_AT(tp_dst),               0, 16, of(10, 2),   oxm(14, 2),  P::kTcp,        true,  true,  D::kDecimal});
  row({F::kTcpFlags,   "tcp_flags",    "",          HOIST_AT(tcp_flags),            0, 12, nx(34, 2),   oxm(42, 2),  P::kTcp,        true,  false, D::kTcpFlags});
  row({F::kUdpSrc,     "udp_src",      "",          HOIST_AT(tp_src),               0, 16, of(11, 2),   oxm(15, 2),  P::kUdp,        true,  true,  D::kDecimal});
  row({F::kUdpDst,     "udp_dst",      "",          HOIST_AT(tp_dst),               0, 16, of(12, 2),   oxm(16, 2),  P::kUdp,        true,  true,  D::kDecimal});
  row({F::kSctpSrc,    "sctp_src",     "",          HOIST_AT(tp_src),               0, 16, 0,           oxm(17, 2),  P::kSctp,       true,  true,  D::kDecimal});
  row({F::kSctpDst,    "sctp_dst",     "",          HOIST_AT(tp_dst),               0, 16, 0,           oxm(18, 2),  P::kSctp,       true,  true,  D::kDecimal});
  row({F::kIcmpType,   "icmp_type",    "",          HOIST_AT(tp_src),               0,  8, of(13, 1),   oxm(19, 1),  P::kIcmpv4,     false, true,  D::kDecimal});
  row({F::kIcmpCode,   "icmp_code",    "",          HOIST_AT(tp_dst),               0,  8, of(14, 1),   oxm(20, 1),  P::kIcmpv4,     false, true,  D::kDecimal});
  row({F::kIcmpv6Type, "icmpv6_type",  "",          HOIST_AT(tp_src),               0,  8, nx(21, 1),   oxm(29, 1),  P::kIcmpv6,     false, true,  D::kDecimal});
  row({F::kIcmpv6Code, "icmpv6_code",  "",          HOIST_AT(tp_dst),               0,  8, nx(22, 1),   oxm(30, 1),  P::kIcmpv6,     false, true,  D::kDecimal});
  row({F::kNdTarget,   "nd_target",    "",          HOIST_AT(nd_target),            0,128, nx(23, 16),  oxm(31, 16), P::kNd,         true,  true,  D::kIpv6});
  row({F::kNdSll,      "nd_sll",       "",          HOIST_AT(l2_sha),               0, 48, nx(24, 6),   oxm(32, 6),  P::kNdSolicit,  true,  true,  D::kMac});
  row({F::kNdTll,      "nd_tll",       "",          HOIST_AT(l2_tha),               0, 48, nx(25, 6),   oxm(33, 6),  P::kNdAdvertise,true,  true,  D::kMac});
  for (std::uint8_t i = 0; i < 16; ++i) {
    row({static_cast<F>(static_cast<int>(F::kReg0) + i), kReg[i], "", static_cast<std::uint16_t>(offsetof(FlowKey, regs) + 4u * i), 4, 0, 32, nx(i, 4), 0, P::kNone, true, true, D::kHex});
  }
  for (std::uint8_t i = 0; i < 8; ++i) {
    row({static_cast<F>(static_cast<int>(F::kXreg0) + i), kXreg[i], "", static_cast<std::uint16_t>(offsetof(FlowKey, regs) + 8u * i), 8, 0, 64, 0, reg(i, 8), P::kNone, true, true, D::kHex});
  }
  for (std::uint8_t i = 0; i < 4; ++i) {
    row({static_cast<F>(static_cast<int>(F::kXxreg0) + i), kXxreg[i], "", static_cast<std::uint16_t>(offsetof(FlowKey, regs) + 16u * i), 16, 0, 128, nx(111u + i, 16), 0, P::kNone, true, true, D::kHex});
  }
  row({F::kPktMark,    "pkt_mark",     "",          HOIST_AT(pkt_mark),             0, 32, nx(33, 4),   0,           P::kNone,       true,  true,  D::kHex});
  row({F::kCtState,    "ct_state",     "",          HOIST_AT(ct_state),             0, 32, nx(105, 4),  0,           P::kNone,       true,  false, D::kCtState});
  row({F::kCtZone,     "ct_zone",      "",          HOIST_AT(ct_zone),              0, 16, nx(106, 2),  0,           P::kNone,       true,  false, D::kDecimal});
  row({F::kCtMark,     "ct_mark",      "",          HOIST_AT(ct_mark),              0, 32, nx(107, 4),  0,           P::kNone,       true,  true,  D::kHex});
  row({F::kCtLabel,    "ct_label",     "",          HOIST_AT(ct_label),             0,128, nx(108, 16), 0,           P::kNone,       true,  true,  D::kHex});
  row({F::kCtNwProto,  "ct_nw_proto",  "",          HOIST_AT(ct_nw_proto),          0,  8, nx(119, 1),  0,           P::kNone,       false, false, D::kDecimal});
  row({F::kCtNwSrc,    "ct_nw_src",    "",          HOIST_AT(ct_nw_src),            0, 32, nx(120, 4),  0,           P::kNone,       true,  false, D::kIpv4});
  row({F::kCtNwDst,    "ct_nw_dst",    "",          HOIST_AT(ct_nw_dst),            0, 32, nx(121, 4),  0,           P::kNone,       true,  false, D::kIpv4});
  row({F::kCtIpv6Src,  "ct_ipv6_src",  "",          HOIST_AT(ct_ipv6_src),          0,128, nx(122, 16), 0,           P::kNone,       true,  false, D::kIpv6});
  row({F::kCtIpv6Dst,  "ct_ipv6_dst",  "",          HOIST_AT(ct_ipv6_dst),          0,128, nx(123, 16), 0,           P::kNone,       true,  false, D::kIpv6});
  row({F::kCtTpSrc,    "ct_tp_src",    "",          HOIST_AT(ct_tp_src),            0, 16, nx(124, 2),  0,           P::kNone,       true,  false, D::kDecimal});
  row({F::kCtTpDst,    "ct_tp_dst",    "",          HOIST_AT(ct_tp_dst),            0, 16, nx(125, 2),  0,           P::kNone,       true,  false, D::kDecimal});
  row({F::kConjId,     "conj_id",      "",          HOIST_AT(conj_id),              0, 32, nx(37, 4),   0,           P::kNone,       false, false, D::kDecimal});
  return t;
}

#undef HOIST_AT
// clang-format on

}  // namespace field_table

/// Indexed by FieldId.
inline constexpr auto kFields = field_table::make();

[[nodiscard]] constexpr const Field& field(FieldId id) noexcept {
  return kFields[static_cast<std::size_t>(id)];
}

/// A field's value or mask: big-endian, right-aligned in 16 bytes, so byte 15 is the least.
using FieldValue = std::array<std::uint8_t, 16>;

[[nodiscard]] constexpr FieldValue field_value(std::uint64_t v) noexcept {
  FieldValue out{};
  for (std::size_t i = 0; i < 8; ++i) out[15 - i] = static_cast<std::uint8_t>(v >> (8 * i));
  return out;
}
[[nodiscard]] constexpr std::uint64_t low64(const FieldValue& v) noexcept {
  std::uint64_t out = 0;
  for (std::size_t i = 8; i < 16; ++i) out = out << 8 | v[i];
  return out;
}
/// All ones in the field's bits.
[[nodiscard]] constexpr FieldValue full_mask(const Field& f) noexcept {
  FieldValue out{};
  for (std::size_t bit = 0; bit < f.bits; ++bit) {
    out[15 - bit / 8] = static_cast<std::uint8_t>(out[15 - bit / 8] | 1u << (bit % 8));
  }
  return out;
}

/// Reads a field out of a key. Fields of more than 64 bits have shift 0 and fill their bytes.
[[nodiscard]] inline FieldValue get_field(const FlowKey& key, const Field& f) noexcept {
  FieldValue out{};
  const auto* at = reinterpret_cast<const std::uint8_t*>(&key) + f.offset;
  std::memcpy(out.data() + 16 - f.bytes, at, f.bytes);
  if (f.bytes > 8) return out;
  std::uint64_t v = low64(out) >> f.shift;
  if (f.bits < 64) v &= (std::uint64_t{1} << f.bits) - 1;
  return field_value(v);
}

/// Writes the bits of `value` under `mask` into a field; other bits stay.
inline void set_field(FlowKey& key, const Field& f, const FieldValue& value,
                      const FieldValue& mask) noexcept {
  auto* at = reinterpret_cast<std::uint8_t*>(&key) + f.offset;
  if (f.bytes > 8) {
    for (std::size_t i = 0; i < f.bytes; ++i) {
      const std::size_t j = 16 - f.bytes + i;
      at[i] = static_cast<std::uint8_t>((at[i] & ~mask[j]) | (value[j] & mask[j]));
    }
    return;
  }
  const std::uint64_t m = low64(mask) << f.shift;
  const std::uint64_t v = low64(value) << f.shift & m;
  for (std::size_t i = 0; i < f.bytes; ++i) {
    const unsigned up = 8u * static_cast<unsigned>(f.bytes - 1 - i);
    at[i] = static_cast<std::uint8_t>((at[i] & ~(m >> up)) | (v >> up));
  }
}

/// Finds a field by its ovs name or alias.
[[nodiscard]] constexpr const Field* find_field(std::string_view name) noexcept {
  for (const Field& f : kFields) {
    if (f.name == name || (!f.alias.empty() && f.alias == name)) return &f;
  }
  return nullptr;
}

}  // namespace hoist

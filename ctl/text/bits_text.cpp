// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "text/field_text.hpp"

namespace hoist::text {
namespace {

using F = FieldId;

/// NXM's or OXM's name of a field, and the name in the other of them where it differs.
struct FormalName {
  FieldId id;
  std::string_view prefix;
  std::string_view name;
  std::string_view other = {};
};
constexpr std::string_view kNxmOf = "NXM_OF_";
constexpr std::string_view kNxmNx = "NXM_NX_";
constexpr std::string_view kOxmOf = "OXM_OF_";

constexpr auto kNames = std::to_array<FormalName>({
    {F::kInPort, kNxmOf, "IN_PORT"},
    {F::kMetadata, kOxmOf, "METADATA"},
    {F::kTunnelId, kNxmNx, "TUN_ID", "TUNNEL_ID"},
    {F::kEthDst, kNxmOf, "ETH_DST"},
    {F::kEthSrc, kNxmOf, "ETH_SRC"},
    {F::kEthType, kNxmOf, "ETH_TYPE"},
    {F::kVlanTci, kNxmOf, "VLAN_TCI"},
    {F::kVlanVid, kOxmOf, "VLAN_VID"},
    {F::kVlanPcp, kOxmOf, "VLAN_PCP"},
    {F::kMplsLabel, kOxmOf, "MPLS_LABEL"},
    {F::kMplsTc, kOxmOf, "MPLS_TC"},
    {F::kMplsBos, kOxmOf, "MPLS_BOS"},
    {F::kMplsTtl, kNxmNx, "MPLS_TTL"},
    {F::kNwSrc, kNxmOf, "IP_SRC", "IPV4_SRC"},
    {F::kNwDst, kNxmOf, "IP_DST", "IPV4_DST"},
    {F::kIpv6Src, kNxmNx, "IPV6_SRC"},
    {F::kIpv6Dst, kNxmNx, "IPV6_DST"},
    {F::kIpv6Label, kNxmNx, "IPV6_LABEL", "IPV6_FLABEL"},
    {F::kIpProto, kNxmOf, "IP_PROTO"},
    {F::kIpTos, kNxmOf, "IP_TOS"},
    {F::kIpDscp, kOxmOf, "IP_DSCP"},
    {F::kIpEcn, kNxmNx, "IP_ECN"},
    {F::kIpTtl, kNxmNx, "IP_TTL"},
    {F::kIpFrag, kNxmNx, "IP_FRAG"},
    {F::kIpv6Exthdr, kOxmOf, "IPV6_EXTHDR"},
    {F::kArpOp, kNxmOf, "ARP_OP"},
    {F::kArpSpa, kNxmOf, "ARP_SPA"},
    {F::kArpTpa, kNxmOf, "ARP_TPA"},
    {F::kArpSha, kNxmNx, "ARP_SHA"},
    {F::kArpTha, kNxmNx, "ARP_THA"},
    {F::kTcpSrc, kNxmOf, "TCP_SRC"},
    {F::kTcpDst, kNxmOf, "TCP_DST"},
    {F::kTcpFlags, kNxmNx, "TCP_FLAGS"},
    {F::kUdpSrc, kNxmOf, "UDP_SRC"},
    {F::kUdpDst, kNxmOf, "UDP_DST"},
    {F::kSctpSrc, kOxmOf, "SCTP_SRC"},
    {F::kSctpDst, kOxmOf, "SCTP_DST"},
    {F::kIcmpType, kNxmOf, "ICMP_TYPE", "ICMPV4_TYPE"},
    {F::kIcmpCode, kNxmOf, "ICMP_CODE", "ICMPV4_CODE"},
    {F::kIcmpv6Type, kNxmNx, "ICMPV6_TYPE"},
    {F::kIcmpv6Code, kNxmNx, "ICMPV6_CODE"},
    {F::kNdTarget, kNxmNx, "ND_TARGET", "IPV6_ND_TARGET"},
    {F::kNdSll, kNxmNx, "ND_SLL", "IPV6_ND_SLL"},
    {F::kNdTll, kNxmNx, "ND_TLL", "IPV6_ND_TLL"},
    {F::kPktMark, kNxmNx, "PKT_MARK"},
    {F::kCtState, kNxmNx, "CT_STATE"},
    {F::kCtZone, kNxmNx, "CT_ZONE"},
    {F::kCtMark, kNxmNx, "CT_MARK"},
    {F::kCtLabel, kNxmNx, "CT_LABEL"},
    {F::kCtNwProto, kNxmNx, "CT_NW_PROTO"},
    {F::kCtNwSrc, kNxmNx, "CT_NW_SRC"},
    {F::kCtNwDst, kNxmNx, "CT_NW_DST"},
    {F::kCtIpv6Src, kNxmNx, "CT_IPV6_SRC"},
    {F::kCtIpv6Dst, kNxmNx, "CT_IPV6_DST"},
    {F::kCtTpSrc, kNxmNx, "CT_TP_SRC"},
    {F::kCtTpDst, kNxmNx, "CT_TP_DST"},
    {F::kConjId, kNxmNx, "CONJ_ID"},
});

/// Registers are many and differ by their number only.
struct RegisterName {
  FieldId first;
  std::uint64_t count;
  std::string_view prefix;
};
constexpr auto kRegisters = std::to_array<RegisterName>({{F::kReg0, 16, "NXM_NX_REG"},
                                                         {F::kXreg0, 8, "OXM_OF_PKT_REG"},
                                                         {F::kXxreg0, 4, "NXM_NX_XXREG"}});

int offset_from(FieldId first, FieldId id) noexcept {
  return static_cast<int>(id) - static_cast<int>(first);
}

const Field* find_formal(std::string_view name) noexcept {
  for (const RegisterName& r : kRegisters) {
    if (!name.starts_with(r.prefix)) continue;
    const auto n = to_number(name.substr(r.prefix.size()));
    if (n && *n < r.count)
      return &field(static_cast<F>(static_cast<int>(r.first) + static_cast<int>(*n)));
  }
  for (const std::string_view prefix : {kNxmOf, kNxmNx, kOxmOf}) {
    if (!name.starts_with(prefix)) continue;
    const std::string_view rest = name.substr(prefix.size());
    for (const FormalName& f : kNames) {
      if (rest == f.name || (!f.other.empty() && rest == f.other)) return &field(f.id);
    }
  }
  return nullptr;
}

void append_formal(std::string& out, FieldId id) {
  for (const RegisterName& r : kRegisters) {
    const int n = offset_from(r.first, id);
    if (n < 0 || n >= static_cast<int>(r.count)) continue;
    out += r.prefix;
    out += std::to_string(n);
    return;
  }
  for (const FormalName& f : kNames) {
    if (f.id != id) continue;
    out += f.prefix;
    out += f.name;
    return;
  }
}

}  // namespace

Result<FieldBits> parse_bits(const Scan& scan, std::string_view word) {
  const Halves halves = split(word, "[");
  const Field* f = find_field(halves.before);
  if (f == nullptr) f = find_formal(halves.before);
  if (f == nullptr) return scan.wrong(halves.before, "no such field");
  FieldBits bits{f->id, 0, f->bits};
  if (!halves.after || *halves.after == "]") return bits;
  std::string_view range = *halves.after;
  if (!range.ends_with(']')) return scan.wrong(word, "] is missing");
  range.remove_suffix(1);
  const Halves ends = split(range, "..");
  const auto first = scan.number(ends.before, f->bits - 1u);
  if (!first) return tl::unexpected(first.error());
  const auto last = ends.after ? scan.number(*ends.after, f->bits - 1u) : first;
  if (!last) return tl::unexpected(last.error());
  if (*last < *first) return scan.wrong(word, "bits are named from low to high");
  bits.start = static_cast<std::uint8_t>(*first);
  bits.count = static_cast<std::uint8_t>(*last - *first + 1);
  return bits;
}

void append_bits(std::string& out, const FieldBits& bits) {
  append_formal(out, bits.field);
  out += '[';
  if (bits.count != field(bits.field).bits) {
    out += std::to_string(bits.start);
    if (bits.count != 1) out += ".." + std::to_string(bits.start + bits.count - 1);
  }
  out += ']';
}

std::string_view set_field_name(const Field& f) noexcept {
  const bool is_address = f.id == F::kNwSrc || f.id == F::kNwDst;
  return is_address ? f.alias : f.name;
}

}  // namespace hoist::text

// SPDX-License-Identifier: BSD-3-Clause
#include "openflow/check.hpp"
#include "text/field_text.hpp"
#include "text/protocol_names.hpp"

namespace hoist::text {
namespace {

using F = FieldId;

void append_number4(std::string& out, std::uint16_t v) {
  constexpr char kDigits[] = "0123456789abcdef";
  out += "0x";
  for (int shift = 12; shift >= 0; shift -= 4) out += kDigits[v >> shift & 15];
}

/// Writes a match in the order in which ovs-ofctl does.
class Formatter {
 public:
  Formatter(const Match& match, const PortNamer& name_of) : match_(match), name_of_(name_of) {}

  std::string format() && {
    each({F::kPktMark, F::kConjId, F::kCtState, F::kCtZone, F::kCtMark, F::kCtLabel, F::kCtNwSrc,
          F::kCtIpv6Src, F::kCtNwDst, F::kCtIpv6Dst, F::kCtNwProto, F::kCtTpSrc, F::kCtTpDst});
    const bool names_type = protocol();
    registers();
    each({F::kTunnelId, F::kMetadata, F::kInPort});
    vlan();
    write(F::kEthSrc, "dl_src");
    write(F::kEthDst, "dl_dst");
    if (!names_type) write(F::kEthType, "dl_type");
    each({F::kIpv6Src, F::kIpv6Dst, F::kIpv6Label, F::kIpv6Exthdr, F::kArpSpa, F::kArpTpa,
          F::kNwSrc, F::kNwDst});
    if (!names_proto_) write(F::kIpProto, "nw_proto");
    each({F::kArpOp, F::kArpSha, F::kArpTha});
    tos();
    each({F::kIpEcn, F::kIpTtl, F::kMplsLabel, F::kMplsTc, F::kMplsTtl, F::kMplsBos});
    write(F::kIpFrag, "nw_frag");
    transport();
    if (!out_.empty()) out_.pop_back();
    return std::move(out_);
  }

 private:
  void each(std::initializer_list<FieldId> ids) {
    for (const FieldId id : ids) write(id, field(id).name);
  }
  void write(FieldId id, std::string_view name) {
    const Field& f = field(id);
    const FieldValue mask = get_field(match_.mask, f);
    if (mask == FieldValue{} || !openflow::is_satisfied(f.prerequisite, match_)) return;
    out_ += name;
    out_ += '=';
    append_value(out_, f, get_field(match_.value, f), mask, name_of_);
    out_ += ',';
  }

  /// "tcp" and such; says whether it stands for the Ethernet type.
  bool protocol() {
    if (match_.mask.eth_type.host() != 0xffff) return false;
    const std::uint16_t type = match_.value.eth_type.host();
    const std::uint8_t proto =
        match_.mask.ip_proto == 0xff ? match_.value.ip_proto : std::uint8_t{0};
    const ProtocolName* best = nullptr;
    for (const ProtocolName& p : kProtocolNames) {
      if (p.eth_type != type || (p.ip_proto != 0 && p.ip_proto != proto)) continue;
      if (best == nullptr || (best->ip_proto == 0 && p.ip_proto != 0)) best = &p;
    }
    if (best == nullptr) return false;
    out_ += best->name;
    out_ += ',';
    names_proto_ = best->ip_proto != 0;
    return true;
  }

  void registers() {
    for (int i = 0; i < 16; ++i) {
      const auto id = static_cast<FieldId>(static_cast<int>(F::kReg0) + i);
      write(id, field(id).name);
    }
  }

  void vlan() {
    const std::uint16_t mask = match_.mask.vlan_tci.host();
    const std::uint16_t tci = match_.value.vlan_tci.host();
    if (mask == 0) return;
    constexpr std::uint16_t kPcpMask = 0xe000;
    const unsigned vid_mask = mask & kVlanVidMask;
    const unsigned pcp_mask = mask & kPcpMask;
    const bool is_plain = (tci & kVlanPresent) != 0 &&
                          (vid_mask == 0 || vid_mask == kVlanVidMask) &&
                          (pcp_mask == 0 || pcp_mask == kPcpMask) && (vid_mask | pcp_mask) != 0;
    if (is_plain) {
      if (vid_mask != 0) out_ += "dl_vlan=" + std::to_string(tci & kVlanVidMask) + ",";
      if (pcp_mask != 0) out_ += "dl_vlan_pcp=" + std::to_string(tci >> 13) + ",";
      return;
    }
    out_ += "vlan_tci=";
    append_number4(out_, tci);
    if (mask != 0xffff) {
      out_ += '/';
      append_number4(out_, mask);
    }
    out_ += ',';
  }

  void tos() {
    if ((match_.mask.ip_tos & 0xfc) == 0) return;
    out_ += "nw_tos=" + std::to_string(match_.value.ip_tos & 0xfc) + ",";
  }

  void transport() {
    for (const FieldId id : {F::kTcpSrc, F::kUdpSrc, F::kSctpSrc}) write(id, "tp_src");
    for (const FieldId id : {F::kTcpDst, F::kUdpDst, F::kSctpDst}) write(id, "tp_dst");
    each({F::kTcpFlags, F::kIcmpType, F::kIcmpCode});
    write(F::kIcmpv6Type, "icmp_type");
    write(F::kIcmpv6Code, "icmp_code");
    each({F::kNdTarget, F::kNdSll, F::kNdTll});
  }

  const Match& match_;
  const PortNamer& name_of_;
  std::string out_;
  bool names_proto_ = false;
};

}  // namespace

std::string format_match(const MiniMatch& match, const PortNamer& name_of) {
  const Match whole = match.expand();
  return Formatter(whole, name_of).format();
}

}  // namespace hoist::text

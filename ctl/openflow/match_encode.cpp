// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "openflow/check.hpp"
#include "openflow/match_codec.hpp"

namespace hoist::openflow {
namespace {

using F = FieldId;

// Prerequisites come before what needs them (OpenFlow 1.3, 7.2.3.6); otherwise as ovs-ofctl sends.
constexpr auto kOrder = std::to_array<FieldId>(
    {F::kConjId,  F::kInPort,   F::kEthSrc,    F::kEthDst,     F::kEthType,    F::kVlanTci,
     F::kVlanVid, F::kVlanPcp,  F::kMplsTc,    F::kMplsBos,    F::kMplsTtl,    F::kMplsLabel,
     F::kNwSrc,   F::kNwDst,    F::kIpv6Src,   F::kIpv6Dst,    F::kIpFrag,     F::kIpTos,
     F::kIpDscp,  F::kIpEcn,    F::kIpTtl,     F::kIpv6Label,  F::kIpv6Exthdr, F::kIpProto,
     F::kTcpSrc,  F::kTcpDst,   F::kTcpFlags,  F::kUdpSrc,     F::kUdpDst,     F::kSctpSrc,
     F::kSctpDst, F::kIcmpType, F::kIcmpCode,  F::kIcmpv6Type, F::kIcmpv6Code, F::kNdTarget,
     F::kNdSll,   F::kNdTll,    F::kArpOp,     F::kArpSpa,     F::kArpTpa,     F::kArpSha,
     F::kArpTha,  F::kTunnelId, F::kPktMark,   F::kCtState,    F::kCtZone,     F::kCtMark,
     F::kCtLabel, F::kCtNwSrc,  F::kCtIpv6Src, F::kCtNwDst,    F::kCtIpv6Dst,  F::kCtNwProto,
     F::kCtTpSrc, F::kCtTpDst,  F::kMetadata});

constexpr FieldId nth(FieldId first, int i) {
  return static_cast<FieldId>(static_cast<int>(first) + i);
}

/// The words of a FlowKey that a field lies in, as MiniMatch::map() has them.
constexpr std::uint64_t words_of(const Field& f) {
  std::uint64_t map = 0;
  for (unsigned w = f.offset / 8u; w <= (f.offset + f.bytes - 1u) / 8u; ++w)
    map |= std::uint64_t{1} << w;
  return map;
}
constexpr auto kWords = [] {
  std::array<std::uint64_t, kFields.size()> words{};
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = words_of(kFields[i]);
  return words;
}();

/// Fields that one flavor says with another field instead.
bool is_said_otherwise(FieldId id, Flavor flavor) noexcept {
  switch (id) {
    case F::kVlanTci:
    case F::kIpTos:
      return flavor != Flavor::kNxm;
    case F::kVlanVid:
    case F::kVlanPcp:
    case F::kIpDscp:
      return flavor == Flavor::kNxm;
    default:
      return false;
  }
}

class Writer {
 public:
  Writer(Bytes& out, const MiniMatch& match, Flavor flavor)
      : out_(out), map_(match.map()), match_(match.expand()), flavor_(flavor) {}

  void write(FieldId id) {
    if ((kWords[static_cast<std::size_t>(id)] & map_) == 0 || is_said_otherwise(id, flavor_))
      return;
    const Field& f = field(id);
    FieldValue mask = get_field(match_.mask, f);
    if (id == F::kIpTos) mask[15] &= 0xfc;
    if (mask == FieldValue{} || !is_satisfied(f.prerequisite, match_)) return;
    FieldValue value = get_field(match_.value, f);
    if (id == F::kIpTos) {
      value[15] &= 0xfc;
      mask = full_mask(f);
    }
    put_entry(out_, f, flavor_, value, mask);
  }

 private:
  Bytes& out_;
  std::uint64_t map_;
  Match match_;
  Flavor flavor_;
};

}  // namespace

void put_entries(Bytes& out, const MiniMatch& match, Flavor flavor) {
  if (match.map() == 0) return;
  Writer writer(out, match, flavor);
  for (const FieldId id : kOrder) writer.write(id);
  if (flavor == Flavor::kOxm15) {
    for (int i = 0; i < 8; ++i) writer.write(nth(F::kXreg0, i));
  } else {
    for (int i = 0; i < 16; ++i) writer.write(nth(F::kReg0, i));
  }
}

void put_oxm_match(Bytes& out, const MiniMatch& match, Flavor flavor) {
  const std::size_t start = out.size();
  put16(out, 1);
  put16(out, 0);
  put_entries(out, match, flavor);
  set16(out, start + 2, out.size() - start);
  pad_to_8(out, start);
}

}  // namespace hoist::openflow

// SPDX-License-Identifier: BSD-3-Clause
#include "support/pipeline/random_match.hpp"

#include <algorithm>
#include <array>

#include "support/reference/prerequisites.hpp"

namespace hoist::test {
namespace {

using enum FieldId;

bool one_in(Random& random, unsigned n) { return random() % n == 0; }

void put(Match& match, FieldId id, FieldValue value, const FieldValue& mask) {
  for (std::size_t i = 0; i < value.size(); ++i) {
    value[i] = static_cast<std::uint8_t>(value[i] & mask[i]);
  }
  set_field(match.value, field(id), value, mask);
  set_field(match.mask, field(id), mask, mask);
}
void put_exact(Match& match, FieldId id, std::uint64_t value) {
  put(match, id, field_value(value), full_mask(field(id)));
}

/// The whole field, a prefix of it, or any bits.
FieldValue random_mask(const Field& f, Random& random) {
  FieldValue mask = full_mask(f);
  if (!f.is_maskable || !one_in(random, 3)) return mask;
  if (one_in(random, 3)) {
    for (auto& byte : mask) byte = static_cast<std::uint8_t>(byte & random());
    return mask;
  }
  const unsigned wild = static_cast<unsigned>(random() % f.bits);
  for (unsigned i = 0; i < wild; ++i) {
    mask[15 - i / 8] = static_cast<std::uint8_t>(mask[15 - i / 8] & ~(1u << (i % 8)));
  }
  return mask;
}

void add_vlan(Match& match, Random& random) {
  switch (random() % 4) {
    case 0:  // no tag
      return put(match, kVlanVid, {}, field_value(0x1fff));
    case 1:  // any tag
      return put(match, kVlanVid, field_value(kVlanPresent), field_value(kVlanPresent));
    default:
      put(match, kVlanVid, random_value(field(kVlanVid), random), field_value(0x1fff));
      const bool has_tag = allows(match, Prerequisite::kVlan);
      if (has_tag && one_in(random, 3)) put_exact(match, kVlanPcp, random() % 8);
  }
}

/// Adds some of the fields, each with its prerequisites met.
template <std::size_t n>
void add_some(Match& match, const std::array<FieldId, n>& ids, Random& random, unsigned odds) {
  for (const FieldId id : ids) {
    const Field& f = field(id);
    if (!one_in(random, odds) || !allows(match, f.prerequisite)) continue;
    put(match, id, random_value(f, random), random_mask(f, random));
  }
}

void add_transport(Match& match, Random& random, bool is_v6) {
  constexpr std::array<std::uint8_t, 4> kProtocols = {6, 17, 132, 0};
  const std::uint8_t proto = kProtocols[random() % 4];
  put_exact(match, kIpProto, proto != 0 ? proto : is_v6 ? 58u : 1u);
  constexpr std::array kFields = {kTcpSrc,  kTcpDst,   kTcpFlags, kUdpSrc,     kUdpDst,    kSctpSrc,
                                  kSctpDst, kIcmpType, kIcmpCode, kIcmpv6Type, kIcmpv6Code};
  add_some(match, kFields, random, 2);
  if (is_v6 && proto == 0 && one_in(random, 2)) {
    put_exact(match, kIcmpv6Type, 135 + random() % 2);
    put_exact(match, kIcmpv6Code, 0);
    constexpr std::array kNd = {kNdTarget, kNdSll, kNdTll};
    add_some(match, kNd, random, 2);
  }
}

void add_network(Match& match, Random& random) {
  constexpr std::array<std::uint16_t, 8> kTypes = {0x0800, 0x0800, 0x0800, 0x86dd,
                                                   0x86dd, 0x0806, 0x8847, 0x8848};
  const std::uint16_t type =
      one_in(random, 8) ? static_cast<std::uint16_t>(low64(random_value(field(kEthType), random)))
                        : kTypes[random() % kTypes.size()];
  put_exact(match, kEthType, type);
  constexpr std::array kAddresses = {kNwSrc, kNwDst, kIpv6Src, kIpv6Dst};
  add_some(match, kAddresses, random, 2);
  constexpr std::array kRare = {kIpDscp,     kIpEcn,     kIpTtl,  kIpFrag, kIpv6Label,
                                kIpv6Exthdr, kArpOp,     kArpSpa, kArpTpa, kArpSha,
                                kArpTha,     kMplsLabel, kMplsTc, kMplsBos};
  add_some(match, kRare, random, 5);
  if (type == 0x0800 || type == 0x86dd) {
    if (one_in(random, 2)) add_transport(match, random, type == 0x86dd);
  }
}

}  // namespace

bool allows(const Match& match, Prerequisite prerequisite) {
  // Prerequisites are exact matches, so a match meets one if its value does.
  return reference::is_met(prerequisite, match.value);
}

Match random_match(Random& random, std::uint32_t port_count) {
  Match match;
  if (one_in(random, 12)) return match;
  if (one_in(random, 3)) put_exact(match, kInPort, 1 + random() % port_count);
  constexpr std::array kEthernet = {kEthDst, kEthSrc};
  add_some(match, kEthernet, random, 4);
  if (one_in(random, 4)) add_vlan(match, random);
  if (!one_in(random, 4)) add_network(match, random);
  constexpr std::array kState = {kMetadata, kReg0,     static_cast<FieldId>(to_integer(kReg0) + 1),
                                 kXreg0,    kTunnelId, kPktMark};
  add_some(match, kState, random, 12);
  return match;
}

void add_tracked(Match& match, Random& random) {
  constexpr std::array<std::uint32_t, 7> kBits = {0x01, 0x02, 0x08, 0x10, 0x20, 0x40, 0x80};
  constexpr std::array<std::uint32_t, 5> kUsual = {0x21, 0x22, 0x2a, 0x30, 0x00};
  if (one_in(random, 2)) {
    const std::uint32_t state = kUsual[random() % kUsual.size()];
    put(match, kCtState, field_value(state), field_value(state == 0 ? 0x20 : state));
  } else if (one_in(random, 2)) {
    const std::uint32_t bit = kBits[random() % kBits.size()];
    put(match, kCtState, field_value(one_in(random, 2) ? bit : 0), field_value(bit));
  }
  constexpr std::array kFound = {kCtMark, kCtZone, kCtLabel};
  add_some(match, kFound, random, 6);
  if (one_in(random, 8)) put_exact(match, kCtNwProto, 17);
}

}  // namespace hoist::test

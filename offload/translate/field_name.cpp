// SPDX-License-Identifier: BSD-3-Clause
#include "translate/field_name.hpp"

#include <algorithm>
#include <array>

#include "hoist/field.hpp"
#include "translate/match.hpp"

namespace hoist::offload {
namespace {

bool fits(Prerequisite prerequisite, const Match& match) {
  const std::uint16_t type = exact_eth_type(match);
  const std::uint8_t proto = exact_ip_proto(match);
  const bool is_ip = type == kEthIpv4 || type == kEthIpv6;
  switch (prerequisite) {
    case Prerequisite::kArp:
      return type == kEthArp || type == 0x8035;
    case Prerequisite::kIp:
      return is_ip;
    case Prerequisite::kIpv4:
      return type == kEthIpv4;
    case Prerequisite::kIpv6:
      return type == kEthIpv6;
    case Prerequisite::kMpls:
      return type == kEthMpls || type == kEthMplsMulticast;
    case Prerequisite::kTcp:
      return proto == 6;
    case Prerequisite::kUdp:
      return proto == 17;
    case Prerequisite::kSctp:
      return proto == 132;
    case Prerequisite::kIcmpv4:
      return type == kEthIpv4 && proto == 1;
    case Prerequisite::kIcmpv6:
      return type == kEthIpv6 && proto == 58;
    case Prerequisite::kNd:
    case Prerequisite::kNdSolicit:
    case Prerequisite::kNdAdvertise:
      return type == kEthIpv6;
    default:
      return true;
  }
}

bool has_bits(const FlowKey& mask, const Field& f) {
  const FieldValue bits = get_field(mask, f);
  return std::ranges::any_of(bits, [](std::uint8_t b) { return b != 0; });
}

constexpr std::array<std::string_view, static_cast<std::size_t>(Hazard::kCount)> kHazardNames = {
    "802.3 frames",      "tagged packets",    "double-tagged packets",  "malformed IPv4",
    "IPv4 fragments",    "malformed IPv6",    "IPv6 extension headers", "malformed ARP",
    "short TCP headers", "short UDP headers", "short SCTP headers",     "short ICMP headers",
    "short TCP headers", "short UDP headers", "short SCTP headers",     "short ICMPv6 headers"};

}  // namespace

std::string field_name(const FlowKey& mask, const Match& match) {
  for (const Field& f : kFields) {
    if (has_bits(mask, f) && fits(f.prerequisite, match)) return std::string(f.name);
  }
  for (const Field& f : kFields) {
    if (has_bits(mask, f)) return std::string(f.name);
  }
  return "a field";
}

std::string_view hazard_name(const HazardSet& hazards) {
  for (std::size_t i = 0; i < hazards.size(); ++i) {
    if (hazards.test(i)) return kHazardNames[i];
  }
  return "nothing";
}

}  // namespace hoist::offload

// SPDX-License-Identifier: BSD-3-Clause
#include "translate/rule_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "hoist/field.hpp"
#include "translate/match.hpp"

namespace hoist::offload {
namespace {

std::string hex(const FieldValue& value) {
  std::string out = "0x";
  bool started = false;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (!started && value[i] == 0 && i + 1 < value.size()) continue;
    std::array<char, 3> byte{};
    std::snprintf(byte.data(), byte.size(), started ? "%02x" : "%x", value[i]);
    out += byte.data();
    started = true;
  }
  return out;
}

std::string joined(const FieldValue& value, std::size_t bytes, const char* format, char separator) {
  std::string out;
  for (std::size_t i = 16 - bytes; i < 16; ++i) {
    std::array<char, 4> part{};
    std::snprintf(part.data(), part.size(), format, value[i]);
    if (!out.empty()) out += separator;
    out += part.data();
  }
  return out;
}

std::string text(const Field& f, const FieldValue& value) {
  switch (f.display) {
    case Display::kMac:
      return joined(value, 6, "%02x", ':');
    case Display::kIpv4:
      return joined(value, 4, "%u", '.');
    case Display::kDecimal:
    case Display::kPort:
      return std::to_string(low64(value));
    default:
      return hex(value);
  }
}

bool is_zero(const FieldValue& value) {
  return std::ranges::all_of(value, [](std::uint8_t b) { return b == 0; });
}

/// Fields that share bytes of the key are read as the rule's EtherType and protocol say.
bool is_meant(const Field& f, const Match& match) {
  const std::uint16_t type = exact_eth_type(match);
  const std::uint8_t proto = exact_ip_proto(match);
  switch (f.prerequisite) {
    case Prerequisite::kArp:
      return type == kEthArp;
    case Prerequisite::kIpv4:
      return type == kEthIpv4;
    case Prerequisite::kIpv6:
      return type == kEthIpv6;
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
    case Prerequisite::kNdSolicit:
    case Prerequisite::kNdAdvertise:
      return false;
    default:
      break;
  }
  // Narrower names of bytes that another row shows.
  switch (f.id) {
    case FieldId::kVlanVid:
    case FieldId::kVlanPcp:
    case FieldId::kIpDscp:
    case FieldId::kIpEcn:
      return false;
    default:
      return f.id < FieldId::kXreg0 || f.id > FieldId::kXxreg3;
  }
}

}  // namespace

std::string rule_text(const RuleSpec& rule) {
  std::string out =
      "table=" + std::to_string(rule.table_id) + ",priority=" + std::to_string(rule.priority);
  const Match match = rule.match.expand();
  for (const Field& f : kFields) {
    const FieldValue mask = get_field(match.mask, f);
    if (is_zero(mask) || !is_meant(f, match)) continue;
    out += ',' + std::string(f.name) + '=' + text(f, get_field(match.value, f));
    if (mask != full_mask(f))
      out += '/' + (f.display == Display::kIpv4 ? text(f, mask) : hex(mask));
  }
  return out;
}

}  // namespace hoist::offload

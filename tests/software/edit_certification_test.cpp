// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <functional>
#include <string_view>

#include "packet/edit.hpp"
#include "support/test_mbuf.hpp"

namespace hoist::software {
namespace {

using test::Bytes;
using test::TestMbuf;
using enum FieldId;

Bytes unhex(std::string_view text) {
  Bytes out;
  std::string digits;
  for (const char c : text) {
    if (c != ' ') digits += c;
    if (digits.size() < 2) continue;
    out.push_back(static_cast<std::uint8_t>(std::stoul(digits, nullptr, 16)));
    digits.clear();
  }
  return out;
}

// Bytes put down by hand, checksums too: nothing here comes out of the packet builder.
constexpr std::string_view kAddresses = "222222222222 121111111111 ";
constexpr std::string_view kIpv4Icmp =
    "45200024000000004001db4ac0a80a0ac0a81414 080059da00000000 0123456789abcdef";
constexpr std::string_view kArp =
    "0001 0800 06 04 0001 121111111111 c0a80a0a 222222222222 c0a81414";

std::string hex(std::initializer_list<std::string_view> parts) {
  std::string out;
  for (const std::string_view part : parts) out += part;
  return out;
}

using Edit = std::function<bool(rte_mbuf&, Layers&)>;

Edit set(FieldId id, std::uint64_t value) {
  return [=](rte_mbuf& m, Layers& l) {
    return set_field(m, l, field(id), field_value(value), full_mask(field(id)));
  };
}
Edit push_tag(std::uint16_t type) {
  return [=](rte_mbuf& m, Layers& l) { return push_vlan(m, l, type); };
}
Edit push_label(std::uint16_t type) {
  return [=](rte_mbuf& m, Layers& l) { return push_mpls(m, l, type); };
}

/// What switches are certified to make of such packets (the patterns of the Ryu certification).
struct Case {
  std::string name;
  std::string before;
  Edit edit;
  std::string after;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class EditCertificationTest : public testing::TestWithParam<Case> {};

TEST_P(EditCertificationTest, GivesTheBytesExpected) {
  TestMbuf packet(unhex(GetParam().before));
  FlowKey key{};
  Layers layers = parse(*packet, PortNo{1}, key);
  ASSERT_TRUE(GetParam().edit(*packet, layers));
  EXPECT_EQ(packet.bytes(), unhex(GetParam().after));
}

const std::vector<Case> kCases = {
    {"push_vlan", hex({kAddresses, "0800", kIpv4Icmp}), push_tag(0x8100),
     hex({kAddresses, "8100 0000 0800", kIpv4Icmp})},
    {"push_vlan_on_vlan", hex({kAddresses, "8100 6064 0806", kArp}), push_tag(0x88a8),
     hex({kAddresses, "88a8 6064 8100 6064 0806", kArp})},
    {"pop_vlan", hex({kAddresses, "8100 6064 0800", kIpv4Icmp}), pop_vlan,
     hex({kAddresses, "0800", kIpv4Icmp})},
    {"push_mpls_takes_ip_ttl", hex({kAddresses, "0800", kIpv4Icmp}), push_label(0x8847),
     hex({kAddresses, "8847 00000140", kIpv4Icmp})},
    {"push_mpls_over_arp", hex({kAddresses, "0806", kArp}), push_label(0x8847),
     hex({kAddresses, "8847 00000100", kArp})},
    {"push_mpls_on_mpls", hex({kAddresses, "8847 00064740", kArp}), push_label(0x8847),
     hex({kAddresses, "8847 00064640 00064740", kArp})},
    {"pop_mpls", hex({kAddresses, "8847 00064740", kArp}),
     [](rte_mbuf& m, Layers& l) { return pop_mpls(m, l, 0x0806); },
     hex({kAddresses, "0806", kArp})},
    {"mpls_bos", hex({kAddresses, "8847 00064740", kArp}), set(kMplsBos, 0),
     hex({kAddresses, "8847 00064640", kArp})},
    {"mpls_label", hex({kAddresses, "8847 00064740", kArp}), set(kMplsLabel, 203),
     hex({kAddresses, "8847 000cb740", kArp})},
    {"vlan_vid", hex({kAddresses, "8100 6064 0806", kArp}), set(kVlanVid, 0x10cb),
     hex({kAddresses, "8100 60cb 0806", kArp})},
    {"eth_type", hex({kAddresses, "0806", kArp}), set(kEthType, 0x8848),
     hex({kAddresses, "8848", kArp})},
    {"icmp_code", hex({kAddresses, "0800", kIpv4Icmp}), set(kIcmpCode, 10),
     hex({kAddresses, "0800", "45200024000000004001db4ac0a80a0ac0a81414",
          "080a59d000000000 0123456789abcdef"})},
    {"ip_dscp", hex({kAddresses, "0800", kIpv4Icmp}), set(kIpDscp, 16),
     hex({kAddresses, "0800", "45400024000000004001db2ac0a80a0ac0a81414",
          "080059da00000000 0123456789abcdef"})},
    // The TCP checksum follows the protocol number in its pseudo header: 0xcb4c less 17 - 6.
    {"ip_proto",
     hex({kAddresses, "0800 4520003800000000 4006db31 c0a80a0a c0a81414",
          "2b6708ae 00000000 00000000 60000000 cb4c0000 00000000 0102030405060708 090a0b0c"}),
     set(kIpProto, 17),
     hex({kAddresses, "0800 4520003800000000 4011db26 c0a80a0a c0a81414",
          "2b6708ae 00000000 00000000 60000000 cb410000 00000000 0102030405060708 090a0b0c"})},
};

INSTANTIATE_TEST_SUITE_P(Ryu, EditCertificationTest, testing::ValuesIn(kCases),
                         [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace hoist::software

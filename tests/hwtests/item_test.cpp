// SPDX-License-Identifier: BSD-3-Clause
// What patterns match: each item against packets that have it and packets that do not.
#include <bit>
#include <cstring>

#include "nic_bench.hpp"

namespace emulated_nic::test {
namespace {

using hoist::test::ip4;
using hoist::test::ip6;
using hoist::test::mac;
using hoist::test::Packet;

constexpr std::uint16_t be16(std::uint16_t value) {
  return static_cast<std::uint16_t>(value << 8 | value >> 8);
}

class ItemTest : public NicBench {
 protected:
  void SetUp() override { use("ideal"); }

  /// Whether a rule with this pattern matches the frame.
  bool matches(Flow flow, const Bytes& frame) {
    rte_flow* rule = install(flow.mark(1).queue(0));
    const auto packets = pass(0, frame);
    rte_flow_error error{};
    EXPECT_EQ(rte_flow_destroy(0, rule, &error), 0);
    return !packets.empty() && packets[0].mark.has_value();
  }
  static Flow rule() { return Flow::ingress(); }
};

TEST_F(ItemTest, EthernetAddressesAndType) {
  rte_flow_item_eth spec{};
  rte_flow_item_eth mask{};
  std::memcpy(spec.dst.addr_bytes, mac("02:00:00:00:00:02").data(), 6);
  std::memset(mask.dst.addr_bytes, 0xff, 6);
  spec.type = be16(0x0806);
  mask.type = 0xffff;
  const Flow flow = rule().item(RTE_FLOW_ITEM_TYPE_ETH, spec, mask);
  EXPECT_TRUE(matches(flow, Packet().eth().arp().bytes()));
  EXPECT_FALSE(matches(flow, Packet().eth().ipv4().bytes()));
  EXPECT_FALSE(matches(flow, Packet().eth({.dst = mac("02:00:00:00:00:03")}).arp().bytes()));
}

TEST_F(ItemTest, NullMaskIsTheItemsDefault) {
  rte_flow_item_ipv4 spec{};
  spec.hdr.src_addr = std::bit_cast<std::uint32_t>(ip4("10.0.0.1"));
  spec.hdr.dst_addr = std::bit_cast<std::uint32_t>(ip4("10.0.0.2"));
  spec.hdr.time_to_live = 3;  // Not in the default mask.
  const Flow flow = rule().eth().item(RTE_FLOW_ITEM_TYPE_IPV4, spec);
  EXPECT_TRUE(matches(flow, Packet().eth().ipv4().udp().bytes()));
  EXPECT_FALSE(matches(flow, Packet().eth().ipv4({.src = ip4("10.0.0.9")}).udp().bytes()));
}

TEST_F(ItemTest, MaskedAddress) {
  rte_flow_item_ipv4 spec{};
  rte_flow_item_ipv4 mask{};
  spec.hdr.dst_addr = std::bit_cast<std::uint32_t>(ip4("10.1.255.255"));
  mask.hdr.dst_addr = std::bit_cast<std::uint32_t>(ip4("255.255.0.0"));
  const Flow flow = rule().eth().item(RTE_FLOW_ITEM_TYPE_IPV4, spec, mask);
  EXPECT_TRUE(matches(flow, Packet().eth().ipv4({.dst = ip4("10.1.2.3")}).bytes()));
  EXPECT_FALSE(matches(flow, Packet().eth().ipv4({.dst = ip4("10.2.2.3")}).bytes()));
}

TEST_F(ItemTest, WithoutVlanItemTagsDoNotMatterOnConnectX) {
  use("connectx");
  EXPECT_TRUE(matches(rule().eth().ipv4(), Packet().eth().ipv4().udp().bytes()));
  EXPECT_TRUE(matches(rule().eth().ipv4(), Packet().eth().vlan().ipv4().udp().bytes()));
  rte_flow_item_eth spec{};
  rte_flow_item_eth mask{};
  mask.has_vlan = 1;
  const Flow untagged = rule().item(RTE_FLOW_ITEM_TYPE_ETH, spec, mask).ipv4();
  EXPECT_TRUE(matches(untagged, Packet().eth().ipv4().udp().bytes()));
  EXPECT_FALSE(matches(untagged, Packet().eth().vlan().ipv4().udp().bytes()));
}

TEST_F(ItemTest, OneVlanItemIsOneTagOnConnectX) {
  use("connectx");
  rte_flow_item_vlan spec{};
  rte_flow_item_vlan mask{};
  spec.tci = be16(7);
  mask.tci = be16(0x0fff);
  const Flow one = rule().eth().item(RTE_FLOW_ITEM_TYPE_VLAN, spec, mask).ipv4();
  EXPECT_TRUE(matches(one, Packet().eth().vlan({.vid = 7, .pcp = 3}).ipv4().udp().bytes()));
  EXPECT_FALSE(matches(one, Packet().eth().vlan({.vid = 8}).ipv4().udp().bytes()));
  EXPECT_FALSE(matches(one, Packet().eth().ipv4().udp().bytes()));
  const Bytes two = Packet().eth().vlan({.vid = 7}).vlan({.vid = 1}).ipv4().udp().bytes();
  EXPECT_FALSE(matches(one, two));
  spec.has_more_vlan = mask.has_more_vlan = 1;
  EXPECT_TRUE(matches(rule().eth().item(RTE_FLOW_ITEM_TYPE_VLAN, spec, mask).ipv4(), two));
}

TEST_F(ItemTest, FragmentsOnConnectX) {
  use("connectx");
  rte_flow_item_ipv4 spec{};
  rte_flow_item_ipv4 last{};
  rte_flow_item_ipv4 mask{};
  mask.hdr.fragment_offset = be16(0x3fff);
  const Flow whole = rule().eth().item(RTE_FLOW_ITEM_TYPE_IPV4, spec, mask);
  spec.hdr.fragment_offset = be16(1);
  last.hdr.fragment_offset = be16(0x3fff);
  const Flow piece = rule().eth().item(RTE_FLOW_ITEM_TYPE_IPV4, spec, mask, last);
  const Bytes packet = Packet().eth().ipv4({.dont_fragment = true}).udp().bytes();
  const Bytes first = Packet().eth().ipv4({.more_fragments = true}).udp().bytes();
  const Bytes later = Packet().eth().ipv4({.proto = 17, .fragment_offset = 4}).bytes();
  for (const Bytes& frame : {first, later}) {
    EXPECT_FALSE(matches(whole, frame));
    EXPECT_TRUE(matches(piece, frame));
  }
  EXPECT_TRUE(matches(whole, packet));
  EXPECT_FALSE(matches(piece, packet));
}

TEST_F(ItemTest, LaterFragmentHasItsProtocolButNoPorts) {
  rte_flow_item_udp spec{};
  rte_flow_item_udp mask{};
  spec.hdr.dst_port = be16(53);
  mask.hdr.dst_port = 0xffff;
  const Bytes later = Packet().eth().ipv4({.proto = 17, .fragment_offset = 4}).bytes();
  EXPECT_TRUE(matches(rule().eth().ipv4().udp(), later));
  EXPECT_FALSE(matches(rule().eth().ipv4().item(RTE_FLOW_ITEM_TYPE_UDP, spec, mask), later));
}

TEST_F(ItemTest, Ipv6BehindExtensionHeaders) {
  rte_flow_item_tcp spec{};
  rte_flow_item_tcp mask{};
  spec.hdr.tcp_flags = 0x02;
  mask.hdr.tcp_flags = 0x02;
  const Flow syn = rule().eth().ipv6().item(RTE_FLOW_ITEM_TYPE_TCP, spec, mask);
  EXPECT_TRUE(matches(syn, Packet().eth().ipv6().tcp({.flags = 0x12}).bytes()));
  EXPECT_TRUE(
      matches(syn, Packet().eth().ipv6().extension({.type = 0}).tcp({.flags = 0x02}).bytes()));
  EXPECT_FALSE(matches(syn, Packet().eth().ipv6().tcp({.flags = 0x10}).bytes()));
}

TEST_F(ItemTest, Ipv6Fragments) {
  rte_flow_item_ipv6 spec{};
  rte_flow_item_ipv6 mask{};
  mask.has_frag_ext = 1;
  const Flow whole = rule().eth().item(RTE_FLOW_ITEM_TYPE_IPV6, spec, mask);
  const Bytes piece = Packet().eth().ipv6().fragment({.more = true}).udp().bytes();
  EXPECT_TRUE(matches(whole, Packet().eth().ipv6().udp().bytes()));
  EXPECT_FALSE(matches(whole, piece));
  EXPECT_TRUE(matches(rule().eth().ipv6().item(RTE_FLOW_ITEM_TYPE_IPV6_FRAG_EXT).udp(), piece));
}

TEST_F(ItemTest, SctpIcmpAndIcmpv6) {
  EXPECT_TRUE(matches(rule().eth().ipv4().item(RTE_FLOW_ITEM_TYPE_SCTP),
                      Packet().eth().ipv4().sctp().bytes()));
  rte_flow_item_icmp echo{};
  rte_flow_item_icmp mask{};
  echo.hdr.icmp_type = 8;
  mask.hdr.icmp_type = 0xff;
  const Flow icmp = rule().eth().ipv4().item(RTE_FLOW_ITEM_TYPE_ICMP, echo, mask);
  EXPECT_TRUE(matches(icmp, Packet().eth().ipv4().icmp().bytes()));
  EXPECT_FALSE(matches(icmp, Packet().eth().ipv4().icmp({.type = 0}).bytes()));
  const Flow icmp6 =
      rule().eth().ipv6().item(RTE_FLOW_ITEM_TYPE_ICMP6, rte_flow_item_icmp6{.type = 128});
  EXPECT_TRUE(matches(icmp6, Packet().eth().ipv6().icmpv6().bytes()));
}

TEST_F(ItemTest, NeighbourSolicitationWithItsOption) {
  rte_flow_item_icmp6_nd_ns spec{};
  spec.type = 135;
  const auto target = ip6("fd00::7");
  std::memcpy(spec.target_addr, target.data(), 16);
  rte_flow_item_icmp6_nd_opt_sla_eth option{};
  std::memcpy(option.sla.addr_bytes, mac("02:00:00:00:00:aa").data(), 6);
  const Flow flow = rule()
                        .eth()
                        .ipv6()
                        .item(RTE_FLOW_ITEM_TYPE_ICMP6_ND_NS, spec)
                        .item(RTE_FLOW_ITEM_TYPE_ICMP6_ND_OPT_SLA_ETH, option);
  const auto frame = [&](const char* sll) {
    return Packet().eth().ipv6().neighbour({.target = target, .sll = mac(sll)}).bytes();
  };
  EXPECT_TRUE(matches(flow, frame("02:00:00:00:00:aa")));
  EXPECT_FALSE(matches(flow, frame("02:00:00:00:00:ab")));
}

TEST_F(ItemTest, ArpAddresses) {
  rte_flow_item_arp_eth_ipv4 spec{};
  rte_flow_item_arp_eth_ipv4 mask{};
  spec.op = be16(1);
  mask.op = 0xffff;
  spec.tpa = std::bit_cast<std::uint32_t>(ip4("10.0.0.2"));
  mask.tpa = UINT32_MAX;
  const Flow flow = rule().eth().item(RTE_FLOW_ITEM_TYPE_ARP_ETH_IPV4, spec, mask);
  EXPECT_TRUE(matches(flow, Packet().eth().arp().bytes()));
  EXPECT_FALSE(matches(flow, Packet().eth().arp({.op = 2}).bytes()));
  EXPECT_FALSE(matches(flow, Packet().eth().arp({.tpa = ip4("10.0.0.3")}).bytes()));
}

TEST_F(ItemTest, MplsLabels) {
  rte_flow_item_mpls spec{};
  rte_flow_item_mpls mask{};
  spec.label_tc_s[1] = 0x01;  // Label 16.
  mask.label_tc_s[0] = mask.label_tc_s[1] = 0xff;
  mask.label_tc_s[2] = 0xf0;
  const Flow flow = rule().eth().item(RTE_FLOW_ITEM_TYPE_MPLS, spec, mask);
  EXPECT_TRUE(matches(flow, Packet().eth().mpls({.label = 16}).ipv4().bytes()));
  EXPECT_FALSE(matches(flow, Packet().eth().mpls({.label = 17}).ipv4().bytes()));
}

TEST_F(ItemTest, ShortAndStrangeFramesMatchWhatTheyHave) {
  const Bytes packet = Packet().eth().ipv4().tcp().bytes();
  for (std::size_t size = 14; size < packet.size(); ++size) {
    const Bytes cut(packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_TRUE(matches(rule().eth(), cut));
    EXPECT_EQ(matches(rule().eth().ipv4(), cut), size >= 34) << size;
  }
}

}  // namespace
}  // namespace emulated_nic::test

// SPDX-License-Identifier: BSD-3-Clause
#include "packet/parse.hpp"

#include <gtest/gtest.h>

#include "parse_frame.hpp"

namespace hoist::software {
namespace {

using test::ip4;
using test::ip6;
using test::mac;
using test::Packet;

TEST(ParseTest, EthernetAddressesTypeAndPort) {
  const auto [key, layers] = parse_exactly(Packet().eth(
      {.dst = mac("02:00:00:00:00:0b"), .src = mac("02:00:00:00:00:0a"), .type = 0x88b5}));
  FlowKey expected{};
  expected.in_port = Be32{7};
  expected.eth_dst = mac("02:00:00:00:00:0b");
  expected.eth_src = mac("02:00:00:00:00:0a");
  expected.eth_type = Be16{0x88b5};
  EXPECT_EQ(key, expected);
  EXPECT_EQ(layers, (Layers{.l2_end = 14, .eth_type = 0x88b5}));
}

TEST(ParseTest, PipelineStateIsLeftAlone) {
  const test::Bytes frame = Packet().eth().ipv4().udp().bytes();
  FlowKey key{};
  key.metadata = Be64{1};
  key.regs[15] = Be32{2};
  key.ct_tp_dst = Be16{3};
  (void)parse(frame.data(), frame.size(), PortNo{1}, key);
  EXPECT_EQ(key.metadata, Be64{1});
  EXPECT_EQ(key.regs[15], Be32{2});
  EXPECT_EQ(key.ct_tp_dst, Be16{3});
}

TEST(ParseTest, FrameBelowAnEthernetHeaderIsARunt) {
  for (std::size_t length = 0; length < 14; ++length) {
    const auto [key, layers] = parse_exactly(test::Bytes(14, 0xff), length);
    FlowKey expected{};
    expected.in_port = Be32{7};
    EXPECT_EQ(key, expected);
    EXPECT_EQ(layers, (Layers{.flags = Layers::kRunt}));
    EXPECT_TRUE(layers.is_malformed());
  }
}

TEST(ParseTest, OneTag) {
  const auto [key, layers] = parse_exactly(Packet().eth().vlan({.vid = 5, .pcp = 3}).ipv4().udp());
  EXPECT_EQ(key.vlan_tci, Be16{0x7005});
  EXPECT_EQ(key.inner_vlan_tci, Be16{});
  EXPECT_EQ(key.eth_type, Be16{0x0800});
  EXPECT_EQ(key.tp_dst, Be16{53});
  EXPECT_EQ(layers.vlan_count, 1);
  EXPECT_EQ(layers.l2_end, 18);
  EXPECT_EQ(layers.l3_offset, 18);
}

TEST(ParseTest, TwoTagsOfEitherType) {
  const auto [key, layers] = parse_exactly(
      Packet().eth().vlan({.vid = 5, .tpid = 0x88a8}).vlan({.vid = 6, .cfi = true}).ipv6().tcp());
  EXPECT_EQ(key.vlan_tci, Be16{0x1005});
  EXPECT_EQ(key.inner_vlan_tci, Be16{0x1006});
  EXPECT_EQ(key.eth_type, Be16{0x86dd});
  EXPECT_EQ(layers.l4_offset, 22 + 40);
}

TEST(ParseTest, ThirdTagIsThePayload) {
  const auto [key, layers] = parse_exactly(
      Packet().eth().vlan().vlan({.vid = 2}).vlan({.vid = 3, .tpid = 0x88a8}).ipv4().udp());
  EXPECT_EQ(key.inner_vlan_tci, Be16{0x1002});
  EXPECT_EQ(key.eth_type, Be16{0x88a8});
  EXPECT_EQ(key.nw_src, Be32{});
  EXPECT_EQ(layers.l2_end, 22);
  EXPECT_EQ(layers.l3_offset, Layers::kNone);
}

TEST(ParseTest, TagWithoutAnInnerTypeIsNoTag) {
  const test::Bytes frame = Packet().eth().vlan().ipv4().bytes();
  const auto [key, layers] = parse_exactly(frame, 17);
  EXPECT_EQ(key.eth_type, Be16{0x8100});
  EXPECT_EQ(key.vlan_tci, Be16{});
  EXPECT_EQ(parse_exactly(frame, 18).key.eth_type, Be16{0x0800});
}

TEST(ParseTest, SnapGivesTheType) {
  const auto [key, layers] = parse_exactly(Packet().eth().snap().ipv4().udp());
  EXPECT_EQ(key.eth_type, Be16{0x0800});
  EXPECT_EQ(key.tp_dst, Be16{53});
  EXPECT_EQ(layers.l2_end, 22);
  EXPECT_TRUE(layers.has(Layers::kIsLength));
}

TEST(ParseTest, Other8023HasNoType) {
  EXPECT_EQ(parse_exactly(Packet().eth().llc().payload(40)).key.eth_type, Be16{0x05ff});
  EXPECT_EQ(parse_exactly(Packet().eth().snap({.oui = 0xc}).ipv4().udp()).key.eth_type,
            Be16{0x05ff});
  EXPECT_EQ(parse_exactly(Packet().eth().snap({.type = 0x0100})).key.eth_type, Be16{0x05ff});
  EXPECT_EQ(parse_exactly(Packet().eth().snap().bytes(), 21).key.eth_type, Be16{0x05ff});
  EXPECT_EQ(parse_exactly(Packet().eth().vlan().llc()).key.eth_type, Be16{0x05ff});
}

TEST(ParseTest, OutermostLabelAlone) {
  const auto [key, layers] =
      parse_exactly(Packet().eth().mpls({.label = 100, .tc = 3, .ttl = 9}).mpls().ipv4().udp());
  EXPECT_EQ(key.mpls_lse, Be32{100u << 12 | 3u << 9 | 9u});
  EXPECT_EQ(key.eth_type, Be16{0x8847});
  EXPECT_EQ(key.nw_src, Be32{});
  EXPECT_EQ(layers, (Layers{.l2_end = 14, .eth_type = 0x8847, .mpls_count = 2}));
}

TEST(ParseTest, StackWithoutABottomIsCountedToTheEnd) {
  const auto [key, layers] =
      parse_exactly(Packet().eth().mpls({.bos = false, .ethertype = 0x8848}).payload(7));
  EXPECT_EQ(layers.mpls_count, 2);
  EXPECT_FALSE(layers.is_malformed());
  const auto cut = parse_exactly(Packet().eth().mpls().bytes(), 17);
  EXPECT_EQ(cut.key.mpls_lse, Be32{});
  EXPECT_TRUE(cut.layers.has(Layers::kBadL3));
}

TEST(ParseTest, ArpAndRarp) {
  for (const std::uint16_t type : {std::uint16_t{0x0806}, std::uint16_t{0x8035}}) {
    const auto [key, layers] = parse_exactly(Packet().eth().arp({.op = 2,
                                                                 .sha = mac("02:00:00:00:00:0a"),
                                                                 .spa = ip4("10.1.2.3"),
                                                                 .tha = mac("02:00:00:00:00:0b"),
                                                                 .tpa = ip4("10.4.5.6"),
                                                                 .ethertype = type}));
    EXPECT_EQ(key.eth_type, Be16{type});
    EXPECT_EQ(key.arp_op, Be16{2});
    EXPECT_EQ(key.nw_src, ip4("10.1.2.3"));
    EXPECT_EQ(key.nw_dst, ip4("10.4.5.6"));
    EXPECT_EQ(key.l2_sha, mac("02:00:00:00:00:0a"));
    EXPECT_EQ(key.l2_tha, mac("02:00:00:00:00:0b"));
    EXPECT_EQ(layers.l3_offset, 14);
  }
}

TEST(ParseTest, ArpForAnythingElseHasNoFields) {
  for (const test::Arp& arp : {test::Arp{.hardware = 6}, test::Arp{.protocol = 0x86dd},
                               test::Arp{.hardware_bytes = 8}, test::Arp{.protocol_bytes = 16}}) {
    const auto [key, layers] = parse_exactly(Packet().eth().arp(arp));
    EXPECT_EQ(key.nw_src, Be32{});
    EXPECT_EQ(key.arp_op, Be16{});
    EXPECT_EQ(layers.l3_offset, Layers::kNone);
    EXPECT_TRUE(layers.has(Layers::kBadL3));
  }
  EXPECT_TRUE(parse_exactly(Packet().eth().arp().bytes(), 41).layers.has(Layers::kBadL3));
}

TEST(ParseTest, ArpOperationAboveOneByteReadsAsZero) {
  const auto [key, layers] = parse_exactly(Packet().eth().arp({.op = 0x0102}));
  EXPECT_EQ(key.arp_op, Be16{});
  EXPECT_EQ(key.nw_src, ip4("10.0.0.1"));
}

TEST(ParseTest, HeaderOutsideTheFirstSegmentCountsAsCutShort) {
  const test::Bytes frame = Packet().eth().ipv4().tcp().payload(1000).bytes();
  FlowKey key{};
  const Layers whole = parse(frame.data(), 54, frame.size(), PortNo{1}, key);
  EXPECT_EQ(key.tp_dst, Be16{80});
  EXPECT_EQ(whole.l4_size, 1020);
  EXPECT_FALSE(whole.is_malformed());
  const Layers cut = parse(frame.data(), 53, frame.size(), PortNo{1}, key);
  EXPECT_EQ(key.tp_dst, Be16{});
  EXPECT_EQ(key.ip_proto, 6);
  EXPECT_TRUE(cut.has(Layers::kBadL4));
}

}  // namespace
}  // namespace hoist::software

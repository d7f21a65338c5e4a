// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "packet/edit.hpp"
#include "support/test_mbuf.hpp"

namespace hoist::software {
namespace {

using test::Bytes;
using test::ip4;
using test::ip6;
using test::mac;
using test::Packet;
using test::TestMbuf;
using enum FieldId;

FieldValue value_of(std::uint64_t v) { return field_value(v); }
FieldValue value_of(const MacAddress& m) {
  std::uint64_t v = 0;
  for (const std::uint8_t b : m) v = v << 8 | b;
  return field_value(v);
}
FieldValue value_of(Be32 address) { return field_value(address.host()); }

/// Sets one field of one packet; the builder makes the packet that must come out.
struct Case {
  std::string name;
  Packet before;
  FieldId field;
  FieldValue value;
  Packet after;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class SetFieldTest : public testing::TestWithParam<Case> {};

TEST_P(SetFieldTest, GivesThePacketBuiltThatWay) {
  TestMbuf packet(GetParam().before.bytes());
  FlowKey key{};
  Layers layers = parse(*packet, PortNo{1}, key);
  const Field& f = field(GetParam().field);
  ASSERT_TRUE(set_field(*packet, layers, f, GetParam().value, full_mask(f)));
  EXPECT_EQ(packet.bytes(), GetParam().after.bytes());
  FlowKey after{};
  EXPECT_EQ(parse(*packet, PortNo{1}, after), layers);
  EXPECT_EQ(get_field(after, f), GetParam().value);
}

std::vector<Case> layer2_cases() {
  const MacAddress m = mac("02:00:00:00:0a:0b");
  return {
      {"eth_dst", Packet().eth().ipv4().udp(), kEthDst, value_of(m),
       Packet().eth({.dst = m}).ipv4().udp()},
      {"eth_src", Packet().eth().ipv4().udp(), kEthSrc, value_of(m),
       Packet().eth({.src = m}).ipv4().udp()},
      {"eth_type", Packet().eth().vlan().ipv4().udp(), kEthType, value_of(0x8848),
       Packet().eth().vlan({.type = 0x8848}).ipv4().udp()},
      {"eth_type_in_snap", Packet().eth().snap().ipv4().udp(), kEthType, value_of(0x1234),
       Packet().eth().snap({.type = 0x1234}).ipv4().udp()},
      {"vlan_vid", Packet().eth().vlan({.vid = 5, .pcp = 3, .cfi = true}).arp(), kVlanVid,
       value_of(0x1007), Packet().eth().vlan({.vid = 7, .pcp = 3, .cfi = true}).arp()},
      {"vlan_pcp", Packet().eth().vlan({.vid = 5, .pcp = 3}).vlan().arp(), kVlanPcp, value_of(6),
       Packet().eth().vlan({.vid = 5, .pcp = 6}).vlan().arp()},
      {"vlan_tci", Packet().eth().vlan({.vid = 5, .pcp = 3}).arp(), kVlanTci, value_of(0xf006),
       Packet().eth().vlan({.vid = 6, .pcp = 7}).arp()},
      {"vlan_vid_untagged", Packet().eth().ipv6().udp(), kVlanVid, value_of(0x1007),
       Packet().eth().vlan({.vid = 7}).ipv6().udp()},
      {"vlan_tci_zero", Packet().eth().vlan().vlan({.vid = 9}).ipv6().udp(), kVlanTci,
       value_of(0x1009), Packet().eth().vlan({.vid = 9}).vlan({.vid = 9}).ipv6().udp()},
      {"mpls_label", Packet().eth().mpls({.label = 5, .tc = 2}).ipv4(), kMplsLabel,
       value_of(0xabcde), Packet().eth().mpls({.label = 0xabcde, .tc = 2}).ipv4()},
      {"mpls_tc", Packet().eth().vlan().mpls({.tc = 2}).mpls().ipv4(), kMplsTc, value_of(5),
       Packet().eth().vlan().mpls({.tc = 5}).mpls().ipv4()},
      {"mpls_bos", Packet().eth().mpls().ipv4(), kMplsBos, value_of(0u),
       Packet().eth().mpls({.bos = false}).ipv4()},
      {"mpls_ttl", Packet().eth().mpls().ipv4(), kMplsTtl, value_of(9),
       Packet().eth().mpls({.ttl = 9}).ipv4()},
      {"arp_op", Packet().eth().arp(), kArpOp, value_of(2), Packet().eth().arp({.op = 2})},
      {"arp_spa", Packet().eth().arp(), kArpSpa, value_of(ip4("1.2.3.4")),
       Packet().eth().arp({.spa = ip4("1.2.3.4")})},
      {"arp_tpa", Packet().eth().arp(), kArpTpa, value_of(ip4("1.2.3.4")),
       Packet().eth().arp({.tpa = ip4("1.2.3.4")})},
      {"arp_sha", Packet().eth().vlan().arp(), kArpSha, value_of(m),
       Packet().eth().vlan().arp({.sha = m})},
      {"arp_tha", Packet().eth().arp(), kArpTha, value_of(m), Packet().eth().arp({.tha = m})},
  };
}

std::vector<Case> ipv4_cases() {
  const Be32 a = ip4("192.0.2.200");
  return {
      {"nw_src_tcp", Packet().eth().ipv4().tcp().payload(3), kNwSrc, value_of(a),
       Packet().eth().ipv4({.src = a}).tcp().payload(3)},
      {"nw_dst_udp", Packet().eth().ipv4().udp().payload(3), kNwDst, value_of(a),
       Packet().eth().ipv4({.dst = a}).udp().payload(3)},
      {"nw_dst_udp_unsummed", Packet().eth().ipv4().udp({.checksum = 0}), kNwDst, value_of(a),
       Packet().eth().ipv4({.dst = a}).udp({.checksum = 0})},
      {"nw_dst_icmp", Packet().eth().ipv4().icmp(), kNwDst, value_of(a),
       Packet().eth().ipv4({.dst = a}).icmp()},
      {"nw_dst_sctp", Packet().eth().ipv4().sctp(), kNwDst, value_of(a),
       Packet().eth().ipv4({.dst = a}).sctp()},
      {"nw_src_options", Packet().eth().ipv4({.options = Bytes(8, 1)}).tcp(), kNwSrc, value_of(a),
       Packet().eth().ipv4({.src = a, .options = Bytes(8, 1)}).tcp()},
      {"nw_src_first_fragment", Packet().eth().ipv4({.more_fragments = true}).udp().payload(8),
       kNwSrc, value_of(a),
       Packet().eth().ipv4({.src = a, .more_fragments = true}).udp().payload(8)},
      {"nw_src_later_fragment",
       Packet().eth().ipv4({.proto = 17, .fragment_offset = 3}).payload(40), kNwSrc, value_of(a),
       Packet().eth().ipv4({.src = a, .proto = 17, .fragment_offset = 3}).payload(40)},
      {"nw_tos", Packet().eth().ipv4().udp(), kIpTos, value_of(0xb9),
       Packet().eth().ipv4({.tos = 0xb9}).udp()},
      {"ip_dscp", Packet().eth().ipv4({.tos = 3}).udp(), kIpDscp, value_of(0x2e),
       Packet().eth().ipv4({.tos = 0xbb}).udp()},
      {"nw_ecn", Packet().eth().ipv4({.tos = 0xb8}).udp(), kIpEcn, value_of(1),
       Packet().eth().ipv4({.tos = 0xb9}).udp()},
      {"nw_ttl", Packet().eth().ipv4().udp(), kIpTtl, value_of(1),
       Packet().eth().ipv4({.ttl = 1}).udp()},
      {"tcp_src", Packet().eth().ipv4().tcp(), kTcpSrc, value_of(7),
       Packet().eth().ipv4().tcp({.src = 7})},
      {"tcp_dst", Packet().eth().vlan().ipv4().tcp().payload(1), kTcpDst, value_of(7),
       Packet().eth().vlan().ipv4().tcp({.dst = 7}).payload(1)},
      {"udp_src", Packet().eth().ipv4().udp(), kUdpSrc, value_of(7),
       Packet().eth().ipv4().udp({.src = 7})},
      {"udp_dst", Packet().eth().ipv4().udp().payload(5), kUdpDst, value_of(7),
       Packet().eth().ipv4().udp({.dst = 7}).payload(5)},
      {"sctp_src", Packet().eth().ipv4().sctp().payload(21), kSctpSrc, value_of(7),
       Packet().eth().ipv4().sctp({.src = 7}).payload(21)},
      {"sctp_dst", Packet().eth().ipv4().sctp().pad_to(60), kSctpDst, value_of(7),
       Packet().eth().ipv4().sctp({.dst = 7}).pad_to(60)},
      {"icmp_type", Packet().eth().ipv4().icmp(), kIcmpType, value_of(3),
       Packet().eth().ipv4().icmp({.type = 3})},
      {"icmp_type_to_all_zeros", Packet().eth().ipv4().icmp(), kIcmpType, value_of(0u),
       Packet().eth().ipv4().icmp({.type = 0, .checksum = 0xffff})},
      {"icmp_code", Packet().eth().ipv4().icmp(), kIcmpCode, value_of(9),
       Packet().eth().ipv4().icmp({.code = 9})},
      {"ip_proto", Packet().eth().ipv4().payload(8), kIpProto, value_of(47),
       Packet().eth().ipv4({.proto = 47}).payload(8)},
  };
}

std::vector<Case> ipv6_cases() {
  const Ipv6Address a = ip6("2001:db8::1234:5678");
  const MacAddress m = mac("02:00:00:00:0a:0b");
  const Packet routed = Packet().eth().ipv6();
  const Bytes pending = {0, 1, 0, 0, 0, 0};
  return {
      {"ipv6_src_tcp", Packet().eth().ipv6().tcp(), kIpv6Src, a,
       Packet().eth().ipv6({.src = a}).tcp()},
      {"ipv6_dst_udp", Packet().eth().ipv6().extension().udp(), kIpv6Dst, a,
       Packet().eth().ipv6({.dst = a}).extension().udp()},
      {"ipv6_dst_icmpv6", Packet().eth().ipv6().icmpv6(), kIpv6Dst, a,
       Packet().eth().ipv6({.dst = a}).icmpv6()},
      {"ipv6_dst_route_pending",
       Packet().eth().ipv6().extension({.type = 43, .body = pending}).udp({.checksum = 1}),
       kIpv6Dst, a,
       Packet()
           .eth()
           .ipv6({.dst = a})
           .extension({.type = 43, .body = pending})
           .udp({.checksum = 1})},
      {"ipv6_src_later_fragment",
       Packet().eth().ipv6().fragment({.offset = 2, .next_header = 17}).payload(40), kIpv6Src, a,
       Packet().eth().ipv6({.src = a}).fragment({.offset = 2, .next_header = 17}).payload(40)},
      {"ipv6_label", Packet().eth().ipv6({.traffic_class = 0xb9}).tcp(), kIpv6Label,
       value_of(0xabcde), Packet().eth().ipv6({.traffic_class = 0xb9, .label = 0xabcde}).tcp()},
      {"nw_tos6", Packet().eth().ipv6({.label = 0xabcde}).tcp(), kIpTos, value_of(0xb9),
       Packet().eth().ipv6({.traffic_class = 0xb9, .label = 0xabcde}).tcp()},
      {"ip_dscp6", Packet().eth().ipv6({.traffic_class = 3}).tcp(), kIpDscp, value_of(0x2e),
       Packet().eth().ipv6({.traffic_class = 0xbb}).tcp()},
      {"nw_ecn6", Packet().eth().ipv6({.traffic_class = 0xb8}).tcp(), kIpEcn, value_of(1),
       Packet().eth().ipv6({.traffic_class = 0xb9}).tcp()},
      {"nw_ttl6", Packet().eth().ipv6().tcp(), kIpTtl, value_of(1),
       Packet().eth().ipv6({.hop_limit = 1}).tcp()},
      {"tcp_dst6", Packet().eth().ipv6().extension().tcp(), kTcpDst, value_of(7),
       Packet().eth().ipv6().extension().tcp({.dst = 7})},
      {"sctp_dst6", Packet().eth().ipv6().sctp(), kSctpDst, value_of(7),
       Packet().eth().ipv6().sctp({.dst = 7})},
      {"icmpv6_type", Packet().eth().ipv6().icmpv6(), kIcmpv6Type, value_of(129),
       Packet().eth().ipv6().icmpv6({.type = 129})},
      {"icmpv6_code", Packet().eth().ipv6().icmpv6(), kIcmpv6Code, value_of(9),
       Packet().eth().ipv6().icmpv6({.code = 9})},
      {"nd_target", Packet().eth().ipv6().neighbour({.type = 136}), kNdTarget, a,
       Packet().eth().ipv6().neighbour({.type = 136, .target = a})},
      {"nd_sll", Packet().eth().ipv6().neighbour({.sll = MacAddress{2}, .tll = MacAddress{4}}),
       kNdSll, value_of(m), Packet().eth().ipv6().neighbour({.sll = m, .tll = MacAddress{4}})},
      {"nd_tll",
       Packet().eth().ipv6().neighbour({.type = 136, .sll = MacAddress{2}, .tll = MacAddress{4}}),
       kNdTll, value_of(m),
       Packet().eth().ipv6().neighbour({.type = 136, .sll = MacAddress{2}, .tll = m})},
      {"ip_proto_behind_extension", Packet().eth().ipv6().extension({.type = 60}).payload(8),
       kIpProto, value_of(47),
       Packet().eth().ipv6().extension({.type = 60, .next_header = 47}).payload(8)},
  };
}

const auto kNameOf = [](const testing::TestParamInfo<Case>& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Layer2, SetFieldTest, testing::ValuesIn(layer2_cases()), kNameOf);
INSTANTIATE_TEST_SUITE_P(Ipv4, SetFieldTest, testing::ValuesIn(ipv4_cases()), kNameOf);
INSTANTIATE_TEST_SUITE_P(Ipv6, SetFieldTest, testing::ValuesIn(ipv6_cases()), kNameOf);

/// Whether set_field() refuses, leaving the bytes alone.
bool is_refused(const Packet& before, FieldId id, std::size_t readable = SIZE_MAX) {
  const Bytes frame = before.bytes();
  TestMbuf packet(frame, std::min(readable, frame.size()));
  FlowKey key{};
  Layers layers = parse(*packet, PortNo{1}, key);
  const Layers was = layers;
  const Bytes bytes = packet.bytes();
  const bool is_set = set_field(*packet, layers, field(id), field_value(1), full_mask(field(id)));
  return !is_set && layers == was && packet.bytes() == bytes;
}

TEST(EditFieldTest, RefusesWhatThePacketDoesNotHave) {
  EXPECT_TRUE(is_refused(Packet().eth().ipv4().tcp(), kUdpDst));
  EXPECT_TRUE(is_refused(Packet().eth().ipv4().tcp(), kIpv6Src));
  EXPECT_TRUE(is_refused(Packet().eth().ipv6().tcp(), kNwSrc));
  EXPECT_TRUE(is_refused(Packet().eth().ipv4().tcp(), kArpSpa));
  EXPECT_TRUE(is_refused(Packet().eth().arp(), kNwSrc));
  EXPECT_TRUE(is_refused(Packet().eth().ipv4().tcp(), kVlanPcp));
  EXPECT_TRUE(is_refused(Packet().eth().ipv4().tcp(), kMplsLabel));
  EXPECT_TRUE(is_refused(Packet().eth().mpls().ipv4().tcp(), kTcpDst));
  EXPECT_TRUE(is_refused(Packet().eth().mpls().ipv4().tcp(), kIpTtl));
  EXPECT_TRUE(is_refused(Packet().eth().llc(), kEthType));
  EXPECT_TRUE(is_refused(Packet().eth().ipv6().neighbour(), kNdSll));
  EXPECT_TRUE(is_refused(Packet().eth().ipv6().neighbour({.type = 136}), kNdSll));
  EXPECT_TRUE(is_refused(Packet().payload(13), kEthDst));
  EXPECT_TRUE(is_refused(Packet().payload(13), kVlanVid));
}

TEST(EditFieldTest, RefusesFieldsThatAreNotInThePacket) {
  for (const FieldId id : {kInPort, kMetadata, kReg0, kPktMark, kCtMark, kTcpFlags, kIpFrag}) {
    EXPECT_TRUE(is_refused(Packet().eth().ipv4().tcp(), id));
  }
}

TEST(EditFieldTest, RefusesPortsOfFragmentsThatCannotBeSummed) {
  EXPECT_TRUE(is_refused(Packet().eth().ipv4({.more_fragments = true}).sctp(), kSctpDst));
  EXPECT_TRUE(
      is_refused(Packet().eth().ipv4({.proto = 17, .fragment_offset = 1}).payload(20), kUdpDst));
}

TEST(EditFieldTest, RefusesDamagedHeaders) {
  EXPECT_TRUE(is_refused(Packet().eth().ipv4({.total_length = 10}).udp(), kNwSrc));
  EXPECT_TRUE(is_refused(Packet().eth().ipv4().tcp({.data_offset = 4}), kTcpDst));
  EXPECT_TRUE(is_refused(Packet().eth().ipv6().extension({.length = 9}).udp(), kIpv6Src));
}

TEST(EditFieldTest, RefusesHeadersOutsideTheFirstSegment) {
  EXPECT_TRUE(is_refused(Packet().eth().ipv4().tcp(), kTcpDst, 53));
  EXPECT_TRUE(is_refused(Packet().eth().ipv4().tcp(), kNwSrc, 33));
  EXPECT_TRUE(is_refused(Packet().eth().ipv6().neighbour({.sll = MacAddress{2}}), kNdSll, 85));
}

TEST(EditFieldTest, MaskLeavesOtherBitsAlone) {
  TestMbuf packet(Packet().eth().ipv4({.dst = ip4("10.1.2.3")}).udp().bytes());
  FlowKey key{};
  Layers layers = parse(*packet, PortNo{1}, key);
  ASSERT_TRUE(
      set_field(*packet, layers, field(kNwDst), field_value(0xffffffff), field_value(0xff00)));
  EXPECT_EQ(packet.bytes(), Packet().eth().ipv4({.dst = ip4("10.1.255.3")}).udp().bytes());
}

TEST(EditFieldTest, VlanWithoutPresentBitPopsTheTag) {
  TestMbuf packet(Packet().eth().vlan().arp().bytes());
  FlowKey key{};
  Layers layers = parse(*packet, PortNo{1}, key);
  ASSERT_TRUE(
      set_field(*packet, layers, field(kVlanTci), FieldValue{}, full_mask(field(kVlanTci))));
  EXPECT_EQ(packet.bytes(), Packet().eth().arp().bytes());
  EXPECT_EQ(layers.vlan_count, 0);
  ASSERT_TRUE(
      set_field(*packet, layers, field(kVlanTci), FieldValue{}, full_mask(field(kVlanTci))));
  EXPECT_EQ(packet.bytes(), Packet().eth().arp().bytes());
}

TEST(EditFieldTest, WrongChecksumStaysWrong) {
  TestMbuf packet(Packet().eth().ipv4().tcp({.checksum = 0x1234}).bytes());
  FlowKey key{};
  Layers layers = parse(*packet, PortNo{1}, key);
  ASSERT_TRUE(
      set_field(*packet, layers, field(kTcpDst), field_value(81), full_mask(field(kTcpDst))));
  EXPECT_EQ(packet.bytes(), Packet().eth().ipv4().tcp({.dst = 81, .checksum = 0x1233}).bytes());
}

TEST(EditFieldTest, ChecksumsOfDccpAndUdpLiteFollowAddresses) {
  for (const std::uint8_t proto : {std::uint8_t{33}, std::uint8_t{136}}) {
    Bytes l4(8);
    l4[6] = 0x40;
    TestMbuf packet(Packet().eth().ipv4({.src = Be32{1}, .proto = proto}).payload(l4).bytes());
    FlowKey key{};
    Layers layers = parse(*packet, PortNo{1}, key);
    ASSERT_TRUE(
        set_field(*packet, layers, field(kNwSrc), field_value(2), full_mask(field(kNwSrc))));
    EXPECT_EQ(packet.bytes()[40], 0x3f);
    EXPECT_EQ(packet.bytes()[41], 0xff);
  }
}

}  // namespace
}  // namespace hoist::software

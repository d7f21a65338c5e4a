// SPDX-License-Identifier: BSD-3-Clause
// What rules do to packets: every rewrite must give the frame that the builder would have made.
#include <bit>
#include <cstring>

#include "nic_bench.hpp"

namespace emulated_nic::test {
namespace {

using hoist::Be32;
using hoist::test::Icmpv6;
using hoist::test::ip4;
using hoist::test::ip6;
using hoist::test::Ipv4;
using hoist::test::Ipv6;
using hoist::test::mac;
using hoist::test::Packet;

constexpr std::uint16_t be16(std::uint16_t value) {
  return static_cast<std::uint16_t>(value << 8 | value >> 8);
}

class RewriteTest : public NicBench {
 protected:
  void SetUp() override {
    use("ideal");
    install(Flow::transfer().from(0).eth().jump(1));
  }

  /// What comes out of port 1 when `flow` (matching all of port 0 in group 1) has rewritten
  /// `frame`.
  Bytes through(Flow flow, const Bytes& frame) {
    install(flow.to(1));
    EXPECT_EQ(pass(0, frame).size(), 0u);
    const auto frames = sent(1);
    EXPECT_EQ(frames.size(), 1u);
    return frames.empty() ? Bytes{} : frames[0];
  }
  static Flow all() { return Flow::transfer(1).from(0).eth(); }

  static Bytes tcp4(const Ipv4& ip, hoist::test::Tcp tcp = {}) {
    return Packet().eth().ipv4(ip).tcp(tcp).payload(33).bytes();
  }
  static Bytes udp6(const Ipv6& ip, hoist::test::Udp udp = {}) {
    return Packet().eth().ipv6(ip).udp(udp).payload(33).bytes();
  }

  struct Value {
    std::uint8_t bytes[16];
  };
  static rte_flow_action_modify_field modify(rte_flow_field_id to, std::uint32_t width) {
    rte_flow_action_modify_field conf{};
    conf.dst.field = to;
    conf.src.field = RTE_FLOW_FIELD_VALUE;
    conf.width = width;
    return conf;
  }
};

TEST_F(RewriteTest, MacAddresses) {
  rte_flow_action_set_mac address{};
  std::memcpy(address.mac_addr, mac("02:aa:bb:cc:dd:ee").data(), 6);
  EXPECT_EQ(through(all().action_with(RTE_FLOW_ACTION_TYPE_SET_MAC_DST, address),
                    Packet().eth().ipv4().udp().bytes()),
            Packet().eth({.dst = mac("02:aa:bb:cc:dd:ee")}).ipv4().udp().bytes());
}

TEST_F(RewriteTest, Ipv4AddressWithTcpChecksum) {
  const rte_flow_action_set_ipv4 address{.ipv4_addr =
                                             std::bit_cast<std::uint32_t>(ip4("192.0.2.77"))};
  EXPECT_EQ(through(all().ipv4().action_with(RTE_FLOW_ACTION_TYPE_SET_IPV4_SRC, address), tcp4({})),
            tcp4({.src = ip4("192.0.2.77")}));
}

TEST_F(RewriteTest, Ipv4AddressOfAFragmentLeavesThePayloadAlone) {
  const rte_flow_action_set_ipv4 address{.ipv4_addr =
                                             std::bit_cast<std::uint32_t>(ip4("192.0.2.77"))};
  const auto fragment = [](Be32 dst) {
    return Packet().eth().ipv4({.dst = dst, .proto = 6, .fragment_offset = 10}).payload(64).bytes();
  };
  EXPECT_EQ(through(all().ipv4().action_with(RTE_FLOW_ACTION_TYPE_SET_IPV4_DST, address),
                    fragment(ip4("10.0.0.2"))),
            fragment(ip4("192.0.2.77")));
}

TEST_F(RewriteTest, Ipv6AddressWithIcmpv6Checksum) {
  rte_flow_action_set_ipv6 address{};
  std::memcpy(address.ipv6_addr, ip6("2001:db8::99").data(), 16);
  EXPECT_EQ(through(all().ipv6().action_with(RTE_FLOW_ACTION_TYPE_SET_IPV6_DST, address),
                    Packet().eth().ipv6().icmpv6().payload(10).bytes()),
            Packet().eth().ipv6({.dst = ip6("2001:db8::99")}).icmpv6().payload(10).bytes());
}

TEST_F(RewriteTest, Ports) {
  const rte_flow_action_set_tp port{.port = be16(4242)};
  EXPECT_EQ(
      through(all().ipv6().udp().action_with(RTE_FLOW_ACTION_TYPE_SET_TP_DST, port), udp6({})),
      udp6({}, {.dst = 4242}));
}

TEST_F(RewriteTest, UdpWithoutChecksumStaysWithout) {
  const rte_flow_action_set_tp port{.port = be16(4242)};
  EXPECT_EQ(through(all().ipv4().udp().action_with(RTE_FLOW_ACTION_TYPE_SET_TP_SRC, port),
                    Packet().eth().ipv4().udp({.checksum = 0}).bytes()),
            Packet().eth().ipv4().udp({.src = 4242, .checksum = 0}).bytes());
}

TEST_F(RewriteTest, TimeToLive) {
  EXPECT_EQ(through(all().ipv4().action(RTE_FLOW_ACTION_TYPE_DEC_TTL), tcp4({.ttl = 64})),
            tcp4({.ttl = 63}));
}

TEST_F(RewriteTest, TimeToLiveWrapsAsOnMlx5) {
  EXPECT_EQ(through(all().ipv4().action(RTE_FLOW_ACTION_TYPE_DEC_TTL), tcp4({.ttl = 0})),
            tcp4({.ttl = 255}));
}

TEST_F(RewriteTest, HopLimit) {
  const rte_flow_action_set_ttl ttl{.ttl_value = 9};
  EXPECT_EQ(through(all().ipv6().action_with(RTE_FLOW_ACTION_TYPE_SET_TTL, ttl), udp6({})),
            udp6({.hop_limit = 9}));
}

TEST_F(RewriteTest, DscpKeepsEcn) {
  const rte_flow_action_set_dscp dscp{.dscp = 46};
  EXPECT_EQ(through(all().ipv4().action_with(RTE_FLOW_ACTION_TYPE_SET_IPV4_DSCP, dscp),
                    tcp4({.tos = 0x03})),
            tcp4({.tos = 46 << 2 | 3}));
}

TEST_F(RewriteTest, Ipv6DscpKeepsEcn) {
  const rte_flow_action_set_dscp dscp{.dscp = 46};
  EXPECT_EQ(through(all().ipv6().action_with(RTE_FLOW_ACTION_TYPE_SET_IPV6_DSCP, dscp),
                    udp6({.traffic_class = 0x02, .label = 0xabcde})),
            udp6({.traffic_class = 46 << 2 | 2, .label = 0xabcde}));
}

TEST_F(RewriteTest, PushedTagIsFilledIn) {
  const rte_flow_action_of_push_vlan push{.ethertype = be16(0x8100)};
  const rte_flow_action_of_set_vlan_vid vid{.vlan_vid = be16(100)};
  const rte_flow_action_of_set_vlan_pcp pcp{.vlan_pcp = 5};
  EXPECT_EQ(through(all()
                        .action_with(RTE_FLOW_ACTION_TYPE_OF_PUSH_VLAN, push)
                        .action_with(RTE_FLOW_ACTION_TYPE_OF_SET_VLAN_VID, vid)
                        .action_with(RTE_FLOW_ACTION_TYPE_OF_SET_VLAN_PCP, pcp),
                    tcp4({})),
            Packet().eth().vlan({.vid = 100, .pcp = 5}).ipv4().tcp().payload(33).bytes());
}

TEST_F(RewriteTest, PoppedTagIsGone) {
  EXPECT_EQ(through(all().item(RTE_FLOW_ITEM_TYPE_VLAN).action(RTE_FLOW_ACTION_TYPE_OF_POP_VLAN),
                    Packet().eth().vlan({.vid = 9}).ipv4().tcp().payload(33).bytes()),
            tcp4({}));
}

TEST_F(RewriteTest, LaterGroupsSeeTheRewrittenPacket) {
  const rte_flow_action_set_tp port{.port = be16(4242)};
  install(all().ipv4().tcp().action_with(RTE_FLOW_ACTION_TYPE_SET_TP_DST, port).jump(2));
  rte_flow_item_tcp spec{};
  rte_flow_item_tcp mask{};
  spec.hdr.dst_port = be16(4242);
  mask.hdr.dst_port = 0xffff;
  install(Flow::transfer(2).from(0).eth().ipv4().item(RTE_FLOW_ITEM_TYPE_TCP, spec, mask).to(2));
  pass(0, tcp4({}));
  EXPECT_EQ(sent(2), std::vector<Bytes>{tcp4({}, {.dst = 4242})});
}

TEST_F(RewriteTest, ModifyFieldSetsAnImmediate) {
  auto conf = modify(RTE_FLOW_FIELD_IPV4_DST, 32);
  const auto address = ip4("198.51.100.1");
  std::memcpy(conf.src.value, &address, 4);
  EXPECT_EQ(through(all().action_with(RTE_FLOW_ACTION_TYPE_MODIFY_FIELD, conf), tcp4({})),
            tcp4({.dst = address}));
}

TEST_F(RewriteTest, ModifyFieldSetsPartOfAField) {
  auto conf = modify(RTE_FLOW_FIELD_IPV4_DST, 8);
  conf.dst.offset = 8;  // The third byte of the address.
  const auto address = ip4("0.0.77.0");
  std::memcpy(conf.src.value, &address, 4);
  EXPECT_EQ(through(all().action_with(RTE_FLOW_ACTION_TYPE_MODIFY_FIELD, conf), tcp4({})),
            tcp4({.dst = ip4("10.0.77.2")}));
}

TEST_F(RewriteTest, ModifyFieldCopiesAField) {
  auto conf = modify(RTE_FLOW_FIELD_TCP_PORT_DST, 16);
  conf.src = {};
  conf.src.field = RTE_FLOW_FIELD_TCP_PORT_SRC;
  EXPECT_EQ(through(all().action_with(RTE_FLOW_ACTION_TYPE_MODIFY_FIELD, conf), tcp4({})),
            tcp4({}, {.dst = 1000}));
}

TEST_F(RewriteTest, ModifyFieldAdds) {
  auto conf = modify(RTE_FLOW_FIELD_IPV4_TTL, 8);
  conf.operation = RTE_FLOW_MODIFY_ADD;
  conf.src.value[0] = 0xff;  // -1.
  EXPECT_EQ(through(all().action_with(RTE_FLOW_ACTION_TYPE_MODIFY_FIELD, conf), tcp4({.ttl = 9})),
            tcp4({.ttl = 8}));
}

TEST_F(RewriteTest, RegistersCarryValuesBetweenGroups) {
  const rte_flow_action_set_tag tag{.data = 0xabcd1234, .mask = 0x0000ffff, .index = 2};
  install(all().action_with(RTE_FLOW_ACTION_TYPE_SET_TAG, tag).jump(2));
  auto conf = modify(RTE_FLOW_FIELD_META, 32);
  conf.src = {};
  conf.src.field = RTE_FLOW_FIELD_TAG;
  conf.src.level = 2;
  const rte_flow_item_tag spec{.data = 0x1234, .index = 2};
  const rte_flow_item_tag mask{.data = 0xffffffff, .index = 0xff};
  install(Flow::transfer(2)
              .from(0)
              .item(RTE_FLOW_ITEM_TYPE_TAG, spec, mask)
              .action_with(RTE_FLOW_ACTION_TYPE_MODIFY_FIELD, conf)
              .jump(3));
  const auto packets = pass(0, tcp4({}));
  ASSERT_EQ(packets.size(), 1u);
  EXPECT_EQ(packets[0].meta, 0x1234u);
}

TEST_F(RewriteTest, SampleSendsACopy) {
  const rte_flow_action_ethdev port{.port_id = 2};
  const rte_flow_action mirror[] = {{.type = RTE_FLOW_ACTION_TYPE_REPRESENTED_PORT, .conf = &port},
                                    {.type = RTE_FLOW_ACTION_TYPE_END}};
  const rte_flow_action_sample sample{.ratio = 1, .actions = mirror};
  EXPECT_EQ(through(all()
                        .action_with(RTE_FLOW_ACTION_TYPE_SAMPLE, sample)
                        .ipv4()
                        .action(RTE_FLOW_ACTION_TYPE_DEC_TTL),
                    tcp4({})),
            tcp4({.ttl = 63}));
  EXPECT_EQ(sent(2), std::vector<Bytes>{tcp4({})});
}

}  // namespace
}  // namespace emulated_nic::test

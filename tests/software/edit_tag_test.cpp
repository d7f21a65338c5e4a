// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <functional>

#include "packet/edit.hpp"
#include "support/test_mbuf.hpp"

namespace hoist::software {
namespace {

using test::Bytes;
using test::Packet;
using test::TestMbuf;

using Edit = std::function<bool(rte_mbuf&, Layers&)>;

Edit push_tag(std::uint16_t type) {
  return [type](rte_mbuf& m, Layers& l) { return push_vlan(m, l, type); };
}
Edit push_label(std::uint16_t type) {
  return [type](rte_mbuf& m, Layers& l) { return push_mpls(m, l, type); };
}
Edit pop_label(std::uint16_t type) {
  return [type](rte_mbuf& m, Layers& l) { return pop_mpls(m, l, type); };
}

/// What `edit` makes of a packet. Layers must stay what parse() says.
Bytes edited(const Packet& before, const Edit& edit) {
  TestMbuf packet(before.bytes());
  FlowKey key{};
  Layers layers = parse(*packet, PortNo{1}, key);
  EXPECT_TRUE(edit(*packet, layers));
  EXPECT_EQ(parse(*packet, PortNo{1}, key), layers);
  EXPECT_EQ((*packet).pkt_len, packet.bytes().size());
  return packet.bytes();
}

/// Whether `edit` refuses and changes nothing.
bool is_refused(const Packet& before, const Edit& edit, std::uint16_t headroom = 16) {
  const Bytes frame = before.bytes();
  TestMbuf packet(frame, frame.size(), headroom);
  FlowKey key{};
  Layers layers = parse(*packet, PortNo{1}, key);
  const Layers was = layers;
  return !edit(*packet, layers) && packet.bytes() == frame && layers == was;
}

TEST(EditTagTest, FirstTagIsZero) {
  EXPECT_EQ(edited(Packet().eth().ipv4().udp(), push_tag(0x88a8)),
            Packet().eth().vlan({.vid = 0, .tpid = 0x88a8}).ipv4().udp().bytes());
}

TEST(EditTagTest, FurtherTagCopiesVidAndPriority) {
  EXPECT_EQ(edited(Packet().eth().vlan({.vid = 5, .pcp = 3, .cfi = true}).arp(), push_tag(0x88a8)),
            Packet()
                .eth()
                .vlan({.vid = 5, .pcp = 3, .tpid = 0x88a8})
                .vlan({.vid = 5, .pcp = 3, .cfi = true})
                .arp()
                .bytes());
}

TEST(EditTagTest, ThirdTagHidesThePayload) {
  EXPECT_EQ(edited(Packet().eth().vlan().vlan().ipv4().udp(), push_tag(0x8100)),
            Packet().eth().vlan().vlan().vlan().ipv4().udp().bytes());
}

TEST(EditTagTest, PoppingUncoversTheThirdTag) {
  EXPECT_EQ(edited(Packet().eth().vlan().vlan().vlan({.vid = 9}).ipv4().udp(), pop_vlan),
            Packet().eth().vlan().vlan({.vid = 9}).ipv4().udp().bytes());
}

TEST(EditTagTest, PopRemovesTheOuterTag) {
  EXPECT_EQ(edited(Packet().eth().vlan().ipv6().tcp(), pop_vlan),
            Packet().eth().ipv6().tcp().bytes());
  EXPECT_EQ(edited(Packet().eth().vlan({.tpid = 0x88a8}).vlan({.vid = 2}).arp(), pop_vlan),
            Packet().eth().vlan({.vid = 2}).arp().bytes());
}

TEST(EditTagTest, RefusesTagsThatCannotBe) {
  EXPECT_TRUE(is_refused(Packet().eth().ipv4(), pop_vlan));
  EXPECT_TRUE(is_refused(Packet().eth().ipv4(), push_tag(0x0800)));
  EXPECT_TRUE(is_refused(Packet().payload(13), push_tag(0x8100)));
  EXPECT_TRUE(is_refused(Packet().eth().ipv4(), push_tag(0x8100), 3));
}

TEST(EditTagTest, FirstLabelTakesTheIpTtl) {
  EXPECT_EQ(edited(Packet().eth().ipv4({.ttl = 9}).udp(), push_label(0x8847)),
            Packet().eth().mpls({.label = 0, .ttl = 9}).ipv4({.ttl = 9}).udp().bytes());
  EXPECT_EQ(edited(Packet().eth().vlan().ipv6({.hop_limit = 9}).udp(), push_label(0x8848)),
            Packet()
                .eth()
                .vlan()
                .mpls({.label = 0, .ttl = 9, .ethertype = 0x8848})
                .ipv6({.hop_limit = 9})
                .udp()
                .bytes());
}

TEST(EditTagTest, FirstLabelOverAnythingElseHasTtl0) {
  EXPECT_EQ(edited(Packet().eth().arp(), push_label(0x8847)),
            Packet().eth().mpls({.label = 0, .ttl = 0}).arp().bytes());
}

TEST(EditTagTest, FurtherLabelCopiesTheOuterOne) {
  EXPECT_EQ(edited(Packet().eth().mpls({.label = 7, .tc = 3, .ttl = 9}).ipv4(), push_label(0x8847)),
            Packet()
                .eth()
                .mpls({.label = 7, .tc = 3, .ttl = 9})
                .mpls({.label = 7, .tc = 3, .ttl = 9})
                .ipv4()
                .bytes());
}

TEST(EditTagTest, PoppedLabelUncoversWhatTheActionNames) {
  EXPECT_EQ(edited(Packet().eth().vlan().mpls().ipv4().udp(), pop_label(0x0800)),
            Packet().eth().vlan().ipv4().udp().bytes());
  EXPECT_EQ(edited(Packet().eth().mpls().mpls({.label = 5}).arp(), pop_label(0x8847)),
            Packet().eth().mpls({.label = 5}).arp().bytes());
}

TEST(EditTagTest, RefusesLabelsThatCannotBe) {
  EXPECT_TRUE(is_refused(Packet().eth().ipv4(), pop_label(0x0800)));
  EXPECT_TRUE(is_refused(Packet().eth().mpls().ipv4(), pop_label(0x0040)));
  EXPECT_TRUE(is_refused(Packet().eth().ipv4(), push_label(0x0800)));
  EXPECT_TRUE(is_refused(Packet().eth().ipv4(), push_label(0x8847), 3));
  EXPECT_TRUE(is_refused(Packet().eth().llc(), push_label(0x8847)));
  EXPECT_TRUE(is_refused(Packet().eth().snap().ipv4(), push_label(0x8847)));
  EXPECT_TRUE(is_refused(Packet().eth().vlan().vlan().vlan().ipv4(), push_label(0x8847)));
  EXPECT_TRUE(is_refused(Packet().payload(13), push_label(0x8847)));
}

TEST(EditTagTest, FrameThatPoppingMadeTooShortIsFilledUp) {
  TestMbuf packet(Packet().eth().mpls().ipv4().icmp().pad_to(60).bytes());
  FlowKey key{};
  Layers layers = parse(*packet, PortNo{1}, key);
  ASSERT_TRUE(pop_mpls(*packet, layers, 0x0800));
  EXPECT_EQ(packet.bytes(), Packet().eth().ipv4().icmp().pad_to(60).bytes());
  EXPECT_EQ(parse(*packet, PortNo{1}, key), layers);
}

TEST(EditTagTest, FrameThatCameInShortStaysShort) {
  TestMbuf packet(Packet().eth().vlan().arp().bytes());
  FlowKey key{};
  Layers layers = parse(*packet, PortNo{1}, key);
  ASSERT_TRUE(pop_vlan(*packet, layers));
  EXPECT_EQ(packet.bytes(), Packet().eth().arp().bytes());
}

}  // namespace
}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "packet/edit.hpp"
#include "support/test_mbuf.hpp"

namespace hoist::software {
namespace {

using test::Bytes;
using test::Packet;
using test::TestMbuf;

/// Runs `edit` on a packet: its result, and the bytes that come out.
template <class Edit>
auto edited(const Packet& before, Edit edit) {
  TestMbuf packet(before.bytes());
  FlowKey key{};
  Layers layers = parse(*packet, PortNo{1}, key);
  const auto result = edit(*packet, layers);
  EXPECT_EQ(parse(*packet, PortNo{1}, key), layers);
  return std::pair(result, packet.bytes());
}

TEST(EditTtlTest, DecrementKeepsTheChecksumRight) {
  for (unsigned ttl = 2; ttl < 256; ++ttl) {
    const auto t = static_cast<std::uint8_t>(ttl);
    const auto less = static_cast<std::uint8_t>(ttl - 1);
    EXPECT_EQ(
        edited(Packet().eth().ipv4({.ttl = t}).udp(), dec_nw_ttl),
        std::pair(TtlOutcome::kDecremented, Packet().eth().ipv4({.ttl = less}).udp().bytes()));
    EXPECT_EQ(edited(Packet().eth().ipv6({.hop_limit = t}).udp(), dec_nw_ttl),
              std::pair(TtlOutcome::kDecremented,
                        Packet().eth().ipv6({.hop_limit = less}).udp().bytes()));
  }
}

TEST(EditTtlTest, ZeroAndOneAreExpired) {
  for (const std::uint8_t ttl : {std::uint8_t{0}, std::uint8_t{1}}) {
    const Packet ip = Packet().eth().ipv4({.ttl = ttl}).udp();
    EXPECT_EQ(edited(ip, dec_nw_ttl), std::pair(TtlOutcome::kExpired, ip.bytes()));
    const Packet label = Packet().eth().mpls({.ttl = ttl}).ipv4();
    EXPECT_EQ(edited(label, dec_mpls_ttl), std::pair(TtlOutcome::kExpired, label.bytes()));
  }
}

TEST(EditTtlTest, DamagedIpIsExpired) {
  const Packet damaged = Packet().eth().ipv4({.total_length = 3}).udp();
  EXPECT_EQ(edited(damaged, dec_nw_ttl).first, TtlOutcome::kExpired);
}

TEST(EditTtlTest, AbsentWithoutTheHeader) {
  EXPECT_EQ(edited(Packet().eth().arp(), dec_nw_ttl).first, TtlOutcome::kAbsent);
  EXPECT_EQ(edited(Packet().eth().mpls().ipv4(), dec_nw_ttl).first, TtlOutcome::kAbsent);
  EXPECT_EQ(edited(Packet().eth().ipv4(), dec_mpls_ttl).first, TtlOutcome::kAbsent);
  EXPECT_EQ(edited(Packet().payload(5), dec_nw_ttl).first, TtlOutcome::kAbsent);
}

TEST(EditTtlTest, LabelTtl) {
  EXPECT_EQ(edited(Packet().eth().vlan().mpls({.ttl = 2}).mpls().ipv4(), dec_mpls_ttl).second,
            Packet().eth().vlan().mpls({.ttl = 1}).mpls().ipv4().bytes());
  EXPECT_EQ(edited(Packet().eth().mpls().ipv4(),
                   [](rte_mbuf& m, Layers& l) { return set_mpls_ttl(m, l, 7); }),
            std::pair(true, Packet().eth().mpls({.ttl = 7}).ipv4().bytes()));
}

TEST(EditTtlTest, SetNetworkTtl) {
  const auto set = [](rte_mbuf& m, Layers& l) { return set_nw_ttl(m, l, 7); };
  EXPECT_EQ(edited(Packet().eth().ipv4().tcp(), set),
            std::pair(true, Packet().eth().ipv4({.ttl = 7}).tcp().bytes()));
  EXPECT_EQ(edited(Packet().eth().ipv6().tcp(), set),
            std::pair(true, Packet().eth().ipv6({.hop_limit = 7}).tcp().bytes()));
  EXPECT_FALSE(edited(Packet().eth().arp(), set).first);
}

TEST(EditTtlTest, CopyOutToTheOutermostLabel) {
  EXPECT_EQ(edited(Packet().eth().mpls({.ttl = 64}).ipv4({.ttl = 32}).tcp(), copy_ttl_out),
            std::pair(true, Packet().eth().mpls({.ttl = 32}).ipv4({.ttl = 32}).tcp().bytes()));
  EXPECT_EQ(
      edited(Packet().eth().mpls({.ttl = 64}).ipv6({.hop_limit = 32}).tcp(), copy_ttl_out),
      std::pair(true, Packet().eth().mpls({.ttl = 32}).ipv6({.hop_limit = 32}).tcp().bytes()));
  EXPECT_EQ(edited(Packet().eth().mpls({.ttl = 64}).mpls({.ttl = 32}).ipv4(), copy_ttl_out),
            std::pair(true, Packet().eth().mpls({.ttl = 32}).mpls({.ttl = 32}).ipv4().bytes()));
}

TEST(EditTtlTest, CopyInFromTheOutermostLabel) {
  EXPECT_EQ(edited(Packet().eth().mpls({.ttl = 64}).ipv4({.ttl = 32}).tcp(), copy_ttl_in),
            std::pair(true, Packet().eth().mpls({.ttl = 64}).ipv4({.ttl = 64}).tcp().bytes()));
  EXPECT_EQ(
      edited(Packet().eth().mpls({.ttl = 64}).ipv6({.hop_limit = 32}).tcp(), copy_ttl_in),
      std::pair(true, Packet().eth().mpls({.ttl = 64}).ipv6({.hop_limit = 64}).tcp().bytes()));
  EXPECT_EQ(edited(Packet().eth().mpls({.ttl = 64}).mpls({.ttl = 32}).ipv4(), copy_ttl_in),
            std::pair(true, Packet().eth().mpls({.ttl = 64}).mpls({.ttl = 64}).ipv4().bytes()));
}

TEST(EditTtlTest, CopyNeedsTwoTtls) {
  EXPECT_FALSE(edited(Packet().eth().ipv4().tcp(), copy_ttl_out).first);
  EXPECT_FALSE(edited(Packet().eth().mpls().arp(), copy_ttl_out).first);
  EXPECT_FALSE(edited(Packet().eth().mpls({.bos = false}).payload(3), copy_ttl_in).first);
  EXPECT_FALSE(edited(Packet().eth().mpls().payload(Bytes(19, 0x45)), copy_ttl_in).first);
  EXPECT_FALSE(edited(Packet().eth().mpls().payload(Bytes(39, 0x60)), copy_ttl_in).first);
}

}  // namespace
}  // namespace hoist::software

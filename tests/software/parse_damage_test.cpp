// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "packet/parse.hpp"
#include "parse_frame.hpp"
#include "support/random_packet.hpp"

namespace hoist::software {
namespace {

using test::Bytes;
using test::Packet;

/// Layer 2 and the type came out, nothing above.
void expect_only_layer2(const Parsed& parsed) {
  FlowKey expected{};
  expected.in_port = Be32{7};
  expected.eth_dst = test::Eth{}.dst;
  expected.eth_src = test::Eth{}.src;
  expected.eth_type = Be16{parsed.layers.eth_type};
  EXPECT_EQ(parsed.key, expected);
  EXPECT_EQ(parsed.layers.l3_offset, Layers::kNone);
  EXPECT_TRUE(parsed.layers.has(Layers::kBadL3));
}

TEST(ParseDamageTest, Ipv4LengthsThatCannotBe) {
  expect_only_layer2(parse_exactly(Packet().eth().ipv4({.total_length = 29}).udp()));
  expect_only_layer2(parse_exactly(Packet().eth().ipv4({.total_length = 19}).udp()));
  expect_only_layer2(parse_exactly(Packet().eth().ipv4({.total_length = 0}).udp()));
  expect_only_layer2(parse_exactly(Packet().eth().ipv4({.ihl = 4}).udp()));
  expect_only_layer2(parse_exactly(Packet().eth().ipv4({.ihl = 8}).udp()));
  expect_only_layer2(parse_exactly(Packet().eth().ipv4().bytes(), 33));
}

TEST(ParseDamageTest, Ipv4VersionIsNotLookedAt) {
  EXPECT_EQ(parse_exactly(Packet().eth().ipv4({.version = 5}).udp()).key.tp_dst, Be16{53});
}

TEST(ParseDamageTest, Ipv6LengthThatCannotBe) {
  expect_only_layer2(parse_exactly(Packet().eth().ipv6({.payload_length = 9}).udp()));
  expect_only_layer2(parse_exactly(Packet().eth().ipv6().bytes(), 53));
}

TEST(ParseDamageTest, Ipv6ExtensionHeaderCutShortLeavesTheAddresses) {
  const auto [key, layers] =
      parse_exactly(Packet().eth().ipv6().extension({.type = 0, .length = 2}).udp());
  EXPECT_EQ(key.ipv6_src, test::Ipv6{}.src);
  EXPECT_EQ(key.ipv6_dst, test::Ipv6{}.dst);
  EXPECT_EQ(key.ip_proto, 0);
  EXPECT_EQ(key.ip_ttl, 0);
  EXPECT_EQ(key.ipv6_exthdr, Be16{});
  EXPECT_TRUE(layers.has(Layers::kBadL3));
}

TEST(ParseDamageTest, Layer4HeaderCutShortLeavesTheIpFields) {
  const Bytes frames[] = {Packet().eth().ipv4().tcp().bytes(), Packet().eth().ipv4().udp().bytes(),
                          Packet().eth().ipv4().sctp().bytes(),
                          Packet().eth().ipv4().icmp().bytes()};
  for (Bytes frame : frames) {
    frame[17] = static_cast<std::uint8_t>(frame[17] - 1);  // The low byte of the total length.
    const auto [key, layers] = parse_exactly(frame);
    EXPECT_EQ(key.nw_src, test::Ipv4{}.src);
    EXPECT_EQ(key.tp_src, Be16{});
    EXPECT_NE(key.ip_proto, 0);
    EXPECT_TRUE(layers.has(Layers::kBadL4));
    EXPECT_FALSE(layers.has(Layers::kHasL4));
  }
}

TEST(ParseDamageTest, TcpDataOffsetThatCannotBe) {
  for (const std::uint8_t words : {std::uint8_t{4}, std::uint8_t{6}}) {
    const auto [key, layers] = parse_exactly(Packet().eth().ipv4().tcp({.data_offset = words}));
    EXPECT_EQ(key.tp_src, Be16{});
    EXPECT_EQ(key.tcp_flags, Be16{});
    EXPECT_EQ(key.ip_proto, 6);
    EXPECT_TRUE(layers.has(Layers::kBadL4));
  }
}

TEST(ParseDamageTest, NeighbourMessageCutShort) {
  Bytes frame = Packet().eth().ipv6({.payload_length = 23}).neighbour().bytes();
  const auto [key, layers] = parse_exactly(frame);
  EXPECT_EQ(key.tp_src, Be16{135});
  EXPECT_EQ(key.nd_target, Ipv6Address{});
}

TEST(ParseDamageTest, NeighbourOptionOfLengthZeroEndsTheOptions) {
  const auto [key, layers] = parse_exactly(Packet().eth().ipv6().neighbour().payload(
      Bytes{9, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 0, 0, 0, 0, 9}));
  EXPECT_EQ(key.l2_sha, MacAddress{});
  EXPECT_NE(key.nd_target, Ipv6Address{});
}

// The address sanitizer judges: every length of many odd frames, each in a buffer of that size.
TEST(ParseDamageTest, ReadsNothingPastTheEndAtAnyLength) {
  test::Random random(20240607);
  for (int i = 0; i < 1500; ++i) {
    const Bytes frame = test::random_packet(random);
    for (std::size_t length = 0; length <= frame.size(); ++length) {
      const auto [key, layers] = parse_exactly(frame, length);
      ASSERT_LE(layers.l2_end, length);
      if (layers.l4_offset != Layers::kNone) {
        ASSERT_LE(layers.l4_offset + layers.l4_size, static_cast<int>(length));
      }
    }
  }
}

// A longer look at the same frame never takes back what a shorter one saw of layer 2.
TEST(ParseDamageTest, CuttingAFrameOnlyZeroesFields) {
  test::Random random(99);
  for (int i = 0; i < 1000; ++i) {
    const Bytes frame = test::random_packet(random);
    if (frame.size() < 18) continue;
    const Parsed whole = parse_exactly(frame);
    const Parsed cut = parse_exactly(frame, 18 + random() % (frame.size() - 17));
    for (std::size_t w = 0; w < kPacketWords; ++w) {
      const auto* a = reinterpret_cast<const std::uint8_t*>(&whole.key) + 8 * w;
      const auto* b = reinterpret_cast<const std::uint8_t*>(&cut.key) + 8 * w;
      if (cut.key.eth_type != whole.key.eth_type) continue;
      for (int byte = 0; byte < 8; ++byte) ASSERT_TRUE(b[byte] == 0 || a[byte] == b[byte]);
    }
  }
}

}  // namespace
}  // namespace hoist::software

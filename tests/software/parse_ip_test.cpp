// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "packet/ipv6_extension.hpp"
#include "packet/parse.hpp"
#include "parse_frame.hpp"

namespace hoist::software {
namespace {

using test::Bytes;
using test::ip4;
using test::ip6;
using test::mac;
using test::Packet;

TEST(ParseIpTest, Ipv4HeaderFields) {
  const auto [key, layers] =
      parse_exactly(Packet()
                        .eth()
                        .ipv4({.src = ip4("1.2.3.4"), .dst = ip4("5.6.7.8"), .tos = 0xb9, .ttl = 3})
                        .udp());
  EXPECT_EQ(key.nw_src, ip4("1.2.3.4"));
  EXPECT_EQ(key.nw_dst, ip4("5.6.7.8"));
  EXPECT_EQ(key.ip_tos, 0xb9);
  EXPECT_EQ(key.ip_ttl, 3);
  EXPECT_EQ(key.ip_proto, 17);
  EXPECT_EQ(key.ip_frag, 0);
}

TEST(ParseIpTest, OptionsMoveLayer4) {
  const auto [key, layers] =
      parse_exactly(Packet().eth().ipv4({.options = Bytes(40, 1)}).tcp({.flags = 0x812}));
  EXPECT_EQ(layers.l4_offset, 14 + 60);
  EXPECT_EQ(key.tp_dst, Be16{80});
  EXPECT_EQ(key.tcp_flags, Be16{0x812});
}

TEST(ParseIpTest, PaddingIsNotPayload) {
  const auto [key, layers] = parse_exactly(Packet().eth().ipv4().udp().pad_to(60));
  EXPECT_EQ(layers.l4_size, 8);
  const Bytes short_tcp = Packet().eth().ipv4({.total_length = 39}).tcp().pad_to(60).bytes();
  EXPECT_TRUE(parse_exactly(short_tcp).layers.has(Layers::kBadL4));
}

TEST(ParseIpTest, FirstFragmentHasLayer4) {
  const auto [key, layers] = parse_exactly(Packet().eth().ipv4({.more_fragments = true}).udp());
  EXPECT_EQ(key.ip_frag, kFragAny);
  EXPECT_EQ(key.tp_dst, Be16{53});
  EXPECT_TRUE(layers.has(Layers::kFragment));
}

TEST(ParseIpTest, LaterFragmentHasNone) {
  const auto [key, layers] =
      parse_exactly(Packet().eth().ipv4({.proto = 17, .fragment_offset = 0x1fff}).payload(30));
  EXPECT_EQ(key.ip_frag, kFragAny | kFragLater);
  EXPECT_EQ(key.ip_proto, 17);
  EXPECT_EQ(key.tp_src, Be16{});
  EXPECT_EQ(layers.l4_offset, Layers::kNone);
  EXPECT_FALSE(layers.is_malformed());
}

TEST(ParseIpTest, DontFragmentAndTheReservedBitAreNoFragment) {
  Bytes frame = Packet().eth().ipv4({.dont_fragment = true}).udp().bytes();
  frame[20] |= 0x80;
  EXPECT_EQ(parse_exactly(frame).key.ip_frag, 0);
}

TEST(ParseIpTest, SctpAndIcmp) {
  EXPECT_EQ(parse_exactly(Packet().eth().ipv4().sctp({.dst = 9})).key.tp_dst, Be16{9});
  const auto [key, layers] = parse_exactly(Packet().eth().ipv4().icmp({.type = 3, .code = 4}));
  EXPECT_EQ(key.tp_src, Be16{3});
  EXPECT_EQ(key.tp_dst, Be16{4});
}

TEST(ParseIpTest, IcmpOfTheOtherVersionHasNoFields) {
  const auto v4 = parse_exactly(Packet().eth().ipv4().icmpv6());
  EXPECT_EQ(v4.key.ip_proto, 58);
  EXPECT_EQ(v4.key.tp_src, Be16{});
  EXPECT_EQ(parse_exactly(Packet().eth().ipv6().icmp()).key.tp_src, Be16{});
  EXPECT_FALSE(v4.layers.has(Layers::kHasL4));
}

TEST(ParseIpTest, Ipv6HeaderFields) {
  const auto [key, layers] = parse_exactly(Packet()
                                               .eth()
                                               .ipv6({.src = ip6("fd00::a"),
                                                      .dst = ip6("fd00::b"),
                                                      .traffic_class = 0xb9,
                                                      .hop_limit = 3,
                                                      .label = 0xabcde})
                                               .udp());
  EXPECT_EQ(key.ipv6_src, ip6("fd00::a"));
  EXPECT_EQ(key.ipv6_dst, ip6("fd00::b"));
  EXPECT_EQ(key.ip_tos, 0xb9);
  EXPECT_EQ(key.ip_ttl, 3);
  EXPECT_EQ(key.ipv6_label, Be32{0xabcde});
  EXPECT_EQ(key.ip_proto, 17);
  EXPECT_EQ(key.tp_dst, Be16{53});
  EXPECT_EQ(key.ipv6_exthdr, Be16{});
  EXPECT_EQ(layers, (Layers{.l2_end = 14,
                            .l3_offset = 14,
                            .l4_offset = 54,
                            .l4_size = 8,
                            .eth_type = 0x86dd,
                            .ip_proto = 17,
                            .flags = Layers::kHasL4}));
}

TEST(ParseIpTest, ExtensionHeadersAreSteppedOver) {
  const auto [key, layers] = parse_exactly(Packet()
                                               .eth()
                                               .ipv6()
                                               .extension({.type = 0, .body = Bytes(20)})
                                               .extension({.type = 60})
                                               .extension({.type = 43})
                                               .fragment()
                                               .extension({.type = 51, .body = Bytes(10)})
                                               .extension({.type = 60})
                                               .tcp());
  EXPECT_EQ(key.ip_proto, 6);
  EXPECT_EQ(key.tp_dst, Be16{80});
  EXPECT_EQ(key.ip_frag, 0);  // An atomic fragment (RFC 6946) is none.
  EXPECT_EQ(key.ipv6_exthdr,
            Be16{Exthdr::kHop | Exthdr::kDest | Exthdr::kRouter | Exthdr::kFrag | Exthdr::kAuth});
  EXPECT_EQ(layers.l4_offset, 54 + 24 + 8 + 8 + 8 + 16 + 8);
}

TEST(ParseIpTest, Ipv6Fragments) {
  const auto first = parse_exactly(Packet().eth().ipv6().fragment({.more = true}).udp());
  EXPECT_EQ(first.key.ip_frag, kFragAny);
  EXPECT_EQ(first.key.tp_dst, Be16{53});
  const auto later =
      parse_exactly(Packet().eth().ipv6().fragment({.offset = 1, .next_header = 17}).payload(20));
  EXPECT_EQ(later.key.ip_frag, kFragAny | kFragLater);
  EXPECT_EQ(later.key.ip_proto, 44);
  EXPECT_EQ(later.key.ipv6_exthdr, Be16{Exthdr::kFrag});
  EXPECT_EQ(later.layers.l4_offset, Layers::kNone);
}

TEST(ParseIpTest, RepeatsAndWrongOrderOfExtensionHeadersShow) {
  const auto exthdr = [](std::initializer_list<std::uint8_t> types) {
    Packet p = Packet().eth().ipv6();
    for (const std::uint8_t type : types) p.extension({.type = type});
    return parse_exactly(p.udp()).key.ipv6_exthdr.host();
  };
  EXPECT_EQ(exthdr({60, 60}), Exthdr::kDest);
  EXPECT_EQ(exthdr({60, 43, 60}), Exthdr::kDest | Exthdr::kRouter);
  EXPECT_EQ(exthdr({60, 60, 60}), Exthdr::kDest | Exthdr::kUnexpectedRepeat);
  EXPECT_EQ(exthdr({43, 43}), Exthdr::kRouter | Exthdr::kUnexpectedRepeat);
  EXPECT_EQ(exthdr({43, 0}), Exthdr::kRouter | Exthdr::kHop | Exthdr::kUnexpectedOrder);
  EXPECT_EQ(exthdr({51, 43}), Exthdr::kAuth | Exthdr::kRouter | Exthdr::kUnexpectedOrder);
  EXPECT_EQ(exthdr({50}), Exthdr::kEsp);
  EXPECT_EQ(exthdr({0, 59}), Exthdr::kHop | Exthdr::kNoNext);
}

TEST(ParseIpTest, RoutingHeaderWithSegmentsLeftShows) {
  Bytes body(6);
  EXPECT_FALSE(parse_exactly(Packet().eth().ipv6().extension({.type = 43, .body = body}).udp())
                   .layers.has(Layers::kRoutePending));
  body[1] = 1;
  EXPECT_TRUE(parse_exactly(Packet().eth().ipv6().extension({.type = 43, .body = body}).udp())
                  .layers.has(Layers::kRoutePending));
}

TEST(ParseIpTest, NeighbourMessages) {
  for (const std::uint8_t type : {std::uint8_t{135}, std::uint8_t{136}}) {
    const auto [key, layers] =
        parse_exactly(Packet().eth().ipv6().neighbour({.type = type,
                                                       .target = ip6("fd00::7"),
                                                       .sll = mac("02:00:00:00:00:0a"),
                                                       .tll = mac("02:00:00:00:00:0b")}));
    EXPECT_EQ(key.tp_src, Be16{type});
    EXPECT_EQ(key.nd_target, ip6("fd00::7"));
    EXPECT_EQ(key.l2_sha, mac("02:00:00:00:00:0a"));
    EXPECT_EQ(key.l2_tha, mac("02:00:00:00:00:0b"));
  }
}

TEST(ParseIpTest, OtherIcmpv6HasNoTarget) {
  EXPECT_EQ(parse_exactly(Packet().eth().ipv6().icmpv6().payload(24)).key.nd_target, Ipv6Address{});
  const auto coded = parse_exactly(Packet().eth().ipv6().neighbour({.code = 1}));
  EXPECT_EQ(coded.key.tp_dst, Be16{1});
  EXPECT_EQ(coded.key.nd_target, Ipv6Address{});
}

TEST(ParseIpTest, NeighbourOptionGivenTwiceVoidsTheMessage) {
  const auto [key, layers] = parse_exactly(Packet()
                                               .eth()
                                               .ipv6()
                                               .neighbour({.sll = mac("02:00:00:00:00:0a")})
                                               .payload(Bytes{1, 1, 2, 0, 0, 0, 0, 9}));
  EXPECT_EQ(key.nd_target, Ipv6Address{});
  EXPECT_EQ(key.l2_sha, MacAddress{});
  EXPECT_EQ(key.tp_src, Be16{135});
}

TEST(ParseIpTest, UnknownNeighbourOptionsAreSteppedOver) {
  Bytes options(16, 0);
  options[0] = 14;
  options[1] = 2;
  const Bytes sll = {1, 1, 2, 0, 0, 0, 0, 9};
  options.insert(options.end(), sll.begin(), sll.end());
  const auto [key, layers] = parse_exactly(Packet().eth().ipv6().neighbour().payload(options));
  EXPECT_EQ(key.l2_sha, mac("02:00:00:00:00:09"));
}

}  // namespace
}  // namespace hoist::software

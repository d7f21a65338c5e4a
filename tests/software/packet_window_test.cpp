// SPDX-License-Identifier: BSD-3-Clause
#include "packet/window.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <vector>

#include "hoist/field.hpp"
#include "parse_frame.hpp"
#include "support/random_packet.hpp"

namespace hoist::software {
namespace {

using test::Bytes;
using test::Packet;
using enum PacketClass;

std::optional<PacketClass> classify(const Bytes& frame) {
  const auto buffer = std::make_unique<std::uint8_t[]>(frame.size());
  std::copy(frame.begin(), frame.end(), buffer.get());
  return classify_window(buffer.get(), frame.size());
}

TEST(PacketWindowTest, RegularPacketsHaveTheirClass) {
  EXPECT_EQ(classify(Packet().eth().ipv4().tcp().bytes()), kIpv4Tcp);
  EXPECT_EQ(classify(Packet().eth().ipv4().udp().pad_to(60).bytes()), kIpv4Udp);
  EXPECT_EQ(classify(Packet().eth().ipv4().sctp().payload(4).bytes()), kIpv4Sctp);
  EXPECT_EQ(classify(Packet().eth().ipv4().icmp().payload(56).bytes()), kIpv4Icmp);
  EXPECT_EQ(classify(Packet().eth().ipv4({.proto = 47}).payload(14).bytes()), kIpv4Other);
}

TEST(PacketWindowTest, OthersMustBeParsed) {
  EXPECT_EQ(classify(Packet().eth().ipv4().udp().bytes()), std::nullopt);  // 42 bytes
  EXPECT_EQ(classify(Packet().eth().vlan().ipv4().tcp().bytes()), std::nullopt);
  EXPECT_EQ(classify(Packet().eth().ipv6().tcp().bytes()), std::nullopt);
  EXPECT_EQ(classify(Packet().eth().arp().pad_to(60).bytes()), std::nullopt);
  EXPECT_EQ(classify(Packet().eth().ipv4({.options = Bytes(4)}).tcp().bytes()), std::nullopt);
  EXPECT_EQ(classify(Packet().eth().ipv4({.more_fragments = true}).tcp().bytes()), std::nullopt);
  EXPECT_EQ(classify(Packet().eth().ipv4({.fragment_offset = 1}).tcp().bytes()), std::nullopt);
  EXPECT_EQ(classify(Packet().eth().ipv4({.total_length = 41}).tcp().bytes()), std::nullopt);
  EXPECT_EQ(classify(Packet().eth().ipv4({.total_length = 39}).tcp().bytes()), std::nullopt);
  EXPECT_EQ(classify(Packet().eth().ipv4().tcp({.data_offset = 4}).bytes()), std::nullopt);
  EXPECT_EQ(classify(Packet().eth().ipv4().tcp({.data_offset = 6}).bytes()), std::nullopt);
}

TEST(PacketWindowTest, ClassesThatAreNeverRegularHaveNoMask) {
  for (std::size_t c = 0; c < kPacketClassCount; ++c) {
    const auto packet_class = static_cast<PacketClass>(c);
    const bool is_ipv4 = packet_class >= kIpv4Tcp && packet_class <= kIpv4Other;
    EXPECT_EQ(window_mask(FlowKey{}, packet_class).has_value(), is_ipv4);
  }
}

TEST(PacketWindowTest, ConstantFieldsNeedNothing) {
  FlowKey consulted{};
  std::memset(static_cast<void*>(&consulted.ipv6_src), 0xff, sizeof consulted.ipv6_src);
  consulted.in_port = Be32{0xffffffff};
  consulted.eth_type = Be16{0xffff};
  consulted.vlan_tci = Be16{0xffff};
  consulted.ip_proto = 0xff;
  consulted.ip_frag = 3;
  EXPECT_EQ(window_mask(consulted, kIpv4Tcp), WindowMask{});
}

/// Random bits of random fields.
FlowKey random_mask(test::Random& random) {
  FlowKey mask{};
  const std::size_t fields = random() % 6;
  for (std::size_t i = 0; i < fields; ++i) {
    const Field& f = kFields[random() % kFields.size()];
    FieldValue bits = full_mask(f);
    if (random() % 2 == 0) {
      for (std::uint8_t& b : bits) b = static_cast<std::uint8_t>(b & random());
    }
    set_field(mask, f, bits, bits);
  }
  return mask;
}

bool equal_under(const FlowKey& a, const FlowKey& b, const FlowKey& mask) {
  for (std::size_t i = 0; i < kFlowKeyWords; ++i) {
    if (((words(a)[i] ^ words(b)[i]) & words(mask)[i]) != 0) return false;
  }
  return true;
}
bool equal_under(const Bytes& a, const Bytes& b, const WindowMask& mask) {
  for (std::size_t i = 0; i < kWindowSize; ++i) {
    if (((a[i] ^ b[i]) & mask[i]) != 0) return false;
  }
  return true;
}

struct Regular {
  Bytes frame;
  FlowKey key;
};

std::map<PacketClass, std::vector<Regular>> regular_packets(test::Random& random) {
  std::map<PacketClass, std::vector<Regular>> out;
  for (int i = 0; i < 60000; ++i) {
    const Bytes frame = test::random_packet(random);
    const auto packet_class = classify(frame);
    if (!packet_class) continue;
    const auto [key, layers] = parse_exactly(frame);
    EXPECT_EQ(software::packet_class(key), *packet_class);
    EXPECT_FALSE(layers.is_malformed());
    out[*packet_class].push_back({frame, key});
  }
  return out;
}

TEST(PacketWindowTest, MaskedWindowsAreEqualExactlyWhenMaskedKeysAre) {
  test::Random random(3);
  const auto packets = regular_packets(random);
  ASSERT_EQ(packets.size(), 5u);
  std::size_t equal = 0;
  for (const auto& [packet_class, list] : packets) {
    for (int i = 0; i < 40000; ++i) {
      const FlowKey consulted = random_mask(random);
      const Regular& a = list[random() % list.size()];
      const Regular& b = list[random() % list.size()];
      const bool is_equal = equal_under(a.key, b.key, consulted);
      equal += is_equal ? 1u : 0u;
      ASSERT_EQ(equal_under(a.frame, b.frame, *window_mask(consulted, packet_class)), is_equal);
    }
  }
  EXPECT_GT(equal, 20000u);
  EXPECT_LT(equal, 180000u);
}

TEST(PacketWindowTest, KeyOfARegularPacketNeedsNoParser) {
  test::Random random(4);
  for (const auto& [packet_class, list] : regular_packets(random)) {
    for (const auto& [frame, parsed] : list) {
      const auto buffer = std::make_unique<std::uint8_t[]>(kWindowSize);
      std::copy_n(frame.begin(), kWindowSize, buffer.get());
      FlowKey key;
      std::memset(static_cast<void*>(&key), 0xa5, sizeof key);
      parse_window(buffer.get(), packet_class, PortNo{parsed.in_port.host()}, key);
      ASSERT_EQ(key, parsed);
    }
  }
}

}  // namespace
}  // namespace hoist::software

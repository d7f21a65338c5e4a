// SPDX-License-Identifier: BSD-3-Clause
#include "support/packet_builder.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/internet_checksum.hpp"
#include "support/random_packet.hpp"

namespace hoist::test {
namespace {

Bytes from(const Bytes& frame, std::size_t offset) {
  return Bytes(frame.begin() + static_cast<std::ptrdiff_t>(offset), frame.end());
}

TEST(PacketBuilderTest, UdpInIpv4MatchesBytesMadeByHand) {
  const Bytes frame = Packet().eth().ipv4().udp().payload(Bytes{0xab}).bytes();
  const Bytes expected = {0x02, 0,    0,    0,    0, 2, 0x02, 0,    0,   0,
                          0,    1,    0x08, 0x00,  // Ethernet
                          0x45, 0,    0,    29,   0, 1, 0,    0,    64,  17,
                          0x66, 0xcd, 10,   0,    0, 1, 10,   0,    0,   2,  // IPv4
                          0x03, 0xe8, 0x00, 0x35, 0, 9, 0x3c, 0xbc, 0xab};   // UDP
  EXPECT_EQ(frame, expected);
}

TEST(PacketBuilderTest, HeaderChecksumSumsToZero) {
  const Bytes frame = Packet().eth().ipv4({.options = Bytes(8, 1)}).tcp().bytes();
  EXPECT_EQ(checksum_finish(checksum_add(std::span(frame).subspan(14, 28))), 0);
}

TEST(PacketBuilderTest, TagsChainTheirTypes) {
  const Bytes frame =
      Packet().eth().vlan({.vid = 5, .pcp = 3, .tpid = 0x88a8}).vlan({.vid = 6}).arp().bytes();
  EXPECT_EQ(Bytes(frame.begin() + 12, frame.begin() + 22),
            (Bytes{0x88, 0xa8, 0x60, 0x05, 0x81, 0x00, 0x00, 0x06, 0x08, 0x06}));
}

TEST(PacketBuilderTest, OnlyTheLastLabelIsBottomOfStack) {
  const Bytes frame = Packet().eth().mpls({.label = 17, .tc = 1}).mpls().ipv4().bytes();
  EXPECT_EQ(Bytes(frame.begin() + 12, frame.begin() + 22),
            (Bytes{0x88, 0x47, 0x00, 0x01, 0x12, 64, 0x00, 0x01, 0x01, 64}));
}

TEST(PacketBuilderTest, ExtensionHeadersChainAndCountTheirUnits) {
  const Bytes frame = Packet()
                          .eth()
                          .ipv6()
                          .extension({.type = 0, .body = Bytes(7)})
                          .extension({.type = 51, .body = Bytes(10)})
                          .fragment({.offset = 2, .more = true})
                          .udp()
                          .bytes();
  EXPECT_EQ(frame[20], 0);
  EXPECT_EQ(frame[54], 51);
  EXPECT_EQ(frame[55], 1);  // 16 bytes
  EXPECT_EQ(frame[70], 44);
  EXPECT_EQ(frame[71], 2);  // 16 bytes
  EXPECT_EQ(from(frame, 86),
            (Bytes{17, 0, 0, 17, 0, 0, 0, 1, 0x03, 0xe8, 0, 53, 0, 8, frame[100], frame[101]}));
}

TEST(PacketBuilderTest, LengthPrecedesLlc) {
  const Bytes frame = Packet().eth().snap().arp().pad_to(60).bytes();
  EXPECT_EQ(frame.size(), 60u);
  EXPECT_EQ(Bytes(frame.begin() + 12, frame.begin() + 22),
            (Bytes{0, 36, 0xaa, 0xaa, 3, 0, 0, 0, 0x08, 0x06}));
}

TEST(PacketBuilderTest, Crc32cMatchesThePublishedCheckValue) {
  const std::string_view digits = "123456789";
  EXPECT_EQ(crc32c(Bytes(digits.begin(), digits.end())), 0xe3069283u);
}

TEST(RandomPacketTest, IsRepeatableAndHasManyKinds) {
  Random a(7), b(7);
  std::set<unsigned> types;
  for (int i = 0; i < 2000; ++i) {
    const Bytes frame = random_packet(a);
    ASSERT_EQ(frame, random_packet(b));
    if (frame.size() >= 14) types.insert(frame[12] * 256u + frame[13]);
  }
  for (const unsigned type : {0x0800u, 0x0806u, 0x86ddu, 0x8100u, 0x88a8u, 0x8847u, 0x8848u}) {
    EXPECT_TRUE(types.contains(type)) << std::hex << type;
  }
}

TEST(RandomPacketTest, ValuesFitTheirFields) {
  Random random(1);
  for (const Field& field : kFields) {
    const FieldValue mask = full_mask(field);
    for (int i = 0; i < 50; ++i) {
      const FieldValue value = random_value(field, random);
      for (std::size_t b = 0; b < 16; ++b) ASSERT_EQ(value[b] & ~mask[b], 0) << field.name;
    }
  }
}

}  // namespace
}  // namespace hoist::test

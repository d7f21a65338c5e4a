// SPDX-License-Identifier: BSD-3-Clause
#include "cache/change_log.hpp"

#include <gtest/gtest.h>

#include <random>

#include "packet/parse.hpp"
#include "support/packet_builder.hpp"

namespace hoist::software {
namespace {

using test::Bytes;

constexpr PacketMask kNoWrites{};

struct Seen {
  FlowKey key{};
  Bytes frame;
  std::optional<PacketClass> window_class;
};

Seen see(const Bytes& frame) {
  Seen seen{.frame = frame};
  parse(frame.data(), frame.size(), PortNo{1}, seen.key);
  seen.window_class = classify_window(frame.data(), frame.size());
  return seen;
}

Bytes random_frame(std::mt19937& random) {
  const auto port = [&] { return static_cast<std::uint16_t>(random() % 3); };
  test::Packet packet = test::Packet().eth();
  if (random() % 4 == 0) packet.vlan({.vid = port()});
  packet.ipv4({.dst = Be32{static_cast<std::uint32_t>(random() % 4)},
               .ttl = static_cast<std::uint8_t>(random() % 3)});
  switch (random() % 3) {
    case 0:
      return packet.tcp({.src = port(), .dst = port()}).pad_to(60).bytes();
    case 1:
      return packet.udp({.src = port(), .dst = port()}).pad_to(60).bytes();
    default:
      return packet.icmp({.type = static_cast<std::uint8_t>(port())}).pad_to(60).bytes();
  }
}

/// Some bytes of what a packet has, so that it is likely to match.
MiniMatch random_match(const FlowKey& like, std::mt19937& random) {
  Match match{};
  for (std::size_t i = 0; i < kPacketWords; ++i) {
    if (random() % 4 != 0) continue;
    words(match.mask)[i] = std::uint64_t{0xff} << (8 * (random() % 8));
    words(match.value)[i] = words(like)[i] & words(match.mask)[i];
  }
  return MiniMatch(match);
}

ChangeLog::Packet packet_of(const Seen& seen, bool by_window) {
  return {.bridge = 0,
          .in_port = 1,
          .table_bits = 1,
          .packet_class = packet_class(seen.key),
          .window = by_window ? seen.frame.data() : nullptr,
          .key = words(seen.key)};
}

class ChangeLogTest : public ::testing::Test {
 protected:
  void record(Datapath::Version version, const MiniMatch& match) {
    log_.record(version, {make_change(0, 0, match, kNoWrites, false)}, false);
  }
  Reclaimer reclaimer_{1};
  ChangeLog log_{reclaimer_};
};

TEST_F(ChangeLogTest, TouchesExactlyThePacketsThatTheRuleMatches) {
  std::mt19937 random(static_cast<unsigned>(::testing::UnitTest::GetInstance()->random_seed()));
  Datapath::Version version = 1;
  unsigned matched = 0;
  for (int i = 0; i < 20000; ++i) {
    const Seen like = see(random_frame(random));
    const Seen seen = see(random_frame(random));
    const MiniMatch match = random_match(like.key, random);
    record(++version, match);
    const bool matches = match.matches(seen.key);
    matched += matches ? 1u : 0u;
    ASSERT_EQ(log_.touches(packet_of(seen, false), version - 1, version), matches) << i;
    if (!seen.window_class) continue;
    ASSERT_EQ(log_.touches(packet_of(seen, true), version - 1, version), matches) << i;
  }
  EXPECT_GT(matched, 1000u);
}

TEST_F(ChangeLogTest, BitsThatActionsMayWriteAreNotCompared) {
  std::mt19937 random(1);
  const Seen seen = see(random_frame(random));
  Match match{};
  match.mask.nw_dst = Be32{0xffffffff};
  match.value.nw_dst = Be32{99};
  PacketMask writes = packet_mask(match.mask);
  log_.record(2, {make_change(0, 0, MiniMatch(match), kNoWrites, false)}, false);
  EXPECT_FALSE(log_.touches(packet_of(seen, false), 1, 2));
  log_.record(3, {make_change(0, 0, MiniMatch(match), writes, false)}, false);
  EXPECT_TRUE(log_.touches(packet_of(seen, false), 2, 3));
}

TEST_F(ChangeLogTest, TableOffThePathAndOtherPortsTouchNothing) {
  const Seen seen = see(test::Packet().eth().ipv4().udp().pad_to(60).bytes());
  log_.record(2, {make_change(0, 5, MiniMatch(), kNoWrites, false)}, false);
  EXPECT_FALSE(log_.touches(packet_of(seen, true), 1, 2));
  Match from_port_2{};
  from_port_2.mask.in_port = Be32{0xffffffff};
  from_port_2.value.in_port = Be32{2};
  record(3, MiniMatch(from_port_2));
  EXPECT_FALSE(log_.touches(packet_of(seen, true), 2, 3));
}

TEST_F(ChangeLogTest, WhatItNoLongerKnowsTouchesAll) {
  const Seen seen = see(test::Packet().eth().arp().bytes());
  EXPECT_TRUE(log_.touches(packet_of(seen, false), 1, 2));
  Match never{};
  never.mask.eth_type = Be16{0xffff};
  for (Datapath::Version v = 2; v < 200; ++v) record(v, MiniMatch(never));
  EXPECT_FALSE(log_.touches(packet_of(seen, false), 190, 199));
  EXPECT_TRUE(log_.touches(packet_of(seen, false), 2, 199));
}

}  // namespace
}  // namespace hoist::software

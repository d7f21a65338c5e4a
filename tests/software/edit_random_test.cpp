// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstring>

#include "checksum_error.hpp"
#include "packet/edit.hpp"
#include "support/captures.hpp"
#include "support/random_packet.hpp"
#include "support/test_mbuf.hpp"

namespace hoist::software {
namespace {

using test::Bytes;
using test::Random;
using test::TestMbuf;
using enum FieldId;

/// Whether a packet has a field, told from what parse() says.
bool has_field(const FlowKey& key, const Layers& layers, const Field& f) {
  const auto has_l4 = [&](std::uint8_t proto) {
    return layers.has(Layers::kHasL4) && key.ip_proto == proto;
  };
  const bool has_l3 = layers.l3_offset != Layers::kNone;
  const std::uint16_t type = key.eth_type.host();
  switch (f.prerequisite) {
    case Prerequisite::kNone:
      return f.offset < kPacketWords * 8 && f.id != kInPort && (f.id != kEthType || type != 0x05ff);
    case Prerequisite::kVlan:
      return (key.vlan_tci.host() & kVlanPresent) != 0;
    case Prerequisite::kMpls:
      return layers.mpls_count > 0;
    case Prerequisite::kArp:
      return has_l3 && (type == 0x0806 || type == 0x8035);
    case Prerequisite::kIp:
      return layers.is_ip() &&
             (f.id != kIpProto || type == 0x0800 || (key.ip_frag & kFragLater) == 0);
    case Prerequisite::kIpv4:
      return has_l3 && type == 0x0800;
    case Prerequisite::kIpv6:
      return has_l3 && type == 0x86dd;
    case Prerequisite::kTcp:
      return has_l4(6);
    case Prerequisite::kUdp:
      return has_l4(17);
    case Prerequisite::kSctp:
      return has_l4(132) && key.ip_frag == 0;
    case Prerequisite::kIcmpv4:
      return has_l4(1);
    case Prerequisite::kIcmpv6:
      return has_l4(58);
    case Prerequisite::kNd:
      return key.nd_target != Ipv6Address{};
    case Prerequisite::kNdSolicit:
      return has_l4(58) && key.tp_src.host() == 135 && key.l2_sha != MacAddress{};
    case Prerequisite::kNdAdvertise:
      return has_l4(58) && key.tp_src.host() == 136 && key.l2_tha != MacAddress{};
  }
  return false;
}

FieldValue random_bits(const Field& f, Random& random) {
  FieldValue mask = full_mask(f);
  if (!f.is_maskable || random() % 2 == 0) return mask;
  for (std::uint8_t& b : mask) b = static_cast<std::uint8_t>(b & random());
  return mask;
}

/// A packet in a buffer of exactly its size, and what parse() says of it.
struct Subject {
  explicit Subject(const Bytes& frame, std::size_t readable)
      : mbuf(frame, readable), layers(parse(*mbuf, PortNo{1}, key)) {}
  TestMbuf mbuf;
  FlowKey key{};
  Layers layers;
};

void check_set_field(Subject& subject, const Field& f, Random& random) {
  const Bytes before = subject.mbuf.bytes();
  const Layers layers_before = subject.layers;
  const ChecksumError error_before = checksum_error(before, layers_before);
  FieldValue value = test::random_value(f, random);
  if (f.id == kArpOp) value[14] = 0;  // Above 255 it reads as 0.
  const FieldValue mask = random_bits(f, random);
  const bool is_set = set_field(*subject.mbuf, subject.layers, f, value, mask);
  const bool is_runt = layers_before.has(Layers::kRunt);
  ASSERT_EQ(is_set, !is_runt && f.is_writable && has_field(subject.key, layers_before, f))
      << f.name;

  const Bytes after = subject.mbuf.bytes();
  FlowKey key{};
  ASSERT_EQ(parse(*subject.mbuf, PortNo{1}, key), subject.layers) << f.name;
  if (!is_set) {
    ASSERT_EQ(after, before) << f.name;
    return;
  }
  if (edits_only_its_field(f.id)) {
    FlowKey expected = subject.key;
    hoist::set_field(expected, f, value, mask);
    ASSERT_EQ(key, expected) << f.name;
  }
  if (f.id == kIpProto) {
    if (subject.layers.is_ip()) {
      ASSERT_EQ(checksum_error(after, subject.layers).ipv4_header, error_before.ipv4_header);
    }
  } else if (subject.layers.eth_type == layers_before.eth_type) {
    ASSERT_EQ(checksum_error(after, subject.layers), error_before) << f.name;
  }
}

TEST(EditRandomTest, SetFieldChangesTheKeyAsItChangesThePacket) {
  Random random(11);
  for (int i = 0; i < 30000; ++i) {
    const Bytes frame = test::random_packet(random);
    Subject subject(frame, frame.size());
    ASSERT_NO_FATAL_FAILURE(check_set_field(subject, kFields[random() % kFields.size()], random));
  }
}

TEST(EditRandomTest, EveryFieldOfEveryKindOfPacket) {
  Random random(12);
  for (int i = 0; i < 600; ++i) {
    const Bytes frame = test::random_packet(random);
    for (const Field& f : kFields) {
      Subject subject(frame, frame.size());
      ASSERT_NO_FATAL_FAILURE(check_set_field(subject, f, random));
    }
  }
}

void random_edit(Subject& s, Random& random) {
  constexpr std::uint16_t kTypes[] = {0x0800, 0x86dd, 0x0806, 0x8100,
                                      0x8847, 0x88a8, 0x8848, 0x1234};
  const std::uint16_t type = kTypes[random() % 8];
  const auto ttl = static_cast<std::uint8_t>(random());
  switch (random() % 12) {
    case 0:
      return void(push_vlan(*s.mbuf, s.layers, type));
    case 1:
      return void(pop_vlan(*s.mbuf, s.layers));
    case 2:
      return void(push_mpls(*s.mbuf, s.layers, type));
    case 3:
      return void(pop_mpls(*s.mbuf, s.layers, type));
    case 4:
      return void(set_mpls_ttl(*s.mbuf, s.layers, ttl));
    case 5:
      return void(set_nw_ttl(*s.mbuf, s.layers, ttl));
    case 6:
      return void(dec_mpls_ttl(*s.mbuf, s.layers));
    case 7:
      return void(dec_nw_ttl(*s.mbuf, s.layers));
    case 8:
      return void(copy_ttl_out(*s.mbuf, s.layers));
    case 9:
      return void(copy_ttl_in(*s.mbuf, s.layers));
    default: {
      const Field& f = kFields[random() % kFields.size()];
      return void(
          set_field(*s.mbuf, s.layers, f, test::random_value(f, random), random_bits(f, random)));
    }
  }
}

// The address sanitizer judges too. Some frames have their end in a second segment.
TEST(EditRandomTest, LayersStayWhatTheParserSays) {
  Random random(13);
  for (int i = 0; i < 20000; ++i) {
    const Bytes frame = test::random_packet(random);
    const std::size_t cut = random() % 4 == 0 ? random() % (frame.size() + 1) : 0;
    Subject subject(frame, frame.size() - cut);
    for (int edit = 0; edit < 12; ++edit) {
      random_edit(subject, random);
      FlowKey key{};
      ASSERT_EQ(parse(*subject.mbuf, PortNo{1}, key), subject.layers);
    }
  }
}

TEST(EditRandomTest, EveryFieldOfCapturedPackets) {
  const std::vector<Bytes> frames = test::captured_frames();
  if (frames.empty()) GTEST_SKIP() << "no captures: set HOIST_CAPTURES";
  Random random(15);
  for (const Bytes& frame : frames) {
    if (frame.size() > 9000) continue;
    for (int i = 0; i < 8; ++i) {
      Subject subject(frame, frame.size());
      const Field& f = kFields[random() % kFields.size()];
      ASSERT_NO_FATAL_FAILURE(check_set_field(subject, f, random));
    }
  }
}

TEST(EditRandomTest, LayersOfCapturedPacketsStayWhatTheParserSays) {
  const std::vector<Bytes> frames = test::captured_frames();
  if (frames.empty()) GTEST_SKIP() << "no captures: set HOIST_CAPTURES";
  Random random(16);
  for (const Bytes& frame : frames) {
    const std::size_t readable = std::min<std::size_t>(frame.size(), 60000);
    for (const std::size_t length : {readable, random() % (readable + 1)}) {
      Subject subject(frame, length);
      for (int edit = 0; edit < 12; ++edit) {
        random_edit(subject, random);
        FlowKey key{};
        ASSERT_EQ(parse(*subject.mbuf, PortNo{1}, key), subject.layers);
      }
    }
  }
}

// IPv4 headers stay right through any edits that leave them in sight.
TEST(EditRandomTest, ChecksumErrorsNeitherAppearNorVanish) {
  Random random(14);
  for (int i = 0; i < 20000; ++i) {
    const Bytes frame = test::random_packet(random);
    Subject subject(frame, frame.size());
    const ChecksumError before = checksum_error(frame, subject.layers);
    for (int edit = 0; edit < 6; ++edit) {
      if (!push_vlan(*subject.mbuf, subject.layers, 0x8100)) break;
      (void)dec_nw_ttl(*subject.mbuf, subject.layers);
      (void)set_nw_ttl(*subject.mbuf, subject.layers, static_cast<std::uint8_t>(random()));
      if (!pop_vlan(*subject.mbuf, subject.layers)) break;
      ASSERT_EQ(checksum_error(subject.mbuf.bytes(), subject.layers), before);
    }
  }
}

}  // namespace
}  // namespace hoist::software

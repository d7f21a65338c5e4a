// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "hoist/field.hpp"
#include "open_vswitch_flow.hpp"
#include "parse_frame.hpp"
#include "support/captures.hpp"
#include "support/random_packet.hpp"

namespace hoist::software {
namespace {

using test::Bytes;

/// The key without what we see and Open vSwitch does not, and the other way round
/// (packet/README.md).
FlowKey comparable(const FlowKey& key) {
  FlowKey out = key;
  out.in_port = Be32{};
  out.ipv6_exthdr = Be16{};
  const bool is_v4 = key.eth_type.host() == 0x0800;
  const bool is_foreign_icmp = is_v4 ? key.ip_proto == 58 : key.ip_proto == 1;
  if (is_foreign_icmp || key.ip_proto == 2) {
    out.tp_src = out.tp_dst = Be16{};
    out.nd_target = Ipv6Address{};
    out.l2_sha = out.l2_tha = MacAddress{};
  }
  return out;
}

std::string differences(const FlowKey& ours, const FlowKey& theirs) {
  std::string out;
  for (const Field& f : kFields) {
    if (get_field(ours, f) != get_field(theirs, f)) out += std::string(f.name) + ' ';
  }
  return out;
}

// Its reader stops at an empty frame and at one that is longer than 65,535 bytes.
void compare(std::vector<Bytes> frames) {
  std::erase_if(frames, [](const Bytes& frame) { return frame.empty() || frame.size() > 65535; });
  const std::vector<std::string> lines = extract_with_open_vswitch(frames);
  if (lines.empty()) GTEST_SKIP() << "no ovs-ofctl";
  ASSERT_EQ(lines.size(), frames.size());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const auto theirs = read_flow(lines[i]);
    ASSERT_TRUE(theirs) << lines[i];
    const FlowKey ours = comparable(parse_exactly(frames[i]).key);
    ASSERT_EQ(ours, comparable(*theirs)) << "frame " << i << ": " << lines[i] << "\n"
                                         << differences(ours, comparable(*theirs));
  }
}

TEST(ParseOpenVswitchTest, CapturedFramesReadAlike) {
  const std::vector<Bytes> frames = test::captured_frames();
  if (frames.empty()) GTEST_SKIP() << "no captures: set HOIST_CAPTURES";
  compare(std::move(frames));
}

TEST(ParseOpenVswitchTest, RandomFramesReadAlike) {
  test::Random random(21);
  std::vector<Bytes> frames;
  for (int i = 0; i < 20000; ++i) frames.push_back(test::random_packet(random));
  compare(std::move(frames));
}

}  // namespace
}  // namespace hoist::software

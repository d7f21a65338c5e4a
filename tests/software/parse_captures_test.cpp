// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "parse_frame.hpp"
#include "support/captures.hpp"

namespace hoist::software {
namespace {

using test::Bytes;

// The address sanitizer judges: every length of every frame, each in a buffer of that size. Headers
// end long before 400 bytes; beyond, some lengths will do.
TEST(ParseCapturesTest, ReadsNothingPastTheEndAtAnyLength) {
  const std::vector<Bytes> frames = test::captured_frames();
  if (frames.empty()) GTEST_SKIP() << "no captures: set HOIST_CAPTURES";
  for (const Bytes& frame : frames) {
    for (std::size_t length = 0; length <= frame.size(); length += length < 400 ? 1 : 997) {
      const auto [key, layers] = parse_exactly(frame, length);
      ASSERT_LE(layers.l2_end, length);
    }
    (void)parse_exactly(frame);
  }
}

TEST(ParseCapturesTest, SoundFramesOfAllKindsAreSeen) {
  const std::vector<Bytes> frames = test::captured_frames();
  if (frames.empty()) GTEST_SKIP() << "no captures: set HOIST_CAPTURES";
  std::size_t ports = 0, tags = 0, labels = 0, fragments = 0, damaged = 0;
  for (const Bytes& frame : frames) {
    const auto [key, layers] = parse_exactly(frame);
    ports += layers.has(Layers::kHasL4);
    tags += layers.vlan_count > 0;
    labels += layers.mpls_count > 0;
    fragments += layers.has(Layers::kFragment);
    damaged += layers.is_malformed();
  }
  for (const std::size_t count : {ports, tags, labels, fragments, damaged}) EXPECT_GT(count, 0u);
}

}  // namespace
}  // namespace hoist::software

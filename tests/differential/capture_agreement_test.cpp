// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdio>

#include "packet/parse.hpp"
#include "support/captures.hpp"
#include "support/pipeline/scenario.hpp"
#include "support/reference/layers.hpp"

namespace hoist {
namespace {

/// Foreign frames, many of them made to break parsers, are read alike by both parsers.
TEST(CaptureAgreementTest, ForeignFramesReadAlike) {
  const std::vector<test::Bytes> frames = test::captured_frames();
  if (frames.empty()) GTEST_SKIP() << "no captures are here";
  for (const test::Bytes& frame : frames) {
    if (frame.size() < 14) continue;
    FlowKey wanted = reference::parse_key(frame);
    wanted.in_port = Be32{7};
    FlowKey got{};
    software::parse(frame.data(), frame.size(), PortNo{7}, got);
    EXPECT_EQ(wanted, got) << test::hex(frame);
  }
  std::printf("%zu frames\n", frames.size());
}

}  // namespace
}  // namespace hoist

// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdlib>

#include "packet/parse.hpp"
#include "support/capture.hpp"
#include "support/pipeline/scenario.hpp"
#include "support/reference/layers.hpp"

namespace hoist {
namespace {

/// Foreign frames, many of them made to break parsers, are read alike by both parsers.
TEST(CaptureAgreementTest, ForeignFramesReadAlike) {
  const char* folder = std::getenv("HOIST_CAPTURES");
  const auto files = test::find_captures(folder == nullptr ? "" : folder);
  if (files.empty()) GTEST_SKIP() << "no captures: HOIST_CAPTURES names no folder with any";
  std::size_t count = 0;
  for (const auto& file : files) {
    for (const test::Bytes& frame : test::read_capture(file)) {
      if (frame.size() < 14) continue;
      FlowKey wanted = reference::parse_key(frame);
      wanted.in_port = Be32{7};
      FlowKey got{};
      software::parse(frame.data(), frame.size(), PortNo{7}, got);
      EXPECT_EQ(wanted, got) << file << ": " << test::hex(frame);
      ++count;
    }
  }
  std::printf("%zu files, %zu frames\n", files.size(), count);
}

}  // namespace
}  // namespace hoist

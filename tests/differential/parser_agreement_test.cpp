// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstring>

#include "packet/parse.hpp"
#include "support/pipeline/scenario.hpp"
#include "support/pipeline/spell.hpp"
#include "support/random_packet.hpp"
#include "support/reference/layers.hpp"

namespace hoist {
namespace {

/// The fields of a key, for people.
std::string spell_key(const FlowKey& key) {
  Match match{.value = key};
  std::memset(static_cast<void*>(&match.mask), 0xff, kPacketWords * 8);
  return test::spell(MiniMatch(match));
}

/// The parser of the packet path and the reference's own see the same in every frame.
TEST(ParserAgreementTest, RandomFramesReadAlike) {
  test::Random random(20240601);
  for (int n = 0; n < 100'000; ++n) {
    const test::Bytes frame = test::random_packet(random);
    if (frame.size() < 14) continue;
    FlowKey wanted = reference::parse_key(frame);
    wanted.in_port = Be32{7};
    FlowKey got{};
    software::parse(frame.data(), frame.size(), PortNo{7}, got);
    ASSERT_EQ(wanted, got) << "reference: " << spell_key(wanted) << "\nparser: " << spell_key(got)
                           << "\nframe: " << test::hex(frame);
  }
}

}  // namespace
}  // namespace hoist

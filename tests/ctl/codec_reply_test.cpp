// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "openflow/wire.hpp"
#include "recorded_messages.hpp"

namespace hoist::test {
namespace {

using namespace openflow;

constexpr Envelope kTo{Version::kOf13, 0x11223344};

/// The messages that lie end to end in `bytes`.
std::vector<ByteSpan> messages_in(const Bytes& bytes) {
  std::vector<ByteSpan> out;
  ByteSpan rest(bytes);
  while (!rest.empty()) {
    const auto header = Header::read(rest);
    if (!header || header->length < Header::kSize || header->length > rest.size()) return {};
    out.push_back(rest.first(header->length));
    rest = rest.subspan(header->length);
  }
  return out;
}
bool has_more(ByteSpan message) { return message[11] == 1; }

TEST(MultipartReplyTest, SplitsAtSixtyFourKibibytes) {
  Bytes out;
  MultipartReply reply(out, kTo, 1);
  const Bytes entry(1000, 0xab);
  for (int i = 0; i < 200; ++i) reply.add(entry);
  reply.finish();
  const auto parts = messages_in(out);
  ASSERT_EQ(parts.size(), 4u);
  std::size_t entries = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(has_more(parts[i]), i + 1 < parts.size());
    EXPECT_EQ((parts[i].size() - 16) % entry.size(), 0u);
    entries += (parts[i].size() - 16) / entry.size();
  }
  EXPECT_EQ(entries, 200u);
}

TEST(MultipartReplyTest, EmptyIsOneMessage) {
  Bytes out;
  MultipartReply(out, kTo, 1).finish();
  ASSERT_EQ(messages_in(out).size(), 1u);
  EXPECT_EQ(out, (Bytes{4, 19, 0, 16, 0x11, 0x22, 0x33, 0x44, 0, 1, 0, 0, 0, 0, 0, 0}));
}

TEST(MultipartReplyTest, LargestEntryFitsAPart) {
  for (const Version version : {Version::kOf10, Version::kOf13}) {
    Bytes out;
    MultipartReply reply(out, {version, 1}, 0xffff, 0);
    reply.add(Bytes(8));
    reply.add(Bytes(MultipartReply::kMaxEntry));
    reply.finish();
    EXPECT_EQ(messages_in(out).size(), 2u);
  }
}

TEST(FlowStatsReplyTest, RuleWithActionsTooLongIsSentWithoutThem) {
  Instructions instructions;
  for (int i = 0; i < 4090; ++i) instructions.apply_actions.push_back(OutputAction{PortNo{1}, 0});
  const MiniMatch match{Match{}};
  FlowStats stats;
  stats.match = &match;
  stats.instructions = &instructions;
  Bytes out;
  FlowStatsReply reply(out, kTo, false);
  reply.add(stats);
  instructions.apply_actions.resize(4097 - 7, OutputAction{PortNo{1}, 0});
  for (int i = 0; i < 10; ++i) instructions.apply_actions.push_back(OutputAction{PortNo{1}, 0});
  reply.add(stats);
  reply.finish();
  const auto parts = messages_in(out);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_GT(parts[0].size(), 65000u);
  EXPECT_EQ(parts[1].size(), 16u + 48 + 8);
}

TEST(ErrorReplyTest, LongMessagesAreCutToFit) {
  Bytes out;
  encode_error(out, kTo, {1, 1, 0, ""}, Bytes(65535));
  const auto parts = messages_in(out);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].size(), 65535u);
}

TEST(ErrorReplyTest, ExperimenterErrorsHaveTheFormOfTheirVersion) {
  Bytes of10, of13;
  encode_error(of10, {Version::kOf10, 1}, {1, 260, 0x2320, ""}, {});
  encode_error(of13, {Version::kOf13, 1}, {2300, 0, 0x4f4e4600, ""}, {});
  EXPECT_EQ(of10, (Bytes{1, 1, 0, 20, 0, 0, 0, 1, 0xb0, 0xc2, 0, 0, 0, 0, 0x23, 0x20, 0, 1, 1, 4}));
  EXPECT_EQ(of13, (Bytes{4, 1, 0, 16, 0, 0, 0, 1, 0xff, 0xff, 0x08, 0xfc, 0x4f, 0x4e, 0x46, 0}));
}

TEST(TypeNameTest, NamesTypesOfEachVersion) {
  EXPECT_EQ(type_name({1, 18, 8, 0}), "OFPT_BARRIER_REQUEST");
  EXPECT_EQ(type_name({4, 18, 8, 0}), "OFPT_MULTIPART_REQUEST");
  EXPECT_EQ(type_name({4, 200, 8, 0}), "unknown");
}

TEST(HelloEncodeTest, OpenFlow10HasNoBitmap) {
  Bytes of10, of13;
  encode(of10, {Version::kOf10, 1}, Hello{2});
  encode(of13, {Version::kOf13, 1}, Hello{0x12});
  EXPECT_EQ(of10, (Bytes{1, 0, 0, 8, 0, 0, 0, 1}));
  EXPECT_EQ(of13, (Bytes{4, 0, 0, 16, 0, 0, 0, 1, 0, 1, 0, 8, 0, 0, 0, 0x12}));
}

}  // namespace
}  // namespace hoist::test

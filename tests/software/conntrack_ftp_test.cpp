// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "conntrack/ftp_message.hpp"
#include "conntrack/sequence_shift.hpp"

namespace hoist::software {
namespace {

using Kind = FtpMessage::Kind;

/// Reads from a buffer of exactly that size.
std::optional<FtpMessage> read(std::string_view text) {
  const auto copy = std::make_unique<char[]>(text.size());
  std::copy(text.begin(), text.end(), copy.get());
  return read_ftp_message({copy.get(), text.size()});
}
std::string address_in(std::string_view text, const FtpMessage& message) {
  return std::string(text.substr(message.address_offset, message.address_size));
}

struct Understood {
  std::string_view name, text, address;
  Kind kind;
  std::uint16_t port;
};
class FtpMessageTest : public ::testing::TestWithParam<Understood> {};

TEST_P(FtpMessageTest, NamesWhereTheDataConnectionIsAwaited) {
  const auto message = read(GetParam().text);
  ASSERT_TRUE(message);
  EXPECT_EQ(message->kind, GetParam().kind);
  EXPECT_EQ(message->port, GetParam().port);
  EXPECT_EQ(address_in(GetParam().text, *message), GetParam().address);
  if (message->family == 0) return;
  const FtpAddress again(message->kind, message->family, message->address);
  EXPECT_EQ(again.text(), GetParam().address);
}
INSTANTIATE_TEST_SUITE_P(
    Messages, FtpMessageTest,
    ::testing::Values(
        Understood{"Port", "PORT 10,0,0,1,4,1\r\n", "10,0,0,1", Kind::kPort, 1025},
        Understood{"LowerCase", "port 10,0,0,1,0,21\r\n", "10,0,0,1", Kind::kPort, 21},
        Understood{"Passive", "227 Entering Passive Mode (192,168,10,20,255,255).\r\n",
                   "192,168,10,20", Kind::kPassive, 65535},
        Understood{"PassiveWithoutBrackets", "227 =10,0,0,1,4,1\r\n", "10,0,0,1", Kind::kPassive,
                   1025},
        Understood{"ExtendedPort4", "EPRT |1|10.0.0.1|1025|\r\n", "10.0.0.1", Kind::kExtendedPort,
                   1025},
        Understood{"ExtendedPort6", "EPRT |2|fd00::1|40000|\r\n", "fd00::1", Kind::kExtendedPort,
                   40000},
        Understood{"ExtendedPassive", "229 Entering Extended Passive Mode (|||6446|)\r\n", "",
                   Kind::kExtendedPassive, 6446}),
    [](const auto& spec) { return std::string(spec.param.name); });

TEST(FtpMessageTest, IsNotReadWhereItIsCutShortOrWrong) {
  for (const std::string_view text : {"",
                                      "PORT",
                                      "PORT ",
                                      "PORT 10,0,0,1,4",
                                      "PORT 10,0,0,1,4,",
                                      "PORT 10,0,0,1,4,1",
                                      "PORT 10,0,0,256,4,1\r\n",
                                      "PORT 10,0,0,1,256,1\r\n",
                                      "PORT 10.0.0.1,4,1\r\n",
                                      "PORT 10,0,0,1,0,0\r\n",
                                      "227 Entering Passive Mode",
                                      "227-10,0,0,1,4,1\r\n",
                                      "EPRT |3|10.0.0.1|1025|\r\n",
                                      "EPRT |1|10.0.0|1025|\r\n",
                                      "EPRT |2|fd00::1|1025",
                                      "EPRT |1|10.0.0.1|65536|\r\n",
                                      "EPRT 1110.0.0.1110251\r\n",
                                      "EPRT |1|10.0.0.1|1025 \r\n",
                                      "229 Entering (||1025|)\r\n",
                                      "229 Entering (|||1025)\r\n",
                                      "229 (",
                                      "USER anonymous\r\n"}) {
    EXPECT_FALSE(read(text)) << text;
  }
}

TEST(FtpMessageTest, IsNotLookedForBehind128Bytes) {
  const std::string near = "227 " + std::string(100, 'x') + "(10,0,0,1,4,1)";
  const std::string far = "227 " + std::string(120, 'x') + "(10,0,0,1,4,1)";
  EXPECT_TRUE(read(near));
  EXPECT_FALSE(read(far));
}

TEST(SequenceShiftTest, HoldsForWhatComesBehindTheRewrittenSegment) {
  SequenceShift shift;
  EXPECT_TRUE(shift.is_none());
  shift.add(100, 3);
  EXPECT_EQ(shift.of(100), 0u);
  EXPECT_EQ(shift.of(120), 3u);
  EXPECT_EQ(shift.of_acknowledged(100), 0u);
  EXPECT_EQ(shift.of_acknowledged(123), 3u);
  shift.add(200, -5);
  EXPECT_EQ(shift.of(200), 3u);
  EXPECT_EQ(shift.of(201), static_cast<std::uint32_t>(-2));
  EXPECT_EQ(shift.of_acknowledged(203), 3u);
  EXPECT_EQ(shift.of_acknowledged(210), static_cast<std::uint32_t>(-2));
}

TEST(SequenceShiftTest, CountsASegmentSentAgainOnce) {
  SequenceShift shift;
  shift.add(0xfffffff0u, 3);
  shift.add(0xfffffff0u, 3);
  EXPECT_EQ(shift.of(10), 3u) << "past the wrap";
  shift.add(0xffffff00u, 4);
  EXPECT_EQ(shift.of(10), 3u) << "an older one";
}

}  // namespace
}  // namespace hoist::software

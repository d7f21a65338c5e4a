// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>

#include "openflow/fault.hpp"
#include "openflow/wire.hpp"
#include "recorded_messages.hpp"

namespace hoist::test {
namespace {

using namespace openflow;

/// A Nicira message of that subtype: NXT_CT_FLUSH is 32, NXT_CT_FLUSH_ZONE 29.
Bytes nicira_message(std::uint32_t subtype, const std::string& hex) {
  Bytes out;
  const std::size_t start = begin_nicira(out, {Version::kOf14, 1}, subtype);
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    put8(out, static_cast<std::uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  end_message(out, start);
  return out;
}
std::string mapped(const std::string& ipv4) { return "00000000000000000000ffff" + ipv4; }

const std::string kUdp = "1100000000000000";
const std::string kZone5 = "0002000800050000";
const std::string kSource = "00000014" + mapped("0a000001") + "00000000";
const std::string kDestination = "00010014" + mapped("0a000002") + "00000000";
const std::string kPorts =
    "00020008"
    "03e80000"
    "00030008"
    "00350000";

TEST(CtFlushTest, NamesATupleAndAZone) {
  const auto request = decode_exactly(
      nicira_message(32, kUdp + "0000004800000000" + kSource + kDestination + kPorts + kZone5),
      Version::kOf14);
  ASSERT_TRUE(request) << request.error().detail;
  const ConnectionFilter& filter = std::get<NxCtFlush>(*request).filter;
  EXPECT_EQ(filter.zone, 5);
  EXPECT_EQ(filter.whole_tuple(), (ConnectionTuple{{10, 0, 0, 1}, {10, 0, 0, 2}, 1000, 53, 17, 4}));
}

TEST(CtFlushTest, NamesPartsOfTheAnswersOfPings) {
  const auto request = decode_exactly(nicira_message(32,
                                                     "0100000000000000"
                                                     "0001002000000000"
                                                     "0004000800070000"
                                                     "0005000508000000"
                                                     "0006000501000000"),
                                      Version::kOf14);
  ASSERT_TRUE(request) << request.error().detail;
  const ConnectionFilter& filter = std::get<NxCtFlush>(*request).filter;
  EXPECT_EQ(filter.ip_proto, 1);
  EXPECT_EQ(filter.zone, std::nullopt);
  EXPECT_EQ(filter.reply, (TupleFilter{.icmp_id = 7, .icmp_type = 8, .icmp_code = 1}));
}

TEST(CtFlushTest, NamesIpv6Addresses) {
  const std::string address = "20010db8000000000000000000000001";
  const auto request = decode_exactly(nicira_message(32,
                                                     "0000000000000000"
                                                     "0000002000000000"
                                                     "00000014" +
                                                         address + "00000000"),
                                      Version::kOf14);
  ASSERT_TRUE(request) << request.error().detail;
  const ConnectionFilter& filter = std::get<NxCtFlush>(*request).filter;
  EXPECT_EQ(filter.family, 6);
  EXPECT_EQ(filter.original.src[15], 1);
}

TEST(CtFlushTest, WithoutAnythingMeansAll) {
  const auto request = decode_exactly(nicira_message(32, "0000000000000000"), Version::kOf14);
  ASSERT_TRUE(request) << request.error().detail;
  EXPECT_EQ(std::get<NxCtFlush>(*request).filter, ConnectionFilter{});
}

TEST(CtFlushTest, OfAZone) {
  const auto request = decode_exactly(nicira_message(29, "0000000000000007"), Version::kOf14);
  ASSERT_TRUE(request) << request.error().detail;
  EXPECT_EQ(std::get<NxCtFlush>(*request).filter, ConnectionFilter{.zone = 7});
}

struct Case {
  const char* name;
  std::uint32_t subtype;
  std::string hex;
  ErrorName error;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class RefusedCtFlushTest : public testing::TestWithParam<Case> {};

TEST_P(RefusedCtFlushTest, GetsTheErrorOfItsFault) {
  const auto request =
      decode_exactly(nicira_message(GetParam().subtype, GetParam().hex), Version::kOf14);
  ASSERT_FALSE(request);
  const WireError expected = to_wire(GetParam().error, Version::kOf14);
  EXPECT_EQ(request.error().type, expected.type) << request.error().detail;
  EXPECT_EQ(request.error().code, expected.code) << request.error().detail;
}

using E = ErrorName;
INSTANTIATE_TEST_SUITE_P(
    Messages, RefusedCtFlushTest,
    testing::Values(Case{"padding", 32, "1100000000000001", E::kMustBeZero},
                    Case{"padding of a zone", 29, "0001000000000007", E::kMustBeZero},
                    Case{"zone cut off", 29, "000000000007", E::kBadLength},
                    Case{"cut off", 32, "11000000", E::kBadLength},
                    Case{"unknown property", 32, kUdp + "0003000800000000", E::kPropertyBadType},
                    Case{"property without its header", 32, kUdp + "0002", E::kPropertyBadLength},
                    Case{"property shorter than its header", 32, kUdp + "0002000300050000",
                         E::kPropertyBadLength},
                    Case{"property longer than the message", 32, kUdp + "0002001000050000",
                         E::kPropertyBadLength},
                    Case{"zone of 6 bytes", 32, kUdp + "0002000a000000050000000000000000",
                         E::kPropertyBadLength},
                    Case{"tuple without its padding", 32, kUdp + "0000000400000000",
                         E::kPropertyBadLength},
                    Case{"unknown part of a tuple", 32,
                         kUdp + "0000001000000000"
                                "0007000600000000",
                         E::kPropertyBadType},
                    Case{"address of 4 bytes", 32,
                         kUdp + "0000001000000000"
                                "000000080a000001",
                         E::kPropertyBadLength},
                    Case{"port of 1 byte", 32,
                         kUdp + "0000001000000000"
                                "0002000500000000",
                         E::kPropertyBadLength},
                    Case{"part longer than its tuple", 32,
                         kUdp + "0000001000000000"
                                "0000001400000000",
                         E::kPropertyBadLength},
                    Case{"two families", 32,
                         kUdp + "0000003800000000" + kSource +
                             "00010014"
                             "20010db8000000000000000000000001"
                             "00000000",
                         E::kPropertyBadValue}));

}  // namespace
}  // namespace hoist::test

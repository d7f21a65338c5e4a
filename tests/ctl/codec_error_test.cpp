// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <iomanip>
#include <sstream>

#include "openflow/check.hpp"
#include "openflow/wire.hpp"
#include "recorded_messages.hpp"

namespace hoist::test {
namespace {

using namespace openflow;

/// A flow mod of OpenFlow 1.3 with these OXM entries and instructions, given in hexadecimal.
Bytes of13_flow_mod(const std::string& oxms, const std::string& instructions,
                    std::uint8_t table_id = 0, std::uint8_t command = 0, std::uint16_t flags = 0) {
  const auto bytes = [](const std::string& hex) {
    Bytes out;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
      out.push_back(static_cast<std::uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
    }
    return out;
  };
  Bytes out;
  const std::size_t start = begin_message(out, {Version::kOf13, 1}, 14);
  put_zeros(out, 16);
  put8(out, table_id);
  put8(out, command);
  put_zeros(out, 4);
  put16(out, 1);
  put32(out, 0xffffffff);
  put32(out, 0xffffffff);
  put32(out, 0xffffffff);
  put16(out, flags);
  put16(out, 0);
  const std::size_t match = out.size();
  put16(out, 1);
  put16(out, static_cast<std::uint16_t>(4 + oxms.size() / 2));
  put_bytes(out, bytes(oxms));
  pad_to_8(out, match);
  put_bytes(out, bytes(instructions));
  end_message(out, start);
  return out;
}

const std::string kIp = "80000a020800";
const std::string kOutput =
    "0004001800000000"
    "00000010"
    "00000002"
    "0000"
    "000000000000";
std::string apply(const std::string& actions) {
  const std::size_t length = 8 + actions.size() / 2;
  std::ostringstream head;
  head << "0004" << std::hex << std::setw(4) << std::setfill('0') << length << "00000000";
  return head.str() + actions;
}

struct Case {
  const char* name;
  Bytes message;
  ErrorName error;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class RefusedFlowModTest : public testing::TestWithParam<Case> {};

TEST_P(RefusedFlowModTest, GetsTheErrorOfItsFault) {
  const auto request = decode_exactly(GetParam().message, Version::kOf13);
  ASSERT_FALSE(request);
  const WireError expected = to_wire(GetParam().error, Version::kOf13);
  EXPECT_EQ(request.error().type, expected.type) << request.error().detail;
  EXPECT_EQ(request.error().code, expected.code) << request.error().detail;
  EXPECT_FALSE(request.error().detail.empty());
}

using E = ErrorName;
INSTANTIATE_TEST_SUITE_P(
    Matches, RefusedFlowModTest,
    testing::Values(Case{"unknown field", of13_flow_mod("8000fe0100", ""), E::kMatchBadField},
                    Case{"unknown class", of13_flow_mod("70000a020800", ""), E::kMatchBadField},
                    Case{"wrong length", of13_flow_mod("80000a0408000000", ""), E::kMatchBadLength},
                    Case{"value cut off", of13_flow_mod("80000a02", ""), E::kMatchBadLength},
                    Case{"no prerequisite",
                         of13_flow_mod("80001604"
                                       "0a000001",
                                       ""),
                         E::kMatchBadPrerequisite},
                    Case{"prerequisite after", of13_flow_mod("800016040a000001" + kIp, ""),
                         E::kMatchBadPrerequisite},
                    Case{"given twice", of13_flow_mod(kIp + kIp, ""), E::kMatchDuplicateField},
                    Case{"value outside mask", of13_flow_mod(kIp + "800017080a0000ffffffff00", ""),
                         E::kMatchBadWildcards},
                    Case{"mask on an unmaskable field",
                         of13_flow_mod("80000b04"
                                       "0800ff00",
                                       ""),
                         E::kMatchBadMask},
                    Case{"vlan id too large",
                         of13_flow_mod("80000c02"
                                       "3000",
                                       ""),
                         E::kMatchBadValue},
                    Case{"dscp too large",
                         of13_flow_mod(kIp + "80001001"
                                             "40",
                                       ""),
                         E::kMatchBadValue},
                    Case{"cookie in OXM",
                         of13_flow_mod("00013c08"
                                       "0000000000000001",
                                       ""),
                         E::kMatchBadField}));

INSTANTIATE_TEST_SUITE_P(
    Instructions, RefusedFlowModTest,
    testing::Values(
        Case{"unknown", of13_flow_mod("", "0009000800000000"), E::kInstructionUnknown},
        Case{"experimenter", of13_flow_mod("", "ffff000800002320"), E::kInstructionUnknown},
        Case{"twice", of13_flow_mod("", kOutput + kOutput), E::kInstructionDuplicate},
        Case{"length of zero", of13_flow_mod("", "0001000000000000"), E::kInstructionBadLength},
        Case{"longer than the message", of13_flow_mod("", "0001001001000000"),
             E::kInstructionBadLength},
        Case{"goto the same table", of13_flow_mod("", "0001000803000000", 3),
             E::kInstructionBadTableId},
        Case{"goto a table before", of13_flow_mod("", "0001000802000000", 3),
             E::kInstructionBadTableId},
        Case{"goto table 254", of13_flow_mod("", "00010008fe000000"), E::kInstructionBadTableId}));

INSTANTIATE_TEST_SUITE_P(
    Actions, RefusedFlowModTest,
    testing::Values(
        Case{"unknown", of13_flow_mod("", apply("0077000800000000")), E::kActionBadType},
        Case{"push_pbb", of13_flow_mod("", apply("001a000888e70000")), E::kActionBadType},
        Case{"length of zero", of13_flow_mod("", apply("0000000000000000")), E::kActionBadLength},
        Case{"length not of 8", of13_flow_mod("", apply("0000000c00000001")), E::kActionBadLength},
        Case{"output too short", of13_flow_mod("", apply("0000000800000001")), E::kActionBadLength},
        Case{"output to any", of13_flow_mod("", apply("00000010ffffffff0000000000000000")),
             E::kActionBadOutPort},
        Case{"output to a number too large",
             of13_flow_mod("", apply("00000010000100000000000000000000")), E::kActionBadOutPort},
        Case{"push_vlan of IP", of13_flow_mod("", apply("0011000808000000")),
             E::kActionBadArgument},
        Case{"push_mpls of IP", of13_flow_mod("", apply("0013000808000000")),
             E::kActionBadArgument},
        Case{"another experimenter", of13_flow_mod("", apply("ffff0010000012340000000000000000")),
             E::kActionBadExperimenter},
        Case{"learn",
             of13_flow_mod("", apply("ffff0018000023200010000000000000"
                                     "0000ff0000000000")),
             E::kActionBadExperimenterType},
        Case{"set_field of an unknown field",
             of13_flow_mod("", apply("001900108000fe010000000000000000")), E::kActionBadSetType},
        Case{"set_field of a read-only field",
             of13_flow_mod(kIp, apply("001900108000"
                                      "4e02"
                                      "0000000000000000")),
             E::kActionBadSetType},
        Case{"set_field of in_port",
             of13_flow_mod("", apply("00190010"
                                     "80000004"
                                     "00000001"
                                     "00000000")),
             E::kActionBadSetArgument},
        Case{"set_field with a mask",
             of13_flow_mod(kIp, apply("00190010"
                                      "80001708"
                                      "0a000000ffffff00")),
             E::kActionBadSetArgument},
        Case{"set_field without its prerequisite",
             of13_flow_mod("", apply("00190010"
                                     "80001604"
                                     "0a000001"
                                     "00000000")),
             E::kActionMatchInconsistent},
        Case{"set_field of a tag that is not there",
             of13_flow_mod("", apply("00190010"
                                     "80000c02"
                                     "1005"
                                     "000000000000")),
             E::kActionMatchInconsistent},
        Case{"set_field of a tag without OFPVID_PRESENT",
             of13_flow_mod("80000c021005", apply("00190010"
                                                 "80000c02"
                                                 "0005"
                                                 "000000000000")),
             E::kActionBadSetArgument},
        Case{"pop_vlan of no tag", of13_flow_mod("", apply("0012000800000000")),
             E::kActionMatchInconsistent},
        Case{"pop_mpls of IP", of13_flow_mod(kIp, apply("0014000808000000")),
             E::kActionMatchInconsistent},
        Case{"dec_ttl of ARP", of13_flow_mod("80000a020806", apply("0018000800000000")),
             E::kActionMatchInconsistent},
        Case{"resubmit in an action set",
             of13_flow_mod("",
                           "0003001800000000"
                           "ffff0010000023200001fff800000000"),
             E::kActionBadType}));

INSTANTIATE_TEST_SUITE_P(
    Heads, RefusedFlowModTest,
    testing::Values(
        Case{"command", of13_flow_mod("", "", 0, 5), E::kFlowModBadCommand},
        Case{"addition to table 255", of13_flow_mod("", "", 255), E::kFlowModBadTableId},
        Case{"addition to table 254", of13_flow_mod("", "", 254), E::kFlowModBadTableId},
        Case{"flags", of13_flow_mod("", "", 0, 0, 0x20), E::kFlowModBadFlags}));

TEST(RefusedMessageTest, OfAnotherVersionIsABadVersion) {
  const Bytes echo{1, 2, 0, 8, 0, 0, 0, 1};
  const auto request = decode_exactly(echo, Version::kOf13);
  ASSERT_FALSE(request);
  EXPECT_EQ(request.error().type, 1);
  EXPECT_EQ(request.error().code, 0);
}

TEST(RefusedMessageTest, WhoseLengthIsWrongIsABadLength) {
  const Bytes longer{4, 2, 0, 9, 0, 0, 0, 1};
  const auto request = decode_exactly(longer, Version::kOf13);
  ASSERT_FALSE(request);
  EXPECT_EQ(request.error().code, 6);
}

TEST(RefusedMessageTest, UnknownTypesAreBadTypes) {
  for (const int type : {6, 10, 19, 33, 60, 255}) {
    const auto request =
        decode_exactly(Bytes{4, static_cast<std::uint8_t>(type), 0, 8, 0, 0, 0, 1}, Version::kOf13);
    ASSERT_FALSE(request);
    EXPECT_EQ(request.error().type, 1);
    EXPECT_EQ(request.error().code, 1) << type;
  }
}

TEST(HelloTest, OfOtherVersionsIsUnderstood) {
  const auto plain = decode_exactly(Bytes{1, 0, 0, 8, 0, 0, 0, 1}, Version::kOf13);
  ASSERT_TRUE(plain);
  EXPECT_EQ(std::get<Hello>(*plain).version_bitmap, 0b10u);
  const auto bitmap =
      decode_exactly(Bytes{6, 0, 0, 16, 0, 0, 0, 1, 0, 1, 0, 8, 0, 0, 0, 0x12}, Version::kOf13);
  ASSERT_TRUE(bitmap);
  EXPECT_EQ(std::get<Hello>(*bitmap).version_bitmap, 0x12u);
}

TEST(ActionOrderTest, PushedTagsCanBeSetAndPopped) {
  Instructions in;
  in.apply_actions = {
      PushVlanAction{0x8100},
      SetFieldAction{FieldId::kVlanVid, {}, field_value(0x1005), field_value(0x1fff)},
      PopVlanAction{}};
  EXPECT_TRUE(check({}, in, {Version::kOf13}));
  in.apply_actions.push_back(PopVlanAction{});
  EXPECT_FALSE(check({}, in, {Version::kOf13}));
}

TEST(ActionOrderTest, ActionSetsNeedNotNameThePushFirst) {
  Instructions in;
  in.write_actions = {
      SetFieldAction{FieldId::kVlanVid, {}, field_value(0x1005), field_value(0x1fff)},
      PushVlanAction{0x8100}};
  EXPECT_TRUE(check({}, in, {Version::kOf13}));
}

TEST(ActionOrderTest, OpenFlow10PassesOverActionsWithoutTheirField) {
  Instructions in;
  in.apply_actions = {SetFieldAction{FieldId::kNwSrc, SetFieldAction::Form::kLegacy, field_value(1),
                                     field_value(0xffffffff)}};
  EXPECT_TRUE(check({}, in, {Version::kOf10}));
  EXPECT_FALSE(check({}, in, {Version::kOf13}));
}

TEST(NoteTest, OpenFlow10ErrorsOfMatchesAreNicirasOwn) {
  const WireError error = to_wire(ErrorName::kMatchBadPrerequisite, Version::kOf10);
  EXPECT_EQ(error, (WireError{1, 260, 0x2320, ""}));
}

}  // namespace
}  // namespace hoist::test

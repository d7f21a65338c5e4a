// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "recorded_messages.hpp"
#include "text/flow_text.hpp"

namespace hoist::test {
namespace {

using namespace openflow;

/// How a set_field was said depends on the version that it travelled in; max_len is kept for any
/// port, so that it reads back as sent, but has words only for CONTROLLER.
void forget_forms(ActionList& actions) {
  for (Action& action : actions.edit()) {
    if (auto* set = std::get_if<SetFieldAction>(&action))
      set->form = SetFieldAction::Form::kSetField;
    if (auto* output = std::get_if<OutputAction>(&action);
        output != nullptr && output->port != PortNo::kController) {
      output->max_len = 0;
    }
  }
}
Instructions without_forms(Instructions in) {
  forget_forms(in.apply_actions);
  forget_forms(in.write_actions);
  return in;
}

class RecordedFlowModTest : public testing::TestWithParam<Recorded> {
 protected:
  /// Has no form in OpenFlow 1.0: there ovs-ofctl itself sends what its own switch refuses.
  static bool is_refused(const Recorded& r) {
    return r.dialect.version == Version::kOf10 &&
           r.text == "actions=write_metadata:0x5/0xff,goto_table:5";
  }
};

TEST_P(RecordedFlowModTest, IsDecoded) {
  const auto request = decode_exactly(GetParam().bytes, GetParam().dialect);
  if (is_refused(GetParam())) {
    ASSERT_FALSE(request);
    return;
  }
  ASSERT_TRUE(request) << request.error().detail;
  EXPECT_TRUE(std::holds_alternative<FlowMod>(*request));
}

TEST_P(RecordedFlowModTest, MatchesWhatItsTextSays) {
  const auto request = decode_exactly(GetParam().bytes, GetParam().dialect);
  if (!request) return;
  const FlowMod& mod = std::get<FlowMod>(*request);
  const auto parsed = text::parse_flow(GetParam().text);
  ASSERT_TRUE(parsed) << parsed.error().message;
  Match match = parsed->match;
  // OXM cannot say "no tag" of the priority bits, which are 0 then anyway.
  if (GetParam().dialect.version != Version::kOf10 && match.value.vlan_tci.host() == 0 &&
      match.mask.vlan_tci.host() == 0xffff) {
    match.mask.vlan_tci = Be16(0x1fff);
  }
  EXPECT_EQ(text::format_match(MiniMatch(mod.match)), text::format_match(MiniMatch(match)));
  EXPECT_EQ(mod.match, match);
  EXPECT_EQ(mod.priority, parsed->priority);
  EXPECT_EQ(mod.cookie, parsed->cookie);
  EXPECT_EQ(mod.idle_timeout, parsed->idle_timeout);
  EXPECT_EQ(mod.hard_timeout, parsed->hard_timeout);
}

TEST_P(RecordedFlowModTest, IsTheSameAfterEncoding) {
  const auto request = decode_exactly(GetParam().bytes, GetParam().dialect);
  if (!request) return;
  const FlowMod& mod = std::get<FlowMod>(*request);
  const Bytes bytes = flow_mod_message(mod, GetParam().dialect.version);
  const auto again = decode_exactly(bytes, {GetParam().dialect.version, true});
  ASSERT_TRUE(again) << again.error().detail;
  EXPECT_EQ(std::get<FlowMod>(*again).match, mod.match);
  EXPECT_EQ(std::get<FlowMod>(*again).instructions, mod.instructions);
}

TEST_P(RecordedFlowModTest, IsTheSameAfterPrinting) {
  const auto request = decode_exactly(GetParam().bytes, GetParam().dialect);
  if (!request) return;
  const FlowMod& mod = std::get<FlowMod>(*request);
  const std::string match = text::format_match(MiniMatch(mod.match));
  const std::string actions = text::format_instructions(mod.instructions);
  const auto parsed = text::parse_flow(match + " actions=" + actions);
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->match, mod.match) << match;
  EXPECT_EQ(without_forms(parsed->instructions), without_forms(mod.instructions)) << actions;
  EXPECT_EQ(text::format_instructions(parsed->instructions), actions);
}

TEST_P(RecordedFlowModTest, CutShortIsRefusedWithoutReadingOn) {
  for (std::size_t size = 0; size < GetParam().bytes.size(); ++size) {
    Bytes bytes(GetParam().bytes.begin(),
                GetParam().bytes.begin() + static_cast<std::ptrdiff_t>(size));
    if (size >= 4) {
      bytes[2] = static_cast<std::uint8_t>(size >> 8);
      bytes[3] = static_cast<std::uint8_t>(size);
    }
    (void)decode_exactly(bytes, GetParam().dialect);
  }
}

INSTANTIATE_TEST_SUITE_P(OfctlFlowMods, RecordedFlowModTest,
                         testing::ValuesIn(recorded_messages("ofctl_flow_mods.txt")));

TEST(FlowModTest, TextAndWireAgreeOnActionsInOpenFlow10) {
  for (const Recorded& r : recorded_messages("ofctl_flow_mods.txt")) {
    const auto request = decode_exactly(r.bytes, r.dialect);
    const auto parsed = text::parse_flow(r.text);
    if (!request || !parsed || r.dialect.version != Version::kOf10) continue;
    // goto_table and action sets have no form of their own there, set_field only reg_load.
    if (parsed->instructions.goto_table || !parsed->instructions.write_actions.empty()) continue;
    if (parsed->instructions.has_clear_actions || r.text.find("set_field") != std::string::npos)
      continue;
    EXPECT_EQ(text::format_instructions(std::get<FlowMod>(*request).instructions),
              text::format_instructions(parsed->instructions))
        << r.text;
  }
}

TEST(FlowModTest, TextAndWireAgreeOnActionsInOpenFlow13) {
  for (const Recorded& r : recorded_messages("ofctl_flow_mods.txt")) {
    const auto request = decode_exactly(r.bytes, r.dialect);
    const auto parsed = text::parse_flow(r.text);
    if (!request || !parsed || r.dialect.version == Version::kOf10) continue;
    // What 1.3 lacks is sent in other words.
    if (r.text.find("mod_vlan") != std::string::npos || r.text.find("enqueue") != std::string::npos)
      continue;
    if (r.text.find("set_field:0x10/0xf0") != std::string::npos) continue;
    if (r.text.find("set_field:00:11:00:00:00:00/") != std::string::npos) continue;
    EXPECT_EQ(text::format_instructions(without_forms(std::get<FlowMod>(*request).instructions)),
              text::format_instructions(without_forms(parsed->instructions)))
        << r.text;
  }
}

TEST(RecordedRequestTest, EachIsDecodedOrRefusedAsUnsupported) {
  const auto requests = recorded_messages("ofctl_requests.txt");
  ASSERT_FALSE(requests.empty());
  for (const Recorded& r : requests) {
    const auto request = decode_exactly(r.bytes, {r.dialect.version, true});
    if (request) continue;
    // 1.0 has no groups or meters, and 1.4's queue descriptions are not supported.
    const bool is_known = r.text.find("group") != std::string::npos ||
                          r.text.find("queue-get-config") != std::string::npos ||
                          r.bytes[0] > to_integer(Version::kOf14) || r.bytes[1] == 1;
    EXPECT_TRUE(is_known) << r.text << ": " << request.error().detail;
  }
}

}  // namespace
}  // namespace hoist::test

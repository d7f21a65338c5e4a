// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "recorded_messages.hpp"
#include "text/flow_text.hpp"

namespace hoist::test {
namespace {

using namespace openflow;

/// How a set_field was said depends on the version that it travelled in.
Instructions without_forms(Instructions in) {
  for (Action& action : in.apply_actions.edit()) {
    if (auto* output = std::get_if<OutputAction>(&action)) output->max_len = 0;
    auto* ct = std::get_if<CtAction>(&action);
    if (ct == nullptr) continue;
    for (CtAction::Exec& exec : ct->exec) {
      if (auto* set = std::get_if<SetFieldAction>(&exec)) set->form = {};
    }
  }
  return in;
}

class CtCodecTest : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(
    Actions, CtCodecTest,
    testing::Values("ct(table=1)", "ct(commit),output:2", "ct(commit,force,zone=5)",
                    "ct(table=2,zone=NXM_NX_REG0[0..15],nat)", "ct_clear",
                    "ct(commit,exec(set_field:0x5->ct_mark,move:NXM_NX_REG0[]->NXM_NX_CT_MARK[]))",
                    "ct(commit,nat(src=30.0.0.1-30.0.0.16:1000-2000,random)),output:2",
                    "ct(commit,nat(dst=10.0.0.1:80,persistent))", "ct(commit,table=5,alg=ftp)"));

TEST_P(CtCodecTest, IsTheSameInEveryVersion) {
  const auto parsed = text::parse_flow(std::string("tcp,actions=").append(GetParam()));
  ASSERT_TRUE(parsed) << parsed.error().message;
  for (const Version version : {Version::kOf10, Version::kOf13, Version::kOf14}) {
    const Bytes bytes = flow_mod_message(*parsed, version);
    const auto again = decode_exactly(bytes, {version, true});
    ASSERT_TRUE(again) << again.error().detail;
    EXPECT_EQ(without_forms(std::get<FlowMod>(*again).instructions),
              without_forms(parsed->instructions));
  }
}

}  // namespace
}  // namespace hoist::test

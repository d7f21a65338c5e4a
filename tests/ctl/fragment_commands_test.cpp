// SPDX-License-Identifier: BSD-3-Clause
// Words and errors are those of ovs-appctl with Open vSwitch 3.1.
#include "daemon/fragment_commands.hpp"

#include <gtest/gtest.h>

namespace hoist::ctl {
namespace {

class ReportedFragments final : public Fragments {
 public:
  FragmentReport report() const override { return now; }
  void set_enabled(bool is_ipv6, bool is_enabled) override {
    now.families[is_ipv6 ? 1 : 0].is_enabled = is_enabled;
  }
  Result<void> set_min_size(bool is_ipv6, std::uint32_t bytes) override {
    if (bytes < 400) return failure(Errc::kInvalidArgument, "too small");
    now.families[is_ipv6 ? 1 : 0].min_size = bytes;
    return {};
  }
  Result<void> set_max_held(std::uint32_t most) override {
    if (most > 5000) return failure(Errc::kInvalidArgument, "too many");
    now.max_held = most;
    return {};
  }
  FragmentReport now;
};

class FragmentCommandsTest : public ::testing::Test {
 protected:
  void SetUp() override { add_fragment_commands(table_, fragments_); }
  std::string ask(const std::string& command, const std::vector<std::string>& words = {}) {
    std::string out = "no answer";
    table_.run("dpctl/ipf-" + command, words,
               [&](const Result<std::string>& r) { out = r ? *r : "error: " + r.error().message; });
    return out;
  }
  CommandTable table_;
  ReportedFragments fragments_;
};

TEST_F(FragmentCommandsTest, SwitchesEachFamily) {
  EXPECT_EQ(ask("set-disabled", {"v6"}), "disabling fragmentation reassembly successful");
  EXPECT_TRUE(fragments_.now.families[0].is_enabled);
  EXPECT_FALSE(fragments_.now.families[1].is_enabled);
  EXPECT_EQ(ask("set-enabled", {"netdev@ovs-netdev", "v6"}),
            "enabling fragmentation reassembly successful");
  EXPECT_TRUE(fragments_.now.families[1].is_enabled);
  EXPECT_EQ(ask("set-enabled", {"v5"}),
            "error: hoistd: parameter missing: 'v4' for IPv4 or 'v6' for IPv6 (Invalid argument)");
}

TEST_F(FragmentCommandsTest, SetsBounds) {
  EXPECT_EQ(ask("set-min-frag", {"v4", "500"}), "setting minimum fragment size successful");
  EXPECT_EQ(fragments_.now.families[0].min_size, 500u);
  EXPECT_EQ(ask("set-min-frag", {"v6", "399"}),
            "error: hoistd: requested minimum fragment size too small; see documentation "
            "(Operation not permitted)");
  EXPECT_EQ(ask("set-min-frag", {"v6", "x"}),
            "error: hoistd: parameter missing for minimum fragment size (Invalid argument)");
  EXPECT_EQ(ask("set-max-nfrags", {"5000"}), "setting maximum fragments successful");
  EXPECT_EQ(fragments_.now.max_held, 5000u);
  EXPECT_EQ(ask("set-max-nfrags", {"5001"}),
            "error: hoistd: setting maximum fragments failed (Operation not permitted)");
  EXPECT_EQ(ask("set-max-nfrags", {"-1"}), "error: Unrecognized option -1");
}

TEST_F(FragmentCommandsTest, ShowsWhatBecameOfThem) {
  fragments_.now = {.families = {{{true, 1200, 9, 6, 2, 1, 3, 0}, {false, 1280, 0, 0, 0, 0, 0, 5}}},
                    .max_held = 1000,
                    .held = 1};
  EXPECT_EQ(ask("get-status"),
            "        Fragmentation Module Status\n"
            "        ---------------------------\n"
            "        v4 enabled: 1\n"
            "        v6 enabled: 0\n"
            "        max num frags (v4/v6): 1000\n"
            "        num frag: 1\n"
            "        min v4 frag size: 1200\n"
            "        v4 frags accepted: 9\n"
            "        v4 frags completed: 6\n"
            "        v4 frags expired: 2\n"
            "        v4 frags too small: 1\n"
            "        v4 frags overlapped: 3\n"
            "        v4 frags purged: 0\n"
            "        min v6 frag size: 1280\n"
            "        v6 frags accepted: 0\n"
            "        v6 frags completed: 0\n"
            "        v6 frags expired: 0\n"
            "        v6 frags too small: 0\n"
            "        v6 frags overlapped: 0\n"
            "        v6 frags purged: 5\n");
  EXPECT_EQ(ask("get-status", {"x"}), "error: hoistd: datapath not found (Invalid argument)");
}

}  // namespace
}  // namespace hoist::ctl

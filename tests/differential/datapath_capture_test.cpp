// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "datapath_plane.hpp"
#include "differential.hpp"
#include "support/captures.hpp"
#include "support/eal.hpp"
#include "support/pipeline/random_scenario.hpp"
#include "support/reference/layers.hpp"

namespace hoist::test {
namespace {

/// Foreign frames, many of them made to break parsers, on their way through the switch.
class DatapathCaptureTest : public testing::Test {
 protected:
  void SetUp() override {
    frames_ = captured_frames();
    std::erase_if(frames_, [](const Bytes& frame) { return frame.empty(); });
    if (frames_.empty()) GTEST_SKIP() << "no captures are here";
    start_eal();
    plane_ = std::make_unique<DatapathPlane>("capture" + std::to_string(++planes_),
                                             DatapathPlane::Options{});
  }
  /// No buffer is lost, whatever came in.
  void TearDown() override {
    if (plane_) {
      EXPECT_EQ(plane_->frames_in_use(), 0u);
    }
  }

  /// All frames in bursts, after `changes`; if these track, no fragments: the reference holds none.
  Scenario scenario_of(Changes changes, bool tracks = false) const {
    Scenario scenario;
    scenario.steps.emplace_back(std::move(changes));
    Burst burst;
    for (const Bytes& frame : frames_) {
      if (tracks && reference::find_layers(frame).ip_frag != 0) continue;
      burst.push_back({PortNo{1}, frame, 0});
      if (burst.size() == 32) scenario.steps.emplace_back(std::exchange(burst, {}));
    }
    scenario.steps.emplace_back(std::move(burst));
    return scenario;
  }

  std::vector<Bytes> frames_;
  std::unique_ptr<DatapathPlane> plane_;
  static inline int planes_ = 0;
};

/// The reference sends what no rule changes as it came, or says that it is too long or too short.
TEST_F(DatapathCaptureTest, WhatNoRuleChangesLeavesUnchanged) {
  Instructions forward;
  forward.apply_actions = {OutputAction{PortNo{2}, 0}};
  const Changes one_rule = {
      {RuleChange::Kind::kAdd,
       std::make_shared<RuleSpec>(
           RuleSpec{.id = RuleId{1},
                    .table_id = 0,
                    .priority = 1,
                    .cookie = 0,
                    .match = {},
                    .instructions = std::make_shared<const Instructions>(std::move(forward))})}};
  EXPECT_EQ(run_both(scenario_of(one_rule), *plane_, {}), "");
}

TEST_F(DatapathCaptureTest, RandomPipelinesDoWhatTheReferenceDoes) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Scenario random = random_scenario(seed, {.rules_max = 60});
    if (random.learns) continue;
    Scenario scenario = scenario_of(std::get<Changes>(random.steps.front()), random.tracks);
    scenario.seed = seed;
    EXPECT_EQ(run_both(scenario, *plane_, {}), "") << "seed " << seed;
  }
}

}  // namespace
}  // namespace hoist::test

// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "datapath_plane.hpp"
#include "differential.hpp"
#include "support/eal.hpp"

namespace hoist::test {
namespace {

/// Takes out rules that the datapath refuses, with a reason, to run.
void leave_to(const DatapathPlane& plane, Scenario& scenario) {
  for (Step& step : scenario.steps) {
    auto* changes = std::get_if<Changes>(&step);
    if (changes == nullptr) continue;
    std::erase_if(*changes,
                  [&](const RuleChange& change) { return !plane.refusal(*change.rule).empty(); });
  }
}

void expect_agreement(DatapathPlane& plane) {
  run_many(plane, {}, 150, [&](Scenario& scenario) { leave_to(plane, scenario); });
  EXPECT_EQ(plane.frames_in_use(), 0u);
}

TEST(DatapathDifferentialTest, WithFlowCacheDoesWhatTheReferenceDoes) {
  start_eal();
  DatapathPlane plane("cached", {.flow_cache_entries = 1024});
  expect_agreement(plane);
}

TEST(DatapathDifferentialTest, WithoutFlowCacheDoesWhatTheReferenceDoes) {
  start_eal();
  DatapathPlane plane("plain", {.flow_cache_entries = 0});
  expect_agreement(plane);
}

}  // namespace
}  // namespace hoist::test

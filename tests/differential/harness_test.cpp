// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "differential.hpp"
#include "support/pipeline/random_scenario.hpp"
#include "support/pipeline/shrink.hpp"

namespace hoist::test {
namespace {

/// The reference with one fault: it sends the first two frames of a port in the wrong order, or
/// loses what goes out of port 3.
class FaultyPlane : public ReferencePlane {
 public:
  enum class Fault : std::uint8_t { kNone, kOrder, kLoss, kCount };
  explicit FaultyPlane(Fault fault) : fault_(fault) {}

  BurstResult run(const Burst& burst) override {
    BurstResult result = ReferencePlane::run(burst);
    for (auto& [port, frames] : result.sent) {
      if (fault_ == Fault::kOrder && frames.size() > 1) std::swap(frames[0], frames[1]);
    }
    if (fault_ == Fault::kLoss) result.sent.erase(PortNo{3});
    return result;
  }
  Counts counts() override {
    Counts counts = ReferencePlane::counts();
    if (fault_ == Fault::kCount) counts.rules.erase(RuleId{2});
    return counts;
  }

 private:
  Fault fault_;
};

bool is_found(FaultyPlane::Fault fault) {
  FaultyPlane plane(fault);
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    if (!run_both(random_scenario(seed), plane, {}).empty()) return true;
  }
  return false;
}

TEST(HarnessTest, ThePlaneThatIsRightPasses) { EXPECT_FALSE(is_found(FaultyPlane::Fault::kNone)); }
TEST(HarnessTest, ChangedOrderWithinAFlowIsFound) {
  EXPECT_TRUE(is_found(FaultyPlane::Fault::kOrder));
}
TEST(HarnessTest, LostPacketsAreFound) { EXPECT_TRUE(is_found(FaultyPlane::Fault::kLoss)); }
TEST(HarnessTest, WrongCountersAreFound) { EXPECT_TRUE(is_found(FaultyPlane::Fault::kCount)); }

TEST(HarnessTest, AFailureBecomesSmall) {
  FaultyPlane plane(FaultyPlane::Fault::kLoss);
  const auto fails = [&](const Scenario& s) { return !run_both(s, plane, {}).empty(); };
  std::uint64_t seed = 1;
  while (!fails(random_scenario(seed))) ++seed;
  const Scenario small = shrink(random_scenario(seed), fails);
  std::size_t packets = 0;
  for (const Step& step : small.steps) {
    if (const auto* burst = std::get_if<Burst>(&step)) packets += burst->size();
  }
  EXPECT_EQ(packets, 1u);
  EXPECT_LE(small.steps.size(), 2u);
}

}  // namespace
}  // namespace hoist::test

// SPDX-License-Identifier: BSD-3-Clause
// How large and how fast the rule store is. Bounds are loose: they catch a change of kind, not of
// degree, and hold in a debug build too.
#include <malloc.h>

#include <ctime>

#include "rule_store_fixture.hpp"

namespace hoist::openflow {
namespace {

constexpr std::uint32_t kRules = 200'000;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double kSlowness = 50;
constexpr bool kIsHeapMeasured = false;
#else
constexpr double kSlowness = 4;
constexpr bool kIsHeapMeasured = true;
#endif

/// This thread's own time: what else the machine does is left out.
double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

class RuleStoreSizeTest : public RuleStoreTest {
 protected:
  void fill() {
    for (std::uint32_t i = 0; i < kRules; ++i) {
      ASSERT_TRUE(apply(addition(ip_dst(i), 2)));
      if (i % 64 == 0) store_.commit();
    }
    store_.commit();
  }
};

TEST_F(RuleStoreSizeTest, RuleTakesAQuarterKilobyte) {
  const std::size_t before = mallinfo2().uordblks;
  fill();
  const std::size_t used = mallinfo2().uordblks - before;
  RecordProperty("bytes_per_rule", static_cast<int>(used / kRules));
  if (kIsHeapMeasured) {
    EXPECT_LE(used / kRules, 250u);
  }
  EXPECT_EQ(pool_.size(), 1u);
}

TEST_F(RuleStoreSizeTest, AddsAndDeletesAtSpeed) {
  double start = cpu_seconds();
  fill();
  const double add_s = cpu_seconds() - start;
  RecordProperty("adds_per_s", static_cast<int>(kRules / add_s));
  EXPECT_LT(add_s, kRules / 500'000.0 * kSlowness);
  start = cpu_seconds();
  EXPECT_EQ(change(deletion()).changes.size(), kRules);
  const double delete_s = cpu_seconds() - start;
  RecordProperty("delete_all_ms", static_cast<int>(delete_s * 1000));
  EXPECT_LT(delete_s, 0.2 * kSlowness);
}

}  // namespace
}  // namespace hoist::openflow

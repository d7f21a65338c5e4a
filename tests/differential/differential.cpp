// SPDX-License-Identifier: BSD-3-Clause
#include "differential.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "support/pipeline/random_scenario.hpp"
#include "support/pipeline/shrink.hpp"

namespace hoist::test {
namespace {

std::uint64_t environment_number(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 0);
}

constexpr unsigned kFailuresMax = 3;

std::size_t count_packets(const Scenario& scenario) {
  std::size_t count = 0;
  for (const Step& step : scenario.steps) {
    if (const auto* burst = std::get_if<Burst>(&step)) count += burst->size();
  }
  return count;
}

}  // namespace

std::string run_both(const Scenario& scenario, Plane& plane, const Strictness& strictness) {
  ReferencePlane reference;
  reference.start(scenario);
  plane.start(scenario);
  for (std::size_t i = 0; i < scenario.steps.size(); ++i) {
    if (const auto* changes = std::get_if<Changes>(&scenario.steps[i])) {
      reference.apply(*changes);
      plane.apply(*changes);
      continue;
    }
    const auto& burst = std::get<Burst>(scenario.steps[i]);
    const BurstResult wanted = reference.run(burst);
    const BurstResult got = plane.run(burst);
    const std::string what = difference(reference, wanted, got, burst, strictness);
    if (!what.empty()) return "step " + std::to_string(i) + ":\n" + what;
  }
  return difference(reference.counts(), plane.counts(), strictness);
}

void run_many(Plane& plane, const Strictness& strictness, unsigned count,
              const std::function<void(Scenario&)>& prepare) {
  const std::uint64_t first = environment_number("HOIST_DIFFERENTIAL_SEED", 1);
  const std::uint64_t pipelines = environment_number("HOIST_DIFFERENTIAL_PIPELINES", count);
  unsigned failures = 0;
  std::size_t packets = 0;
  for (std::uint64_t seed = first; seed < first + pipelines; ++seed) {
    Scenario scenario = random_scenario(seed);
    prepare(scenario);
    packets += count_packets(scenario);
    const std::string what = run_both(scenario, plane, strictness);
    if (what.empty()) continue;
    const auto fails = [&](const Scenario& s) { return !run_both(s, plane, strictness).empty(); };
    const Scenario small = shrink(scenario, fails);
    ADD_FAILURE() << "HOIST_DIFFERENTIAL_SEED=" << seed << "\n"
                  << describe(small) << "differs from the reference at " << what
                  << "and, made small, at " << run_both(small, plane, strictness);
    if (++failures == kFailuresMax) break;
  }
  std::printf("%lu pipelines, %zu packets\n", static_cast<unsigned long>(pipelines), packets);
}

}  // namespace hoist::test

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

/// Every eighth pipeline is long, so that a small NIC has no room for it.
ScenarioSize size_of(std::uint64_t seed) {
  ScenarioSize size;
  if (seed % 8 == 0) size.rules_max = 120;
  return size;
}

std::size_t count_packets(const Scenario& scenario) {
  std::size_t count = 0;
  for (const Step& step : scenario.steps) {
    if (const auto* burst = std::get_if<Burst>(&step)) count += burst->size();
  }
  return count;
}

/// Has both planes do one step, and compares.
struct StepRunner {
  ReferencePlane& reference;
  Plane& plane;
  const Strictness& strictness;

  std::string operator()(const Changes& changes) const {
    reference.apply(changes);
    plane.apply(changes);
    return "";
  }
  std::string operator()(const PortChange& change) const {
    reference.change_port(change);
    plane.change_port(change);
    return "";
  }
  std::string operator()(const Pause& pause) const {
    reference.pass(pause);
    plane.pass(pause);
    return "";
  }
  std::string operator()(const Burst& burst) const {
    const BurstResult wanted = reference.run(burst);
    return difference(reference, wanted, plane.run(burst), burst, strictness);
  }
  std::string operator()(const PacketOut& packet) const {
    const BurstResult wanted = reference.send(packet);
    const Burst as_burst = {{packet.in_port, packet.frame, 0}};
    return difference(reference, wanted, plane.send(packet), as_burst, strictness);
  }
};

}  // namespace

std::string run_both(const Scenario& scenario, Plane& plane, const Strictness& strictness) {
  ReferencePlane reference;
  reference.start(scenario);
  plane.start(scenario);
  for (std::size_t i = 0; i < scenario.steps.size(); ++i) {
    const StepRunner runner{reference, plane, strictness};
    const std::string what = std::visit(runner, scenario.steps[i]);
    if (!what.empty()) return "step " + std::to_string(i) + ":\n" + what + plane.explain();
  }
  const std::string what = difference(reference.counts(), plane.counts(), strictness);
  return what.empty() ? "" : "the end:\n" + what + plane.explain();
}

void run_many(Plane& plane, const Strictness& strictness, unsigned count,
              const std::function<void(Scenario&)>& prepare) {
  const std::uint64_t first = environment_number("HOIST_DIFFERENTIAL_SEED", 1);
  const std::uint64_t pipelines = environment_number("HOIST_DIFFERENTIAL_PIPELINES", count);
  unsigned failures = 0;
  std::size_t packets = 0;
  for (std::uint64_t seed = first; seed < first + pipelines; ++seed) {
    Scenario scenario = random_scenario(seed, size_of(seed));
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

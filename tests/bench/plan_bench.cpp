// SPDX-License-Identifier: BSD-3-Clause
//
// Cost of planning, without a NIC: assessment of each rule on a NIC that can do everything,
// placement, levels and guards.
#include <benchmark/benchmark.h>
#include <rte_cycles.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>

#include "classifier_rules.hpp"
#include "offload/nics.hpp"
#include "plan/planner.hpp"

namespace hoist::bench {
namespace {

using offload::Assessment;
using offload::Change;
using offload::Form;
using offload::Planner;

/// One bridge on an able NIC, whose steps always succeed.
class Plan {
 public:
  std::shared_ptr<const RuleSpec> rule(const RuleLine& line) {
    Instructions out;
    out.apply_actions = {OutputAction{PortNo{2}, 0}};
    return std::make_shared<RuleSpec>(
        RuleSpec{.id = RuleId{++last_id_},
                 .table_id = 0,
                 .priority = line.priority,
                 .cookie = 0,
                 .match = line.match,
                 .instructions = std::make_shared<Instructions>(std::move(out))});
  }

  void add(const std::vector<std::shared_ptr<const RuleSpec>>& rules) {
    std::vector<std::pair<std::shared_ptr<const RuleSpec>, Assessment>> assessed;
    assessed.reserve(rules.size());
    for (const auto& r : rules) assessed.emplace_back(r, assess(*r, context(), layout_));
    planner_.update(std::move(assessed), {});
    take_steps();
  }
  void remove(RuleId rule) {
    planner_.update({}, {&rule, 1});
    take_steps();
  }

  [[nodiscard]] std::size_t guards_and_rules() const { return planner_.planned(); }
  [[nodiscard]] std::size_t steps() const { return steps_; }

 private:
  [[nodiscard]] offload::Context context() const {
    return {capabilities_, ports_, offload::TagMode::kUntagged};
  }
  void take_steps() {
    while (planner_.next()) ++steps_;
  }

  offload::Capabilities capabilities_ = offload::able_nic();
  offload::PortMap ports_ = offload::three_ports();
  offload::Layout layout_ = make_layout(capabilities_, 0);
  Planner planner_{{.level_count = layout_.level_count, .has_table_defaults = true}};
  std::uint32_t last_id_ = 0;
  std::size_t steps_ = 0;
};

std::vector<std::shared_ptr<const RuleSpec>> specs(Plan& plan, const RuleSet& set) {
  std::vector<std::shared_ptr<const RuleSpec>> out;
  for (const RuleLine& line : set.rules) out.push_back(plan.rule(line));
  return out;
}

/// All rules as one step.
void plan_all(benchmark::State& state, const RuleSet& set) {
  for (auto _ : state) {
    state.PauseTiming();
    auto plan = std::make_unique<Plan>();
    const auto rules = specs(*plan, set);
    state.ResumeTiming();
    plan->add(rules);
    state.PauseTiming();
    state.counters["rules"] = static_cast<double>(set.rules.size());
    state.counters["hardware_rules"] = static_cast<double>(plan->guards_and_rules());
    state.counters["steps"] = static_cast<double>(plan->steps());
    plan.reset();
    state.ResumeTiming();
  }
}

void addresses(benchmark::State& state) {
  plan_all(state, one_mask(static_cast<std::uint32_t>(state.range(0))));
}
BENCHMARK(addresses)->Arg(2000)->Arg(200'000)->Unit(benchmark::kMillisecond)->Iterations(1);

void class_bench(benchmark::State& state, const char* name) {
  const char* folder = std::getenv("HOIST_CLASSBENCH");
  const std::string path = folder != nullptr ? folder : HOIST_CLASSBENCH;
  const RuleSet set = classbench(path + "/rules/" + name);
  if (set.rules.empty()) return state.SkipWithError("no such rule set");
  plan_all(state, set);
}
BENCHMARK_CAPTURE(class_bench, fw1_1k, "fw1_1k")->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(class_bench, acl1_10k, "acl1_10k")->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(class_bench, fw1_10k, "fw1_10k")->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK_CAPTURE(class_bench, ipc1_10k, "ipc1_10k")->Unit(benchmark::kMillisecond)->Iterations(1);

/// One rule more and one less in a large table.
void change(benchmark::State& state) {
  RuleSet set = prefixes(static_cast<std::uint32_t>(state.range(0)), 300);
  Plan plan;
  const std::size_t kChanges = std::min<std::size_t>(set.rules.size() / 10, 4000);
  std::vector<RuleLine> fresh(set.rules.end() - static_cast<std::ptrdiff_t>(kChanges),
                              set.rules.end());
  set.rules.resize(set.rules.size() - kChanges);
  plan.add(specs(plan, set));
  std::vector<double> us;
  using Clock = std::chrono::steady_clock;
  for (auto _ : state) {
    for (const RuleLine& one : fresh) {
      const auto rule = plan.rule(one);
      const auto start = Clock::now();
      plan.add({rule});
      const auto middle = Clock::now();
      plan.remove(rule->id);
      const auto end = Clock::now();
      us.push_back(std::chrono::duration<double, std::micro>(middle - start).count());
      us.push_back(std::chrono::duration<double, std::micro>(end - middle).count());
    }
  }
  std::ranges::sort(us);
  state.counters["p50_us"] = us[us.size() / 2];
  state.counters["p99_us"] = us[us.size() * 99 / 100];
  state.counters["max_us"] = us.back();
}
BENCHMARK(change)->Arg(2000)->Arg(20'000)->Arg(400'000)->Iterations(1);

}  // namespace
}  // namespace hoist::bench

BENCHMARK_MAIN();

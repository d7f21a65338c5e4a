// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/action_set.hpp"

#include <benchmark/benchmark.h>

#include "cycles.hpp"

namespace hoist::software {
namespace {

constexpr std::size_t kPackets = 256;

/// A program of write-actions, one a field and an output.
ProgramPtr writing_program(std::int64_t actions) {
  Instructions instructions;
  for (std::int64_t i = 1; i < actions; ++i) {
    const auto id = static_cast<FieldId>(to_integer(FieldId::kReg0) + (i - 1));
    instructions.write_actions.push_back(
        SetFieldAction{.field = id, .value = field_value(7), .mask = full_mask(field(id))});
  }
  instructions.write_actions.push_back(OutputAction{PortNo{2}, 0});
  return compile(instructions, false, {});
}

/// One packet's action set: written twice, by two tables, so that the second replaces the first,
/// and read in order.
void BM_ActionSet(benchmark::State& state) {
  const ProgramPtr program = writing_program(state.range(0));
  ActionSet set;
  bench::RoundCycles cycles(state, kPackets);
  std::size_t ops = 0;
  for (auto _ : state) {
    cycles.measure([&] {
      for (std::size_t packet = 0; packet < kPackets; ++packet) {
        set.clear();
        for (int table = 0; table < 2; ++table) {
          for (const Op& op : program->ops()) {
            if (op.code == OpCode::kWrite) ops += set.write(*program, op) ? 1u : 0u;
          }
        }
        for (const ActionSet::Item& item : set.in_order()) ops += item.op->a;
        benchmark::DoNotOptimize(ops);
      }
    });
  }
}

BENCHMARK(BM_ActionSet)->Arg(1)->Arg(4)->Arg(16);

}  // namespace
}  // namespace hoist::software

BENCHMARK_MAIN();

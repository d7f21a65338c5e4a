// SPDX-License-Identifier: BSD-3-Clause
#include "datapath/worker_telemetry.hpp"

#include <rte_telemetry.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

namespace hoist::software {
namespace {

/// What DPDK's callbacks, which are given no pointer of ours, look at. Never freed: the telemetry
/// thread may outlive static objects.
struct Speaker {
  std::mutex mutex;
  const WorkerTelemetry* owner = nullptr;
  std::vector<WorkerTelemetry::Entry> workers;
};

Speaker& speaker() {
  static auto* the_one = new Speaker;
  return *the_one;
}

void add_counts(rte_tel_data& out, const WorkerCounts& c) {
  const std::pair<const char*, std::uint64_t> rows[] = {
      {"idle_turns", c.idle_turns},    {"busy_turns", c.busy_turns}, {"idle_cycles", c.idle_cycles},
      {"busy_cycles", c.busy_cycles},  {"received", c.received},     {"marked", c.marked},
      {"unlooked", c.unlooked},        {"walked", c.walked},         {"sent", c.sent},
      {"sent_batches", c.sent_batches}};
  for (const auto& [name, count] : rows) rte_tel_data_add_dict_u64(&out, name, count);
  // Names in telemetry are words.
  constexpr std::array<const char*, kStageCount> kNames = {
      "receive_cycles", "lookup_cycles", "walk_cycles", "run_cycles", "transmit_cycles"};
  for (std::size_t i = 0; i < kStageCount; ++i) {
    rte_tel_data_add_dict_u64(&out, kNames[i], c.stage_cycles[i]);
  }
}

int list(const char* /*command*/, const char* /*parameters*/, rte_tel_data* out) {
  const std::lock_guard guard(speaker().mutex);
  rte_tel_data_start_array(out, RTE_TEL_U64_VAL);
  for (const auto& worker : speaker().workers) rte_tel_data_add_array_u64(out, worker.core);
  return 0;
}

int stats(const char* /*command*/, const char* parameters, rte_tel_data* out) {
  unsigned core = 0;
  if (parameters == nullptr) return -EINVAL;
  const char* end = parameters + std::strlen(parameters);
  if (std::from_chars(parameters, end, core).ptr != end || parameters == end) return -EINVAL;
  const std::lock_guard guard(speaker().mutex);
  const auto found = std::ranges::find(speaker().workers, core, &WorkerTelemetry::Entry::core);
  if (found == speaker().workers.end()) return -ENOENT;
  rte_tel_data_start_dict(out);
  add_counts(*out, found->read());
  return 0;
}

void register_once() {
  static const bool is_registered = [] {
    rte_telemetry_register_cmd("/hoist/worker/list", list, "Cores of the workers");
    rte_telemetry_register_cmd("/hoist/worker/stats", stats,
                               "Counts and cycles of a worker. Parameters: int core");
    return true;
  }();
  static_cast<void>(is_registered);
}

}  // namespace

WorkerTelemetry::WorkerTelemetry(std::vector<Entry> workers) {
  register_once();
  const std::lock_guard guard(speaker().mutex);
  if (speaker().owner != nullptr) return;
  speaker().owner = this;
  speaker().workers = std::move(workers);
}

WorkerTelemetry::~WorkerTelemetry() {
  const std::lock_guard guard(speaker().mutex);
  if (speaker().owner != this) return;
  speaker().owner = nullptr;
  speaker().workers.clear();
}

}  // namespace hoist::software

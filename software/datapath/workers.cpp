// SPDX-License-Identifier: BSD-3-Clause
// What SoftwareDatapath does as Workers.
#include <rte_cycles.h>
#include <rte_lcore.h>

#include <sched.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "datapath/software_datapath.hpp"

namespace hoist::software {
namespace {

/// How long control looks on while a moved queue's old worker comes to the end of its turn. Longer,
/// and poll() sees to it; packets wait in the device's ring meanwhile.
constexpr unsigned kPatience_us = 200;

/// The core of a worker; of one without a thread, 0.
unsigned core_of(unsigned lcore) {
  const rte_cpuset_t set = rte_lcore_cpuset(lcore);
  for (unsigned core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) return core;
  }
  return lcore;
}

std::uint32_t percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<std::uint32_t>(std::min(part, whole) * 100 / whole);
}

WorkerCounts counts_of(const Worker& worker) {
  const WorkerPerf& perf = worker.perf;
  WorkerCounts out{.idle_turns = perf.idle_turns.get(),
                   .busy_turns = perf.busy_turns.get(),
                   .idle_cycles = perf.idle_cycles.get(),
                   .busy_cycles = perf.busy_cycles.get(),
                   .received = perf.received.get(),
                   .marked = perf.marked.get(),
                   .unlooked = perf.unlooked.get(),
                   .walked = perf.walked.get(),
                   .sent = worker.transmit.sent(),
                   .sent_batches = worker.transmit.sent_batches()};
  for (std::size_t i = 0; i < kStageCount; ++i) out.stage_cycles[i] = perf.stage_cycles[i].get();
  return out;
}

WorkerCounts operator-(WorkerCounts a, const WorkerCounts& b) {
  a.idle_turns -= b.idle_turns;
  a.busy_turns -= b.busy_turns;
  a.idle_cycles -= b.idle_cycles;
  a.busy_cycles -= b.busy_cycles;
  a.received -= b.received;
  a.marked -= b.marked;
  a.unlooked -= b.unlooked;
  a.walked -= b.walked;
  a.sent -= b.sent;
  a.sent_batches -= b.sent_batches;
  for (std::size_t i = 0; i < kStageCount; ++i) a.stage_cycles[i] -= b.stage_cycles[i];
  return a;
}

}  // namespace

unsigned SoftwareDatapath::core_of_worker(unsigned index) const {
  return config_.worker_lcores.empty() ? 0 : core_of(config_.worker_lcores[index]);
}

void SoftwareDatapath::start_telemetry() {
  std::vector<WorkerTelemetry::Entry> entries;
  for (unsigned w = 0; w < workers_.size(); ++w) {
    entries.push_back({core_of_worker(w), [&worker = *workers_[w]] { return counts_of(worker); }});
  }
  telemetry_ = std::make_unique<WorkerTelemetry>(std::move(entries));
}

std::vector<WorkerReport> SoftwareDatapath::report(std::uint32_t last_s) const {
  const std::size_t intervals =
      std::clamp<std::size_t>((last_s + UsageHistory::kInterval_s - 1) / UsageHistory::kInterval_s,
                              1, UsageHistory::kIntervals);
  std::vector<WorkerReport> out;
  for (unsigned w = 0; w < workers_.size(); ++w) out.push_back(report_worker(w, intervals));
  std::ranges::sort(out, {}, &WorkerReport::core);
  return out;
}

WorkerReport SoftwareDatapath::report_worker(unsigned w, std::size_t intervals) const {
  const Cleared& cleared = cleared_[w];
  WorkerReport out{
      .core = core_of_worker(w),
      .numa = config_.worker_lcores.empty() ? 0 : rte_lcore_to_socket_id(config_.worker_lcores[w]),
      .is_isolated = queues_.is_isolated(w),
      .measured_ms = now_ms() - cleared.ms,
      .counts = counts_of(*workers_[w]) - cleared.counts};
  const QueueTable::WorkerUsage& usage = queues_.worker(w);
  const std::uint64_t busy = usage.busy.gained(intervals);
  const std::uint64_t all = busy + usage.idle.gained(intervals);
  std::uint64_t accounted = 0;
  for (const QueueTable::Queue& q : queues_.queues()) {
    if (q.worker != w) continue;
    const std::uint64_t cycles = q.usage.gained(intervals);
    accounted += cycles;
    out.queues.push_back({.port = ports_[q.slot].config.name,
                          .queue = q.queue,
                          .is_pinned = q.pinned.has_value(),
                          .packets = q.load->packets.get()});
    if (all != 0) out.queues.back().usage_percent = percent(cycles, all);
  }
  std::ranges::sort(out.queues, {}, [](const QueueReport& q) { return std::tie(q.port, q.queue); });
  if (all != 0) out.overhead_percent = percent(busy - std::min(accounted, busy), all);
  return out;
}

void SoftwareDatapath::clear(std::optional<unsigned> core) {
  for (unsigned w = 0; w < workers_.size(); ++w) {
    if (core && *core != core_of_worker(w)) continue;
    cleared_[w] = {counts_of(*workers_[w]), now_ms()};
  }
}

std::uint64_t SoftwareDatapath::cycles_per_s() const { return rte_get_tsc_hz(); }

Result<void> SoftwareDatapath::pin_queues(BridgeId id, PortNo number, std::vector<QueuePin> pins) {
  const Port* port = find_port(id, number);
  if (port == nullptr) return failure(Errc::kNotFound, "no such port");
  std::vector<std::pair<std::uint16_t, unsigned>> to;
  for (const QueuePin& pin : pins) {
    if (pin.queue >= port->device->rx_queues()) {
      return failure(Errc::kInvalidArgument,
                     "port " + port->config.name + " has no queue " + std::to_string(pin.queue));
    }
    unsigned worker = 0;
    while (worker < workers_.size() && core_of_worker(worker) != pin.core) ++worker;
    if (worker == workers_.size()) {
      return failure(Errc::kInvalidArgument, "no worker on core " + std::to_string(pin.core));
    }
    to.emplace_back(pin.queue, worker);
  }
  queues_.pin(static_cast<std::uint16_t>(port - ports_.data()), to);
  move_queues(queues_.plan_of_pins());
  return {};
}

void SoftwareDatapath::rebalance() { move_queues(queues_.plan()); }

void SoftwareDatapath::set_auto_balance(const AutoBalance& config) { auto_balance_ = config; }

/// A queue rests until its old worker has sent all that it took from it: then the new one may
/// begin.
void SoftwareDatapath::move_queues(std::span<const unsigned> plan) {
  if (!queues_.move_to(plan)) return;
  publish_view();
  rest_token_ = reclaimer_.token();
  for (unsigned us = 0; us < kPatience_us && queues_.has_resting(); ++us) {
    end_rest();
    rte_delay_us_block(1);
  }
}

void SoftwareDatapath::end_rest() {
  if (!queues_.has_resting() || !reclaimer_.passed(rest_token_)) return;
  queues_.end_rest();
  publish_view();
}

void SoftwareDatapath::watch_load(std::uint64_t now) {
  if (now < next_sample_ms_) return;
  next_sample_ms_ = now + std::uint64_t{UsageHistory::kInterval_s} * 1000;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> cycles;
  for (const std::unique_ptr<Worker>& w : workers_) {
    cycles.emplace_back(w->perf.busy_cycles.get(), w->perf.idle_cycles.get());
  }
  queues_.sample(cycles);
  if (!auto_balance_.is_enabled || now < next_balance_ms_) return;
  next_balance_ms_ = now + std::uint64_t{auto_balance_.interval_s} * 1000;
  const std::size_t intervals =
      std::max<std::size_t>(auto_balance_.interval_s / UsageHistory::kInterval_s, 1);
  if (queues_.top_load_percent(intervals) < auto_balance_.load_percent) return;
  const std::vector<unsigned> plan = queues_.plan();
  if (queues_.improvement_percent(plan) >= auto_balance_.improvement_percent) move_queues(plan);
}

}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/pmd_text.hpp"

#include <spdlog/fmt/fmt.h>

#include <iterator>

namespace hoist::ctl {
namespace {

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

double percent(std::uint64_t part, std::uint64_t whole) { return 100 * ratio(part, whole); }

std::uint64_t cache_hits(const WorkerCounts& c) {
  const std::uint64_t others = c.marked + c.unlooked + c.walked;
  return c.received < others ? 0 : c.received - others;
}

std::string thread_title(const WorkerReport& worker) {
  return fmt::format("pmd thread numa_id {} core_id {}:\n", worker.numa, worker.core);
}

std::string stats(const WorkerCounts& c) {
  const std::uint64_t cycles = c.idle_cycles + c.busy_cycles;
  std::string out = fmt::format(
      "  packets received: {}\n"
      "  packet recirculations: 0\n"
      "  avg. datapath passes per packet: {:.2f}\n"
      "  phwol hits: {}\n"
      "  mfex opt hits: 0\n"
      "  simple match hits: {}\n"
      "  emc hits: {}\n"
      "  smc hits: 0\n"
      "  megaflow hits: {}\n"
      "  avg. subtable lookups per megaflow hit: {:.2f}\n"
      "  miss with success upcall: 0\n"
      "  miss with failed upcall: 0\n"
      "  avg. packets per output batch: {:.2f}\n",
      c.received, c.received == 0 ? 0.0 : 1.0, c.marked, c.unlooked, cache_hits(c), c.walked,
      c.walked == 0 ? 0.0 : 1.0, ratio(c.sent, c.sent_batches));
  if (cycles == 0) return out;
  out += fmt::format(
      "  idle cycles: {} ({:.2f}%)\n"
      "  processing cycles: {} ({:.2f}%)\n",
      c.idle_cycles, percent(c.idle_cycles, cycles), c.busy_cycles, percent(c.busy_cycles, cycles));
  if (c.received == 0) return out;
  return out + fmt::format(
                   "  avg cycles per packet: {:.2f} ({}/{})\n"
                   "  avg processing cycles per packet: {:.2f} ({}/{})\n",
                   ratio(cycles, c.received), cycles, c.received, ratio(c.busy_cycles, c.received),
                   c.busy_cycles, c.received);
}

void add_turns(std::string& out, const WorkerCounts& c, double duration_s, double hz) {
  const std::uint64_t cycles = c.idle_cycles + c.busy_cycles;
  const std::uint64_t turns = c.idle_turns + c.busy_turns;
  fmt::format_to(std::back_inserter(out),
                 "  Iterations:         {:>12}  ({:.2f} us/it)\n"
                 "  - Used TSC cycles:  {:>12}  ({:5.1f} % of total cycles)\n"
                 "  - idle iterations:  {:>12}  ({:5.1f} % of used cycles)\n"
                 "  - busy iterations:  {:>12}  ({:5.1f} % of used cycles)\n"
                 "  - sleep iterations: {:>12}  ({:5.1f} % of iterations)\n"
                 "  Sleep time (us):    {:>12}  ({:3} us/iteration avg.)\n",
                 turns, ratio(cycles, turns) * 1e6 / hz, cycles,
                 100.0 * static_cast<double>(cycles) / duration_s / hz, c.idle_turns,
                 percent(c.idle_cycles, cycles), c.busy_turns, percent(c.busy_cycles, cycles), 0,
                 0.0, 0, 0);
}

void add_hits(std::string& out, const WorkerCounts& c, double duration_s) {
  if (c.received == 0) {
    fmt::format_to(std::back_inserter(out), "  Rx packets:         {:>12}\n", 0);
    return;
  }
  fmt::format_to(std::back_inserter(out),
                 "  Rx packets:         {:>12}  ({:.0f} Kpps, {:.0f} cycles/pkt)\n"
                 "  Datapath passes:    {:>12}  ({:.2f} passes/pkt)\n",
                 c.received, static_cast<double>(c.received) / duration_s / 1000,
                 ratio(c.busy_cycles, c.received), c.received, 1.0);
  const auto line = [&](std::string_view title, std::uint64_t count, std::string_view more = "") {
    fmt::format_to(std::back_inserter(out), "  - {:<18}{:>12}  ({:5.1f} %{})\n", title, count,
                   percent(count, c.received), more);
  };
  line("PHWOL hits:", c.marked);
  line("MFEX Opt hits:", 0);
  line("Simple Match hits:", c.unlooked);
  line("EMC hits:", cache_hits(c));
  line("SMC hits:", 0);
  line("Megaflow hits:", c.walked,
       fmt::format(", {:.2f} subtbl lookups/hit", c.walked == 0 ? 0.0 : 1.0));
  line("Upcalls:", 0, ", 0.0 us/upcall");
  line("Lost upcalls:", 0);
}

void add_sent(std::string& out, const WorkerCounts& c, double duration_s) {
  if (c.sent == 0) {
    fmt::format_to(std::back_inserter(out), "  Tx packets:         {:>12}\n\n", 0);
    return;
  }
  fmt::format_to(std::back_inserter(out),
                 "  Tx packets:         {:>12}  ({:.0f} Kpps)\n"
                 "  Tx batches:         {:>12}  ({:.2f} pkts/batch)\n",
                 c.sent, static_cast<double>(c.sent) / duration_s / 1000, c.sent_batches,
                 ratio(c.sent, c.sent_batches));
}

void add_stages(std::string& out, const WorkerCounts& c) {
  if (c.received == 0) return;
  std::uint64_t sum = 0;
  for (const std::uint64_t cycles : c.stage_cycles) sum += cycles;
  fmt::format_to(std::back_inserter(out), "  Cycles per stage:\n");
  for (std::size_t i = 0; i < kStageCount; ++i) {
    fmt::format_to(std::back_inserter(out), "  - {:<17} {:>12}  ({:5.1f} %, {:.1f} cycles/pkt)\n",
                   fmt::format("{}:", kStageNames[i]), c.stage_cycles[i],
                   percent(c.stage_cycles[i], sum), ratio(c.stage_cycles[i], c.received));
  }
}

}  // namespace

std::string format_pmd_stats(std::span<const WorkerReport> workers, bool with_main) {
  std::string out;
  for (const WorkerReport& worker : workers) out += thread_title(worker) + stats(worker.counts);
  if (with_main) out += "main thread:\n" + stats({});
  return out;
}

std::string format_pmd_perf(std::span<const WorkerReport> workers, std::uint64_t cycles_per_s,
                            const std::string& time) {
  std::string out;
  const auto hz = static_cast<double>(cycles_per_s);
  for (const WorkerReport& worker : workers) {
    const double duration_s = static_cast<double>(worker.measured_ms) / 1000;
    out += fmt::format("\nTime: {}\nMeasurement duration: {:.3f} s\n\n", time, duration_s);
    out += thread_title(worker) + "\n";
    if (worker.measured_ms == 0) continue;
    add_turns(out, worker.counts, duration_s, hz);
    add_hits(out, worker.counts, duration_s);
    add_sent(out, worker.counts, duration_s);
    add_stages(out, worker.counts);
  }
  return out;
}

std::string format_pmd_rxq(std::span<const WorkerReport> workers, std::uint32_t last_s) {
  if (workers.empty()) return "";
  std::string out = fmt::format("Displaying last {} seconds pmd usage %\n", last_s);
  const auto usage = [](const std::optional<std::uint32_t>& percent) {
    return percent ? fmt::format("{:>2} %", *percent) : std::string("NOT AVAIL");
  };
  for (const WorkerReport& worker : workers) {
    out += thread_title(worker);
    out += fmt::format("  isolated : {}\n", worker.is_isolated);
    for (const QueueReport& queue : worker.queues) {
      out += fmt::format("  port: {:<16}  queue-id: {:>2} (enabled)   pmd usage: {}\n", queue.port,
                         queue.queue, usage(queue.usage_percent));
    }
    if (!worker.queues.empty()) {
      out += fmt::format("  overhead: {}\n", usage(worker.overhead_percent));
    }
  }
  return out;
}

}  // namespace hoist::ctl

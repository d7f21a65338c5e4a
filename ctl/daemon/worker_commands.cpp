// SPDX-License-Identifier: BSD-3-Clause
// Commands about workers: Open vSwitch's dpif-netdev/pmd-..., and hoist/workers.
#include <spdlog/fmt/chrono.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "daemon/commands.hpp"
#include "daemon/pmd_text.hpp"
#include "hoist/workers.hpp"

namespace hoist::ctl {
namespace {

using Json = nlohmann::json;

/// What the pmd commands can be told. A datapath's name is taken and means nothing: there is one.
struct PmdOptions {
  std::optional<unsigned> core;
  std::uint32_t last_s = Workers::kUsageMax_s;
};

std::optional<unsigned> to_number(const std::string& text) {
  unsigned value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  return value;
}

/// As Open vSwitch reads them: a number that is none is as if the option were not there.
PmdOptions read_options(const std::vector<std::string>& arguments) {
  PmdOptions options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    const bool takes_number = word == "-pmd" || word == "-secs" || word == "-it" || word == "-ms";
    if (!takes_number || i + 1 == arguments.size()) continue;
    const std::optional<unsigned> number = to_number(arguments[++i]);
    if (word == "-pmd" && number) options.core = number;
    if (word == "-secs" && number) options.last_s = *number;
  }
  // Usage is known in steps of five seconds.
  if (options.last_s == 0 || options.last_s > Workers::kUsageMax_s) {
    options.last_s = Workers::kUsageMax_s;
  }
  options.last_s = (options.last_s + 4) / 5 * 5;
  return options;
}

std::vector<WorkerReport> chosen(const Workers& workers, const PmdOptions& options) {
  std::vector<WorkerReport> reports = workers.report(options.last_s);
  std::erase_if(reports,
                [&](const WorkerReport& r) { return options.core && r.core != *options.core; });
  return reports;
}

std::string time_of_day() {
  const auto now = std::chrono::system_clock::now();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch());
  return fmt::format("{:%H:%M:%S}.{:03}", fmt::gmtime(std::chrono::system_clock::to_time_t(now)),
                     ms.count() % 1000);
}

Json worker_json(const WorkerReport& worker) {
  const WorkerCounts& c = worker.counts;
  Json stages = Json::object();
  for (std::size_t i = 0; i < kStageCount; ++i) {
    stages[std::string(kStageNames[i])] = c.stage_cycles[i];
  }
  Json queues = Json::array();
  for (const QueueReport& q : worker.queues) {
    Json row{{"port", q.port}, {"queue", q.queue}, {"pinned", q.is_pinned}, {"packets", q.packets}};
    if (q.usage_percent) row["usage_percent"] = *q.usage_percent;
    queues.push_back(std::move(row));
  }
  return {{"core", worker.core},
          {"numa", worker.numa},
          {"isolated", worker.is_isolated},
          {"measured_ms", worker.measured_ms},
          {"idle_turns", c.idle_turns},
          {"busy_turns", c.busy_turns},
          {"idle_cycles", c.idle_cycles},
          {"busy_cycles", c.busy_cycles},
          {"received", c.received},
          {"marked", c.marked},
          {"unlooked", c.unlooked},
          {"walked", c.walked},
          {"sent", c.sent},
          {"sent_batches", c.sent_batches},
          {"stage_cycles", std::move(stages)},
          {"queues", std::move(queues)}};
}

}  // namespace

void Commands::add_worker_commands(CommandTable& table) {
  const auto self = std::make_shared<Commands>(*this);
  using Text = Result<std::string>;
  using Handler = std::function<std::string(Workers&, const PmdOptions&)>;
  const auto add = [&](const char* name, const char* usage, std::size_t max, Handler handler) {
    table.add_plain(name, usage, 0, max, [self, handler](const Arguments& arguments) -> Text {
      Workers* workers = workers_of(*self->daemon_.parts_.datapath);
      if (workers == nullptr) return failure(Errc::kUnsupported, "no workers");
      return handler(*workers, read_options(arguments));
    });
  };
  add("dpif-netdev/pmd-stats-show", "[-pmd core] [dp]", 3,
      [](Workers& w, const PmdOptions& o) { return format_pmd_stats(chosen(w, o), !o.core); });
  add("dpif-netdev/pmd-stats-clear", "[-pmd core] [dp]", 3, [](Workers& w, const PmdOptions& o) {
    w.clear(o.core);
    return std::string();
  });
  add("dpif-netdev/pmd-rxq-show", "[-pmd core] [-secs secs] [dp]", 5,
      [](Workers& w, const PmdOptions& o) { return format_pmd_rxq(chosen(w, o), o.last_s); });
  add("dpif-netdev/pmd-perf-show",
      "[-nh] [-it iter-history-len] [-ms ms-history-len] [-pmd core] [dp]", 8,
      [](Workers& w, const PmdOptions& o) {
        return format_pmd_perf(chosen(w, o), w.cycles_per_s(), time_of_day());
      });
  add("dpif-netdev/pmd-rxq-rebalance", "[dp]", 1, [](Workers& w, const PmdOptions&) {
    w.rebalance();
    return std::string("pmd rxq rebalance requested.\n");
  });
  table.add_plain("hoist/workers", "", 0, 0,
                  [self](const Arguments&) { return Text(self->workers().dump()); });
}

Json Commands::workers() const {
  Json out = Json::array();
  const Workers* workers = workers_of(*daemon_.parts_.datapath);
  if (workers == nullptr) return out;
  for (const WorkerReport& worker : workers->report(Workers::kUsageMax_s)) {
    out.push_back(worker_json(worker));
  }
  return out;
}

}  // namespace hoist::ctl

// SPDX-License-Identifier: BSD-3-Clause
// hoistd: reads its configuration, starts the parts and serves until told to stop.
#include <malloc.h>
#include <spdlog/spdlog.h>
#include <systemd/sd-daemon.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>

#include "daemon/affinity.hpp"
#include "daemon/config.hpp"
#include "daemon/daemon.hpp"
#include "daemon/run_dir.hpp"
#include "hoist/eal.hpp"

namespace {

using namespace hoist;

int refuse(const Error& error) {
  spdlog::error("{}", error.message);
  return 1;
}

int serve(const std::string& config_path) {
  Result<ctl::Config> config = ctl::Config::load(config_path);
  if (!config) return refuse(config.error());
  Result<ctl::RunDir> run_dir = ctl::RunDir::acquire(ctl::run_dir_path());
  if (!run_dir) return refuse(run_dir.error());

  const std::vector<unsigned> cores = ctl::cores_beside(config->workers);
  Result<std::unique_ptr<Eal>> eal = start_eal(
      {.args = config->dpdk_args, .worker_cores = config->workers, .control_cores = cores});
  if (!eal) return refuse(eal.error());
  if (!(*eal)->note().empty()) spdlog::info("{}", (*eal)->note());
  // Threads made from here on, the offload thread among them, keep off the workers' cores.
  ctl::run_on(cores);

  Datapath::Config planned{.worker_lcores = (*eal)->worker_lcores(),
                           .flow_cache_entries = config->flow_cache_entries,
                           .mbuf_count = config->mbuf_count,
                           .max_rules = config->max_rules};
  if (const std::uint32_t most = config->conntrack.max_connections; most != 0) {
    planned.max_connections = most;
  }
  Result<std::unique_ptr<Datapath>> datapath = Datapath::create(planned);
  if (!datapath) return refuse(datapath.error());
  std::unique_ptr<FlowManager> flow_manager = FlowManager::create(
      {.is_enabled = config->is_offload_enabled,
       .has_thread = true,
       .cores = cores,
       .moves_per_second = config->moves_per_second,
       .reads_per_second = config->reads_per_second},
      (*datapath)->resume_table(), [&plane = **datapath] { return plane.now_ms(); });

  ctl::Daemon daemon({.config = *std::move(config),
                      .run_dir = *std::move(run_dir),
                      .config_path = config_path,
                      .datapath = *std::move(datapath),
                      .flow_manager = std::move(flow_manager)});
  if (const Result<void> started = daemon.start(); !started) return refuse(started.error());
  daemon.run([] {
    spdlog::info("hoistd " HOIST_VERSION " is ready");
    sd_notify(0, "READY=1");
  });
  sd_notify(0, "STOPPING=1");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  // What a large request needed for a moment goes back to the system: without this, glibc raises
  // the limit above which it does that to whatever has been freed.
  ::mallopt(M_MMAP_THRESHOLD, 256 * 1024);
  // Hundreds of thousands of rules come at once: fewer, larger steps.
  ::mallopt(M_TOP_PAD, 32 * 1024 * 1024);
  CLI::App app("A switch that puts as much of its work as it can into the NIC.");
  std::string config_path = "/etc/hoist/hoistd.toml";
  std::string level = "info";
  app.add_option("--config", config_path, "Configuration file")->capture_default_str();
  app.add_option("--log-level", level, "trace, debug, info, warning or error")
      ->capture_default_str();
  app.set_version_flag("--version", "hoistd " HOIST_VERSION);
  CLI11_PARSE(app, argc, argv);
  spdlog::set_level(spdlog::level::from_str(level));
  spdlog::set_pattern("%Y-%m-%d %H:%M:%S.%e %^%-7l%$ %v");
  return serve(config_path);
}

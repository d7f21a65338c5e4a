// SPDX-License-Identifier: BSD-3-Clause
#include <rte_eal.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_pause.h>

#include <algorithm>
#include <atomic>
#include <random>

#include "datapath/software_datapath.hpp"

namespace hoist {

Result<std::unique_ptr<Datapath>> Datapath::create(const Config& config) {
  // Names in DPDK are global; tests make several datapaths.
  static std::atomic<unsigned> next_number{0};
  auto pool =
      software::MbufPool::create("hoist" + std::to_string(next_number++), config.mbuf_count);
  if (!pool) return tl::unexpected(pool.error());
  auto datapath = std::make_unique<software::SoftwareDatapath>(config, std::move(*pool));
  if (auto made = datapath->make_workers(); !made) return tl::unexpected(made.error());
  return datapath;
}

}  // namespace hoist

namespace hoist::software {
namespace {

int worker_main(void* worker) {
  run_worker(*static_cast<Worker*>(worker));
  return 0;
}

}  // namespace

SoftwareDatapath::SoftwareDatapath(const Config& config, MbufPool pool)
    : config_(config),
      pool_(std::move(pool)),
      reclaimer_(static_cast<unsigned>(std::max<std::size_t>(config.worker_lcores.size(), 1))),
      shared_(config.clock_ns),
      queues_(static_cast<unsigned>(std::max<std::size_t>(config.worker_lcores.size(), 1))) {}

SoftwareDatapath::~SoftwareDatapath() {
  stop();
  telemetry_.reset();
  workers_.clear();
  delete shared_.view.load(std::memory_order_relaxed);
}

Result<void> SoftwareDatapath::make_workers() {
  auto programs = ReservedMemory::create((std::size_t{config_.max_rules} + 1) * sizeof(void*));
  if (!programs) return tl::unexpected(programs.error());
  program_memory_ = std::move(*programs);
  auto meters = MeterStore::create(config_.max_meter_bands, reclaimer_);
  if (!meters) return tl::unexpected(meters.error());
  meter_store_ = std::move(*meters);
  shared_.programs = program_memory_.as<std::atomic<const Program*>>();
  shared_.max_rules = config_.max_rules;
  shared_.change_log = &change_log_;
  shared_.resume_table = resume_table_.get();
  shared_.pool = pool_.get();
  shared_.qsbr = reclaimer_.qsbr();
  std::random_device random;
  auto tracker = ConnectionTracker::create({.connections_most = config_.max_connections,
                                            .seed = std::uint64_t{random()} << 32 | random()});
  if (!tracker) return tl::unexpected(tracker.error());
  tracker_ = std::move(*tracker);
  shared_.tracker = tracker_.get();
  connections_ = std::make_unique<TrackedConnections>(
      *tracker_, TrackedConnections::Config{ConnectionTracker::Config{}.capacity,
                                            [this] { return shared_.clock.now_ms(); }});
  expectations_ = std::make_unique<TrackedExpectations>(*tracker_);
  fragments_ = std::make_unique<TrackedFragments>(*tracker_);
  const std::size_t count = std::max<std::size_t>(config_.worker_lcores.size(), 1);
  for (unsigned i = 0; i < count; ++i) {
    constexpr std::uint32_t kSegments = 1u << 20;
    const Worker::Config worker_config{.index = i,
                                       .flow_cache_entries = config_.flow_cache_entries,
                                       .segment_capacity = kSegments};
    auto worker = Worker::create(worker_config, shared_);
    if (!worker) return tl::unexpected(worker.error());
    rte_rcu_qsbr_thread_register(reclaimer_.qsbr(), i);
    workers_.push_back(std::move(*worker));
  }
  cleared_.resize(count);
  start_telemetry();
  collector_ = std::make_unique<Collector>(workers_);
  publish_view();
  return {};
}

void SoftwareDatapath::start() {
  if (is_running_ || config_.worker_lcores.empty()) return;
  is_running_ = true;
  shared_.is_stopping.store(false, std::memory_order_relaxed);
  shared_.running.store(static_cast<unsigned>(workers_.size()), std::memory_order_relaxed);
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    rte_eal_remote_launch(worker_main, workers_[i].get(), config_.worker_lcores[i]);
  }
}

void SoftwareDatapath::stop() {
  if (!is_running_) return;
  is_running_ = false;
  shared_.is_stopping.store(true, std::memory_order_relaxed);
  for (const unsigned lcore : config_.worker_lcores) rte_eal_wait_lcore(lcore);
  while (shared_.running.load(std::memory_order_acquire) != 0) rte_pause();
}

void SoftwareDatapath::run_once() {
  rte_rcu_qsbr_thread_online(reclaimer_.qsbr(), 0);
  run_turn(*workers_[0]);
  rte_rcu_qsbr_thread_offline(reclaimer_.qsbr(), 0);
}

}  // namespace hoist::software

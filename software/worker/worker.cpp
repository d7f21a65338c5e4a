// SPDX-License-Identifier: BSD-3-Clause
#include "worker/worker.hpp"

#include <rte_ethdev.h>

#include <cstring>

#include "worker/burst.hpp"
#include "worker/execute.hpp"
#include "worker/records.hpp"

namespace hoist::software {
namespace {

constexpr unsigned kRecordsPerTurn = 16;

void receive(Worker& worker) {
  for (const ReceiveQueue& q : worker.view->queues[worker.index]) {
    std::array<rte_mbuf*, kBurst> packets;
    const std::uint16_t n = rte_eth_rx_burst(q.ethdev, q.queue, packets.data(), kBurst);
    if (n == 0) continue;
    worker.perf.took(*q.load, n);
    process_burst(worker, q.slot, packets.data(), n);
    worker.perf.dealt_with(*q.load);
  }
}

rte_mbuf* make_packet(Worker& worker, const std::uint8_t* frame, std::uint32_t size) {
  rte_mbuf* packet = rte_pktmbuf_alloc(worker.shared->pool);
  if (packet == nullptr) return nullptr;
  char* room = rte_pktmbuf_append(packet, static_cast<std::uint16_t>(size));
  if (room == nullptr) {
    rte_pktmbuf_free(packet);
    return nullptr;
  }
  std::memcpy(room, frame, size);
  return packet;
}

void send_for_controller(Worker& worker, std::span<const std::uint8_t> bytes) {
  PacketOutRecord record;
  std::memcpy(&record, bytes.data(), sizeof record);
  const std::uint8_t* at = bytes.data() + sizeof record;
  const auto* program = reinterpret_cast<const Program*>(at);
  const std::uint8_t* frame = at + record.program_size;
  if (record.frame_size < RTE_ETHER_HDR_LEN) return worker.count_drop(DropReason::kMalformed);
  rte_mbuf* packet = make_packet(worker, frame, record.frame_size);
  if (packet == nullptr) return worker.count_drop(DropReason::kNoBuffer);
  const Ingress in{record.in_port, worker.view->slot_of(record.bridge, record.in_port),
                   record.bridge};
  FlowKey key{};
  const Layers layers = parse(*packet, in.number, key);
  worker.walker->begin({worker.view, in.bridge, worker.version, worker.meter_time}, *packet, key,
                       layers);
  worker.walker->start_in(*program, RuleId::kNone, 0);
  run_walked(worker, in, packet);
}

/// Once a millisecond a slice of the connections; more while many of them are over.
void sweep_connections(Worker& worker) {
  constexpr unsigned kSlicesMost = 8;
  if (worker.now_ms == worker.swept_ms) return;
  worker.swept_ms = worker.now_ms;
  const std::uint32_t places = worker.shared->tracker->sweep_slice();
  for (unsigned i = 0; i < kSlicesMost; ++i) {
    if (worker.shared->tracker->sweep(worker.now_ms, places) < places / 4) return;
  }
}

void expire_fragments(Worker& worker) {
  const std::size_t lost = worker.fragments->expire(worker.now_ms);
  if (lost != 0) worker.count_drop(DropReason::kFragmentLost, lost);
}

void serve_control(Worker& worker) {
  for (unsigned i = 0; i < kRecordsPerTurn; ++i) {
    const auto record = worker.from_control.front();
    if (record.empty()) return;
    send_for_controller(worker, record);
    worker.from_control.release();
  }
}

}  // namespace

Result<std::unique_ptr<Worker>> Worker::create(const Config& config, Shared& shared) {
  auto worker = std::make_unique<Worker>(config, shared);
  auto cache = FlowCache::create(config.flow_cache_entries);
  if (!cache) return tl::unexpected(cache.error());
  worker->cache = std::move(*cache);
  auto segments = SegmentStore::create(config.segment_capacity);
  if (!segments) return tl::unexpected(segments.error());
  worker->segments = std::move(*segments);
  constexpr std::uint32_t kTrails = 1u << 18;
  auto trails = TrailStore::create(kTrails);
  if (!trails) return tl::unexpected(trails.error());
  worker->trails = std::move(*trails);
  auto walker = Walker::create(*shared.pool);
  if (!walker) return tl::unexpected(walker.error());
  worker->walker = std::move(*walker);
  for (auto& branch_walker : worker->branch_walkers) {
    auto made = Walker::create(*shared.pool);
    if (!made) return tl::unexpected(made.error());
    branch_walker = std::move(*made);
  }
  worker->fragments = std::make_unique<FragmentTable>(shared.tracker->fragments());
  worker->random = config.index * 2654435761u + 1;
  const std::size_t rules = std::size_t{shared.max_rules} + 1;
  auto loose = ReservedMemory::create(rules * sizeof(LooseRuleCount));
  if (!loose) return tl::unexpected(loose.error());
  worker->loose_memory = std::move(*loose);
  worker->loose_rules = worker->loose_memory.as<LooseRuleCount>();
  worker->loose_tables = std::vector<LooseTableCounts>(kMaxBridges);
  return worker;
}

void run_turn(Worker& worker) noexcept {
  const Shared& shared = *worker.shared;
  // Acquire: pairs with control's releases, so that all that belongs to a version or view is there.
  // The version first: the masks of a view cover every version published before it.
  worker.version = shared.version.load(std::memory_order_acquire);
  worker.view = shared.view.load(std::memory_order_acquire);
  const std::uint64_t ticks = worker.perf.begin_turn();
  worker.now_ms = shared.clock.ms_at(ticks);
  worker.meter_time = shared.clock.meter_time_at(ticks);
  receive(worker);
  serve_control(worker);
  worker.transmit.flush(*worker.view);
  worker.perf.end_turn();
  worker.segments->reclaim();
  sweep_connections(worker);
  expire_fragments(worker);
  rte_rcu_qsbr_quiescent(shared.qsbr, worker.index);
}

void run_worker(Worker& worker) noexcept {
  rte_rcu_qsbr_thread_online(worker.shared->qsbr, worker.index);
  // Relaxed: nothing else is read after it.
  while (!worker.shared->is_stopping.load(std::memory_order_relaxed)) run_turn(worker);
  rte_rcu_qsbr_thread_offline(worker.shared->qsbr, worker.index);
  // Release: pairs with the acquire in stop(): all that this thread wrote is there.
  worker.shared->running.fetch_sub(1, std::memory_order_release);
}

}  // namespace hoist::software

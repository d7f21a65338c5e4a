// SPDX-License-Identifier: BSD-3-Clause
#include <rte_mbuf.h>

#include <bit>
#include <cstring>

#include "worker/execute.hpp"
#include "worker/misses.hpp"

namespace hoist::software {
namespace {

bool is_regular(const Burst& burst, std::uint32_t i) { return (burst.regular >> i & 1) != 0; }

/// Stage: parse.
void parse_missed(const Burst& burst, Misses& misses) {
  for_each_bit(burst.missed, [&](std::uint32_t i) {
    const std::uint32_t m = misses.count++;
    misses.index[m] = static_cast<std::uint8_t>(i);
    FlowKey& key = misses.keys[m];
    const rte_mbuf& packet = *burst.packets[i];
    if (is_regular(burst, i)) {
      return parse_window(rte_pktmbuf_mtod(&packet, const std::uint8_t*), burst.classes[i],
                          burst.in.number, key);
    }
    std::memset(static_cast<void*>(&key), 0, sizeof key);
    misses.layers[m] = parse(packet, burst.in.number, key);
  });
}

bool is_cached_wide(const Worker& worker, const Burst& burst, const Misses& misses,
                    std::uint32_t m) {
  return worker.cache.is_enabled() && !burst.masks->is_blind &&
         !is_regular(burst, misses.index[m]) && !misses.layers[m].is_malformed();
}

FlowCache::WideEntry make_wide(const Worker& worker, const Burst& burst, const FlowKey& key,
                               std::uint32_t& hash) {
  FlowCache::WideEntry entry{};
  hash = FlowCache::make_key(key, burst.masks->of(packet_class(key)), worker.version, entry);
  return entry;
}

bool holds(Worker& worker, const Burst& burst, const FlowKey& key, FlowCache::WideEntry& entry) {
  const Segment& segment = worker.segments->at(entry.segment.index);
  if (segment.generation != entry.segment.generation) return false;
  const auto since = static_cast<Datapath::Version>(entry.tag >> 32);
  if (since == worker.version) return true;
  const ChangeLog::Packet packet{.bridge = burst.in.bridge,
                                 .in_port = to_integer(burst.in.number),
                                 .table_bits = segment.table_bits,
                                 .packet_class = packet_class(key),
                                 .window = nullptr,
                                 .key = words(key)};
  if (worker.shared->change_log->touches(packet, since, worker.version)) return false;
  entry.tag = cache_tag(static_cast<std::uint32_t>(entry.tag), worker.version);
  return true;
}

/// Stage: the cache of parsed packets. Returns those of `wanted` that it does not know.
std::uint32_t probe_wide(Worker& worker, Burst& burst, const Misses& misses, std::uint32_t wanted) {
  std::array<FlowCache::WideEntry, kBurst> keys;
  std::array<std::uint32_t, kBurst> hashes;
  std::uint32_t asked = 0;
  for_each_bit(wanted, [&](std::uint32_t m) {
    if (!is_cached_wide(worker, burst, misses, m)) return;
    asked |= 1u << m;
    keys[m] = make_wide(worker, burst, misses.keys[m], hashes[m]);
    worker.cache.prefetch_wide(hashes[m]);
  });
  for_each_bit(asked, [&](std::uint32_t m) {
    FlowCache::WideEntry* entry = worker.cache.find_any(keys[m], hashes[m]);
    if (entry == nullptr || !holds(worker, burst, misses.keys[m], *entry)) return;
    burst.segments[misses.index[m]] = entry->segment;
    wanted &= ~(1u << m);
  });
  return wanted;
}

/// Tells the cache what has been found. What is to be tracked is remembered with its connection,
/// if it has one (track_burst()).
void remember(Worker& worker, Burst& burst, const Misses& misses, std::uint32_t m,
              SegmentRef segment) {
  const std::uint32_t i = misses.index[m];
  if (is_regular(burst, i) && worker.segments->at(segment.index).fate == SegmentFate::kTrack) {
    burst.tracked |= 1u << i;
    burst.entries[i] = Burst::kNoEntry;
    return;
  }
  if (burst.masks->is_blind) {
    worker.port_segments[burst.in.slot] = {cache_tag(burst.masks->classes[0].id, worker.version),
                                           segment};
  } else if (!worker.cache.is_enabled()) {
    return;
  } else if (is_regular(burst, i)) {
    worker.cache.insert(burst.keys[i], burst.hashes[i], segment);
  } else {
    std::uint32_t hash;
    FlowCache::WideEntry entry = make_wide(worker, burst, misses.keys[m], hash);
    entry.segment = segment;
    worker.cache.insert(entry, hash);
  }
}

/// Finds a path's segment, and those of packets that its meters drop.
std::uint32_t intern(Worker& worker, const SegmentCode& code) {
  const std::span<const Op> ops = code.ops();
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const bool may_end_here = ops[i].code == OpCode::kMeter && ops[i].b < code.step_count;
    if (!may_end_here) continue;
    PathBuilder& path = worker.walker->path();
    const std::uint32_t cut = worker.segments->intern(path.cut_at(i));
    if (cut == SegmentStore::kNone) return cut;
    path.set_cut(i, cut);
  }
  return worker.segments->intern(code);
}

void walk_one(Worker& worker, Burst& burst, const Misses& misses, std::uint32_t m) {
  const std::uint32_t i = misses.index[m];
  const rte_mbuf& packet = *burst.packets[i];
  Layers layers = misses.layers[m];
  if (is_regular(burst, i)) {
    FlowKey key;
    layers = parse(packet, burst.in.number, key);
  }
  Walker& walker = *worker.walker;
  walker.begin({worker.view, burst.in.bridge, worker.version, worker.meter_time}, packet,
               misses.keys[m], layers);
  walker.record(worker.trails, worker.view->ports[burst.in.slot].trail_root);
  walker.start_with(misses.first[m]);
  const SegmentCode& code = walker.finish();
  const std::uint32_t index = intern(worker, code);
  if (index == SegmentStore::kNone) {
    run_loose(worker, burst.in, code, burst.packets[i]);
    burst.segments[i] = {SegmentStore::kNone, 0};
    return;
  }
  burst.segments[i] = worker.segments->ref(index);
  walker.end_trail(burst.segments[i]);
  if (walker.is_cacheable()) remember(worker, burst, misses, m, burst.segments[i]);
}

}  // namespace

void walk_missed(Worker& worker, Burst& burst) noexcept {
  Misses misses;
  parse_missed(burst, misses);
  std::uint32_t wanted = misses.all();
  if (worker.cache.is_enabled()) wanted = probe_wide(worker, burst, misses, wanted);
  if (wanted == 0) return;
  worker.perf.walked.add(static_cast<unsigned>(std::popcount(wanted)));
  const std::uint32_t lost = follow_trails(worker, burst, misses, wanted);
  for_each_bit(wanted & ~lost, [&](std::uint32_t m) {
    const std::uint32_t i = misses.index[m];
    // Of a damaged packet the key does not tell how it is damaged.
    if (!is_regular(burst, i) && misses.layers[m].is_malformed()) return;
    remember(worker, burst, misses, m, burst.segments[i]);
  });
  for_each_bit(lost, [&](std::uint32_t m) { walk_one(worker, burst, misses, m); });
}

void run_walked(Worker& worker, const Ingress& in, rte_mbuf* packet) noexcept {
  const SegmentCode& code = worker.walker->finish();
  // A path without a lookup has nothing to count, and may never be seen again.
  const std::uint32_t index = code.step_count == 0 ? SegmentStore::kNone : intern(worker, code);
  if (index == SegmentStore::kNone) return run_loose(worker, in, code, packet);
  run_segment(worker, in, worker.segments->at(index), &packet, 1);
}

void resume_packet(Worker& worker, const Ingress& in, rte_mbuf* packet) noexcept {
  const auto point = worker.shared->resume_table->find(packet->hash.fdir.hi);
  packet->ol_flags &= ~std::uint64_t{RTE_MBUF_F_RX_FDIR_ID};
  // A point of another bridge's can only be one that has been given anew.
  if (!point || to_integer(point->bridge) != in.bridge) {
    return drop(worker, packet, DropReason::kStaleToken);
  }
  const Program* program = nullptr;
  if (point->kind == ResumePoint::Kind::kRule) {
    const std::uint32_t rule = to_integer(point->rule);
    if (rule <= worker.shared->max_rules) {
      // Acquire: pairs with the release that publishes a rule's program.
      program = worker.shared->programs[rule].load(std::memory_order_acquire);
    }
    // The rule has just gone: what is in its table now carries the packet on.
  }
  FlowKey key{};
  const Layers layers = parse(*packet, in.number, key);
  worker.walker->begin({worker.view, in.bridge, worker.version, worker.meter_time}, *packet, key,
                       layers);
  if (program != nullptr) {
    worker.walker->start_in(*program, point->rule, point->table_id);
  } else {
    worker.walker->start_at(point->table_id);
  }
  run_walked(worker, in, packet);
}

}  // namespace hoist::software

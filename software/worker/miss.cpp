// SPDX-License-Identifier: BSD-3-Clause
#include <rte_mbuf.h>

#include "worker/burst.hpp"
#include "worker/execute.hpp"

namespace hoist::software {
namespace {

/// The packets of a burst that the cache of regular packets does not know.
struct Misses {
  std::uint32_t count = 0;
  std::array<std::uint8_t, kBurst> index;  ///< In the burst.
  std::array<FlowKey, kBurst> keys;
  std::array<Layers, kBurst> layers;
  std::array<std::uint32_t, kBurst> hashes;
  std::array<const FlowKey*, kBurst> lookups;
  std::array<const Entry*, kBurst> entries;
};

bool is_regular(const Burst& burst, std::uint32_t i) { return (burst.regular >> i & 1) != 0; }

/// Stage: parse.
void parse_missed(const Burst& burst, Misses& misses) {
  for_each_bit(burst.missed, [&](std::uint32_t i) {
    const std::uint32_t m = misses.count++;
    misses.index[m] = static_cast<std::uint8_t>(i);
    std::memset(static_cast<void*>(&misses.keys[m]), 0, sizeof(FlowKey));
    misses.layers[m] = parse(*burst.packets[i], burst.in.number, misses.keys[m]);
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

/// Stage: the cache of parsed packets. What it knows leaves the set.
void probe_wide(Worker& worker, Burst& burst, Misses& misses) {
  std::array<FlowCache::WideEntry, kBurst> wanted;
  std::uint32_t asked = 0;
  for (std::uint32_t m = 0; m < misses.count; ++m) {
    if (!is_cached_wide(worker, burst, misses, m)) continue;
    asked |= 1u << m;
    wanted[m] = make_wide(worker, burst, misses.keys[m], misses.hashes[m]);
    worker.cache.prefetch_wide(misses.hashes[m]);
  }
  for_each_bit(asked, [&](std::uint32_t m) {
    FlowCache::WideEntry* entry = worker.cache.find_any(wanted[m], misses.hashes[m]);
    if (entry == nullptr || !holds(worker, burst, misses.keys[m], *entry)) return;
    burst.segments[misses.index[m]] = entry->segment;
    burst.missed &= ~(1u << misses.index[m]);
  });
}

/// Stage: the first table, all packets at once.
void look_up_first(const Worker& worker, const Burst& burst, Misses& misses) {
  const Classifier* table = worker.view->bridges[burst.in.bridge].tables->table(0);
  if (table == nullptr) {
    misses.entries.fill(nullptr);
    return;
  }
  std::uint32_t n = 0;
  std::array<const Entry*, kBurst> found;
  for (std::uint32_t m = 0; m < misses.count; ++m) {
    if ((burst.missed >> misses.index[m] & 1) != 0) misses.lookups[n++] = &misses.keys[m];
  }
  table->lookup({misses.lookups.data(), n}, worker.version, found.data());
  for (std::uint32_t m = misses.count; m-- > 0;) {
    if ((burst.missed >> misses.index[m] & 1) != 0) misses.entries[m] = found[--n];
  }
}

void remember(Worker& worker, const Burst& burst, const Misses& misses, std::uint32_t m,
              SegmentRef segment) {
  const std::uint32_t i = misses.index[m];
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

void walk_one(Worker& worker, Burst& burst, const Misses& misses, std::uint32_t m) {
  const std::uint32_t i = misses.index[m];
  Walker& walker = *worker.walker;
  walker.begin({worker.view, burst.in.bridge, worker.version}, *burst.packets[i], misses.keys[m],
               misses.layers[m]);
  walker.start_with(misses.entries[m]);
  const SegmentCode& code = walker.finish();
  const std::uint32_t index = worker.segments->intern(code);
  if (index == SegmentStore::kNone) {
    run_loose(worker, burst.in, code, burst.packets[i]);
    burst.segments[i] = {SegmentStore::kNone, 0};
    return;
  }
  burst.segments[i] = worker.segments->ref(index);
  if (walker.is_cacheable()) remember(worker, burst, misses, m, burst.segments[i]);
}

}  // namespace

void walk_missed(Worker& worker, Burst& burst) noexcept {
  Misses misses;
  parse_missed(burst, misses);
  if (worker.cache.is_enabled()) {
    probe_wide(worker, burst, misses);
    if (burst.missed == 0) return;
  }
  look_up_first(worker, burst, misses);
  for (std::uint32_t m = 0; m < misses.count; ++m) {
    if ((burst.missed >> misses.index[m] & 1) != 0) walk_one(worker, burst, misses, m);
  }
}

void run_walked(Worker& worker, const Ingress& in, rte_mbuf* packet) noexcept {
  const SegmentCode& code = worker.walker->finish();
  // A path without a lookup has nothing to count, and may never be seen again.
  const std::uint32_t index =
      code.step_count == 0 ? SegmentStore::kNone : worker.segments->intern(code);
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
  worker.walker->begin({worker.view, in.bridge, worker.version}, *packet, key, layers);
  if (program != nullptr) {
    worker.walker->start_in(*program, point->rule, point->table_id);
  } else {
    worker.walker->start_at(point->table_id);
  }
  run_walked(worker, in, packet);
}

}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
#include "worker/branch.hpp"

#include <rte_mbuf.h>

#include <bit>

#include "conntrack/packet_facts.hpp"
#include "packet/window.hpp"
#include "pipeline/track_op.hpp"
#include "pipeline/trail_recorder.hpp"
#include "worker/execute.hpp"

namespace hoist::software {
namespace {

/// The trail that all regular packets take that leave there.
std::uint64_t trail_of(Worker& worker, const Ingress& in, const BranchPoint& point) {
  const TrailKey key{.from = worker.view->ports[in.slot].trail_root,
                     .program = std::bit_cast<std::uint64_t>(point.segment),
                     .rule = TrailKey::kBranch};
  if (const Trail* known = TrailStore::find(key, worker.trails.places(key))) return known->to;
  Trail& made = worker.trails.add(key);
  made.next = Trail::Next::kLookUp;
  made.to = worker.trails.next_id();
  return made.to;
}

/// Where a packet's trail leads, if there is one.
SegmentRef follow_trail(const Worker& worker, const Ingress& in, std::uint8_t table_id,
                        std::uint64_t from, FlowKey key) {
  for (;;) {
    const Classifier* table = worker.view->bridges[in.bridge].tables->table(table_id);
    const Entry* entry = table == nullptr ? nullptr : table->lookup(key, worker.version);
    const TrailKey met = trail_key(from, entry);
    const Trail* trail = TrailStore::find(met, worker.trails.places(met));
    if (trail == nullptr) return {SegmentStore::kNone, 0};
    if (trail->next != Trail::Next::kLookUp) {
      const bool is_known =
          trail->next == Trail::Next::kSegment && worker.segments->is_live(trail->segment());
      return is_known ? trail->segment() : SegmentRef{SegmentStore::kNone, 0};
    }
    trail->set_state(key);
    from = trail->to;
    table_id = trail->table_id;
  }
}

}  // namespace

Continuation find_continuation(Worker& worker, const Ingress& in, const BranchPoint& point,
                               rte_mbuf* packet, Journey& journey) noexcept {
  if (journey.branches > kMaxBranches) {
    drop(worker, packet, DropReason::kTooDeep);
    return {};
  }
  const auto& branch = *reinterpret_cast<const TrackBranch*>(point.data);
  const bool is_remembered = point.segment.index != SegmentStore::kNone;
  FlowKey key{};
  Layers layers;
  if (is_remembered) {
    const auto* frame = rte_pktmbuf_mtod(packet, const std::uint8_t*);
    parse_window(frame, point.packet_class, PortNo{branch.in_port}, key);
    layers = regular_layers(frame);
  } else {
    layers = parse(*packet, PortNo{branch.in_port}, key);
  }
  const std::span<const FieldValue> stack = restore_state(point.data, key);
  worker.shared->tracker->describe(journey.track);
  write_tracked(journey.track, key);
  const std::uint64_t trail = is_remembered ? trail_of(worker, in, point) : 0;
  if (is_remembered) {
    const SegmentRef known = follow_trail(worker, in, branch.table_id, trail, key);
    if (known.index != SegmentStore::kNone) return {known, true};
  }
  Walker& walker = *worker.branch_walkers[journey.branches - 1];
  walker.begin({worker.view, in.bridge, worker.version}, *packet, key, layers);
  if (is_remembered) walker.record(worker.trails, trail);
  walker.start_at(branch.table_id, stack);
  const SegmentCode& code = walker.finish();
  const std::uint32_t index = worker.segments->intern(code);
  if (index == SegmentStore::kNone) {
    run_loose(worker, in, code, packet, journey);
    return {};
  }
  const SegmentRef segment = worker.segments->ref(index);
  walker.end_trail(segment);
  return {segment, walker.is_cacheable()};
}

void branch_off(Worker& worker, const Ingress& in, const std::uint64_t* data, rte_mbuf* packet,
                Journey journey) noexcept {
  const Continuation next = find_continuation(worker, in, {data}, packet, journey);
  if (next.segment.index == SegmentStore::kNone) return;
  run_segment(worker, in, worker.segments->at(next.segment.index), packet, journey);
}

}  // namespace hoist::software

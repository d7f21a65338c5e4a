// SPDX-License-Identifier: BSD-3-Clause
#include "worker/branch.hpp"

#include <rte_mbuf.h>

#include <cstring>

#include "pipeline/track_op.hpp"
#include "worker/execute.hpp"

namespace hoist::software {

Continuation find_continuation(Worker& worker, const Ingress& in, const std::uint64_t* data,
                               rte_mbuf* packet, Journey& journey) noexcept {
  if (journey.branches > kMaxBranches) {
    drop(worker, packet, DropReason::kTooDeep);
    return {};
  }
  TrackBranch branch;
  std::memcpy(static_cast<void*>(&branch), data, sizeof branch);
  FlowKey key{};
  const Layers layers = parse(*packet, PortNo{branch.in_port}, key);
  const std::span<const FieldValue> stack = restore_state(data, key);
  worker.shared->tracker->describe(journey.track);
  write_tracked(journey.track, key);
  Walker& walker = *worker.branch_walkers[journey.branches - 1];
  walker.begin({worker.view, in.bridge, worker.version}, *packet, key, layers);
  walker.start_at(branch.table_id, stack);
  const SegmentCode& code = walker.finish();
  const std::uint32_t index = worker.segments->intern(code);
  if (index == SegmentStore::kNone) {
    run_loose(worker, in, code, packet, journey);
    return {};
  }
  return {worker.segments->ref(index), walker.is_cacheable()};
}

void branch_off(Worker& worker, const Ingress& in, const std::uint64_t* data, rte_mbuf* packet,
                Journey journey) noexcept {
  const Continuation next = find_continuation(worker, in, data, packet, journey);
  if (next.segment.index == SegmentStore::kNone) return;
  run_segment(worker, in, worker.segments->at(next.segment.index), packet, journey);
}

}  // namespace hoist::software

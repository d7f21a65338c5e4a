// SPDX-License-Identifier: BSD-3-Clause
#include "worker/judge_fragments.hpp"

#include <rte_mbuf.h>

#include "conntrack/help_packet.hpp"
#include "conntrack/packet_facts.hpp"
#include "worker/branch.hpp"
#include "worker/execute.hpp"
#include "worker/own_packet.hpp"

namespace hoist::software {
namespace {

using Parts = std::span<HeldFragment>;

TrackOutcome track_whole(Worker& worker, const TrackRequest& request, Parts parts,
                         PacketTrack& track) noexcept {
  TrackedPacket facts{};
  facts.tuple.zone = request.zone;
  WholePacket& whole = worker.whole;
  if (whole.assemble(parts)) {
    facts = packet_facts(whole.packet(), whole.layers(), request.zone);
  }
  return worker.shared->tracker->track(request, facts, moment_of(worker), track);
}

bool drop_all(Worker& worker, Parts parts, DropReason reason) noexcept {
  for (const HeldFragment& part : parts) {
    if (part.packet != nullptr) drop(worker, part.packet, reason);
  }
  return false;
}

/// Makes all mbufs ours alone. One that there is no buffer for is lost.
void make_own(Worker& worker, Parts parts) noexcept {
  for (HeldFragment& part : parts) {
    part.packet = own_packet(worker, part.packet);
    if (part.packet == nullptr) worker.count_drop(DropReason::kNoBuffer);
  }
}

}  // namespace

bool judge_fragments(Worker& worker, const TrackRequest& request, Parts parts,
                     PacketTrack& track) noexcept {
  const TrackOutcome outcome = track_whole(worker, request, parts, track);
  if (outcome.refusal == TrackOutcome::Refusal::kNatExhausted) {
    return drop_all(worker, parts, DropReason::kNatExhausted);
  }
  const bool is_translated = outcome.translated.family != 0;
  if (!is_translated && !outcome.is_helped) return true;
  WholePacket& whole = worker.whole;
  const int size_before = whole.packet().data_len;
  if (is_translated) {
    (void)translate_packet(whole.packet(), whole.layers(), outcome.translated, track);
  }
  if (outcome.is_helped) {
    help_packet(*worker.shared->tracker, whole.packet(), whole.layers(), track, is_translated);
  }
  make_own(worker, parts);
  const int growth = whole.packet().data_len - size_before;
  HeldFragment& last = parts.back();
  const bool has_room = growth == 0 || (last.packet != nullptr && whole.resize(last, growth));
  if (!has_room) return drop_all(worker, parts, DropReason::kNoBuffer);
  for (const HeldFragment& part : parts) {
    if (part.packet != nullptr) whole.write_back(part);
  }
  return true;
}

}  // namespace hoist::software

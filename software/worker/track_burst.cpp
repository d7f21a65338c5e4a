// SPDX-License-Identifier: BSD-3-Clause
#include <rte_mbuf.h>
#include <rte_prefetch.h>

#include "conntrack/help_packet.hpp"
#include "conntrack/packet_facts.hpp"
#include "conntrack/window_facts.hpp"
#include "pipeline/track_op.hpp"
#include "worker/branch.hpp"
#include "worker/burst.hpp"
#include "worker/execute.hpp"
#include "worker/own_packet.hpp"

namespace hoist::software {
namespace {

using Companion = FlowCache::Companion;

/// What the packets at hand are to tracking, as far as their connections are not known.
struct Strangers {
  std::array<TrackedPacket, kBurst> facts;
  std::uint32_t seen = 0;  ///< Packets of which `facts` is set.
};

const std::uint8_t* frame_of(const rte_mbuf* packet) {
  return rte_pktmbuf_mtod(packet, const std::uint8_t*);
}

/// One regular packet at its first ct, with a table to go on in.
class Tracking {
 public:
  Tracking(Worker& worker, Burst& burst, std::uint32_t i)
      : worker_(worker),
        burst_(burst),
        i_(i),
        frame_(frame_of(burst.packets[i])),
        first_(burst.segments[i]),
        data_(code().data() + code().ops()[0].d),
        branch_(*reinterpret_cast<const TrackBranch*>(data_)) {}

  /// Asks for the memory that run() will look at.
  void prepare(Strangers& strangers) const {
    const Companion* known = companion();
    if (known == nullptr) {
      strangers.facts[i_] = facts();
      strangers.seen |= 1u << i_;
      return worker_.shared->tracker->prefetch(strangers.facts[i_].tuple);
    }
    const Connection& connection = worker_.shared->tracker->table().at(known->connection.index);
    rte_prefetch0(&connection);
    rte_prefetch0(&connection.reply);
    rte_prefetch0(&worker_.segments->at(known->next.index));
  }

  void run(const Strangers& strangers) {
    rte_mbuf* packet = burst_.packets[i_];
    worker_.segments->at(first_.index).count(1, packet->pkt_len, worker_.now_ms);
    TrackOutcome outcome;
    is_followed_ = follow(outcome);
    if (!is_followed_) {
      const bool is_seen = (strangers.seen >> i_ & 1) != 0;
      outcome =
          worker_.shared->tracker->track(branch_.request, is_seen ? strangers.facts[i_] : facts(),
                                         moment_of(worker_), journey_.track);
    }
    burst_.segments[i_] = {SegmentStore::kNone, 0};
    if (outcome.refusal == TrackOutcome::Refusal::kNatExhausted) {
      return drop(worker_, packet, DropReason::kNatExhausted);
    }
    const bool is_translated = outcome.translated.family != 0;
    is_helped_ = outcome.is_helped;
    if (is_translated || is_helped_) {
      packet = burst_.packets[i_] = own_packet(worker_, packet);
      if (packet == nullptr) return worker_.count_drop(DropReason::kNoBuffer);
      Layers layers = regular_layers(frame_of(packet));
      if (is_translated) {
        (void)translate_packet(*packet, layers, outcome.translated, journey_.track);
      }
      if (is_helped_) {
        help_packet(*worker_.shared->tracker, *packet, layers, journey_.track, is_translated);
      }
    }
    go_on(packet);
  }

 private:
  [[nodiscard]] const SegmentCode& code() const { return *worker_.segments->at(first_.index).code; }
  [[nodiscard]] Companion* companion() const {
    if (burst_.entries[i_] == Burst::kNoEntry) return nullptr;
    Companion& known = worker_.cache.companion(burst_.entries[i_]);
    return known.connection.is_none() ? nullptr : &known;
  }

  [[nodiscard]] TrackedPacket facts() const {
    return packet_facts(*burst_.packets[i_], regular_layers(frame_), branch_.request.zone);
  }

  /// The short way, if the connection is known.
  bool follow(TrackOutcome& outcome) {
    const Companion* known = companion();
    if (known == nullptr) return false;
    FollowingPacket facts;
    if (!window_facts(*burst_.packets[i_], frame_, facts)) return false;
    PacketTrack& track = journey_.track;
    track.connection = known->connection;
    track.is_reply = known->is_reply;
    if (worker_.shared->tracker->follow(branch_.request, facts, worker_.now_ms, track, outcome)) {
      return true;
    }
    track = {};
    return false;
  }

  void go_on(rte_mbuf* packet) {
    SegmentRef next = known_next();
    if (next.index == SegmentStore::kNone) {
      const Continuation found = find_continuation(
          worker_, burst_.in, {data_, first_, burst_.classes[i_]}, packet, journey_);
      if (found.segment.index == SegmentStore::kNone) return;
      next = found.segment;
      if (found.is_cacheable) remember(next);
    }
    Segment& segment = worker_.segments->at(next.index);
    const bool is_plain =
        segment.fate == SegmentFate::kOutput || segment.fate == SegmentFate::kDrop;
    if (is_plain) {
      burst_.segments[i_] = next;  // Runs with its neighbours.
    } else {
      journey_.has_layers = true;
      journey_.layers = regular_layers(frame_of(packet));
      run_segment(worker_, burst_.in, segment, packet, journey_);
    }
  }

  /// The segment that followed last time, if it holds for what was found now.
  SegmentRef known_next() {
    constexpr SegmentRef kNone{SegmentStore::kNone, 0};
    if (!is_followed_) return kNone;
    Companion& known = *companion();
    const PacketTrack& track = journey_.track;
    if (known.state != track.state || known.label_changes != track.label_changes) return kNone;
    const Segment& segment = worker_.segments->at(known.next.index);
    if (segment.generation != known.next.generation) return kNone;
    if (known.version != worker_.version) {
      const ChangeLog::Packet packet{.bridge = burst_.in.bridge,
                                     .in_port = to_integer(burst_.in.number),
                                     .table_bits = segment.table_bits,
                                     .packet_class = burst_.classes[i_],
                                     .window = frame_,
                                     .key = nullptr};
      if (worker_.shared->change_log->touches(packet, known.version, worker_.version)) return kNone;
      known.version = worker_.version;
    }
    return known.next;
  }

  /// Packets without a connection are not worth a place. Of echoes the cache's key does not tell
  /// which connection they belong to. What a helper reads does not go the short way.
  void remember(SegmentRef next) {
    const PacketTrack& track = journey_.track;
    const bool is_worth_it = !track.connection.is_none() && !track.is_related && !is_helped_ &&
                             burst_.classes[i_] != PacketClass::kIpv4Icmp &&
                             branch_.request.leaves_known_alone();
    if (!is_worth_it || !worker_.cache.is_enabled()) return;
    std::uint32_t& entry = burst_.entries[i_];
    if (entry == Burst::kNoEntry) {
      entry = worker_.cache.insert(burst_.keys[i_], burst_.hashes[i_], first_);
    }
    worker_.cache.companion(entry) = {.connection = track.connection,
                                      .next = next,
                                      .version = worker_.version,
                                      .label_changes = track.label_changes,
                                      .state = track.state,
                                      .is_reply = track.is_reply};
  }

  Worker& worker_;
  Burst& burst_;
  std::uint32_t i_;
  const std::uint8_t* frame_;
  SegmentRef first_;
  const std::uint64_t* data_;
  const TrackBranch& branch_;
  Journey journey_{.track = {}, .branches = 1};
  bool is_followed_ = false;
  bool is_helped_ = false;
};

}  // namespace

void track_burst(Worker& worker, Burst& burst) noexcept {
  for_each_bit(burst.tracked, [&](std::uint32_t i) {
    if (burst.entries[i] != Burst::kNoEntry) {
      rte_prefetch0(&worker.cache.companion(burst.entries[i]));
    }
  });
  Strangers strangers;
  for_each_bit(burst.tracked,
               [&](std::uint32_t i) { Tracking(worker, burst, i).prepare(strangers); });
  for_each_bit(burst.tracked, [&](std::uint32_t i) { Tracking(worker, burst, i).run(strangers); });
}

}  // namespace hoist::software

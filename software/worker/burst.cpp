// SPDX-License-Identifier: BSD-3-Clause
#include "worker/burst.hpp"

#include <rte_ether.h>
#include <rte_mbuf.h>
#include <rte_prefetch.h>

#include <algorithm>

#include "worker/execute.hpp"

namespace hoist::software {
namespace {

const std::uint8_t* frame_of(const rte_mbuf* packet) {
  return rte_pktmbuf_mtod(packet, const std::uint8_t*);
}

/// Stage: takes out what is not to be looked up: runts, and packets that hardware marked.
[[gnu::noinline]] void admit_one_by_one(Worker& worker, Burst& burst, rte_mbuf** packets,
                                        std::uint16_t count) {
  for (std::uint16_t i = 0; i < count; ++i) {
    rte_mbuf* packet = packets[i];
    const bool is_marked =
        (packet->ol_flags & RTE_MBUF_F_RX_FDIR_ID) != 0 && packet->hash.fdir.hi != 0;
    if (packet->data_len < RTE_ETHER_HDR_LEN) {
      drop(worker, packet, DropReason::kMalformed);
    } else if (is_marked) {
      worker.perf.marked.add(1);
      resume_packet(worker, burst.in, packet);
    } else {
      burst.packets[burst.count++] = packet;
    }
  }
}

void admit(Worker& worker, Burst& burst, rte_mbuf** packets, std::uint16_t count) {
  std::uint64_t flags = 0;
  std::uint16_t shortest = UINT16_MAX;
  for (std::uint16_t i = 0; i < count; ++i) {
    flags |= packets[i]->ol_flags;
    shortest = std::min(shortest, packets[i]->data_len);
    rte_prefetch0(frame_of(packets[i]));
  }
  if ((flags & RTE_MBUF_F_RX_FDIR_ID) != 0 || shortest < RTE_ETHER_HDR_LEN) [[unlikely]] {
    return admit_one_by_one(worker, burst, packets, count);
  }
  burst.count = count;
  std::copy_n(packets, count, burst.packets.begin());
}

/// Stage: finds the regular packets. Calls `visit(i)` for each; the others are left in `missed`.
template <class Visit>
void classify(Burst& burst, Visit visit) {
  for (std::uint32_t i = 0; i < burst.count; ++i) {
    const rte_mbuf* packet = burst.packets[i];
    const auto c = classify_window(frame_of(packet), packet->data_len, packet->pkt_len);
    if (!c) {
      burst.missed |= 1u << i;
      continue;
    }
    burst.regular |= 1u << i;
    burst.classes[i] = *c;
    visit(i);
  }
}

/// Stage: cuts cache keys out of regular packets and asks for their entries' memory.
void make_keys(Worker& worker, Burst& burst) {
  classify(burst, [&](std::uint32_t i) {
    const ClassMask& mask = burst.masks->of(burst.classes[i]);
    burst.hashes[i] =
        FlowCache::make_key(frame_of(burst.packets[i]), mask, worker.version, burst.keys[i]);
    worker.cache.prefetch_window(burst.hashes[i]);
  });
}

/// An entry of an older version, or not at its first place: does it hold now?
[[gnu::noinline]] bool find_older(Worker& worker, Burst& burst, std::uint32_t i) {
  FlowCache::WindowEntry* entry = worker.cache.find_any(burst.keys[i], burst.hashes[i]);
  if (entry == nullptr) return false;
  const Segment& segment = worker.segments->at(entry->segment.index);
  if (segment.generation != entry->segment.generation) return false;
  const auto since = static_cast<Datapath::Version>(entry->tag >> 32);
  if (since != worker.version) {
    const ChangeLog::Packet packet{.bridge = burst.in.bridge,
                                   .in_port = to_integer(burst.in.number),
                                   .table_bits = segment.table_bits,
                                   .packet_class = burst.classes[i],
                                   .window = frame_of(burst.packets[i]),
                                   .key = nullptr};
    if (worker.shared->change_log->touches(packet, since, worker.version)) return false;
    entry->tag = cache_tag(static_cast<std::uint32_t>(entry->tag), worker.version);
  }
  burst.segments[i] = entry->segment;
  burst.entries[i] = worker.cache.place_of(entry, burst.hashes[i]);
  return true;
}

/// Stage: finds the entries and asks for their segments' memory.
void probe(Worker& worker, Burst& burst) {
  for_each_bit(burst.regular, [&](std::uint32_t i) {
    const auto* entry = worker.cache.find_now(burst.keys[i], burst.hashes[i]);
    if (entry != nullptr) [[likely]] {
      burst.segments[i] = entry->segment;
      burst.entries[i] = worker.cache.first_place(burst.hashes[i]);
      rte_prefetch0(&worker.segments->at(entry->segment.index));
    } else if (!find_older(worker, burst, i)) {
      burst.missed |= 1u << i;
    }
  });
}

/// Stage: drops entries whose segment's place has been given to another path, and asks for the
/// memory of meters.
void check_segments(Worker& worker, Burst& burst) {
  for_each_bit(burst.regular & ~burst.missed, [&](std::uint32_t i) {
    const SegmentRef ref = burst.segments[i];
    const Segment& segment = worker.segments->at(ref.index);
    if (segment.generation != ref.generation) {
      burst.missed |= 1u << i;
    } else if (segment.fate == SegmentFate::kTrack) {
      burst.tracked |= 1u << i;
    }
    if (segment.meter != nullptr) rte_prefetch0(segment.meter);
  });
}

/// Packets whose neighbours have other segments, if all there is to do is to send or drop them.
class Singles {
 public:
  explicit Singles(Worker& worker) : worker_(worker) {}
  Singles(const Singles&) = delete;
  Singles& operator=(const Singles&) = delete;
  ~Singles() {
    send();
    if (dropped_count_ != 0) rte_pktmbuf_free_bulk(dropped_.data(), dropped_count_);
  }

  /// False: there is more to do, or the port does not take it. Else consumes the packet.
  bool run(Segment& segment, rte_mbuf* packet) {
    const std::uint32_t size = packet->pkt_len;
    if (segment.fate == SegmentFate::kDrop) {
      worker_.count_drop(segment.drop_reason);
      dropped_[dropped_count_++] = packet;
    } else if (segment.fate == SegmentFate::kOutput && size <= size_limit(segment.port_slot)) {
      sent_[sent_count_++] = packet;
    } else {
      return false;
    }
    segment.count(1, size, worker_.now_ms);
    return true;
  }

  /// Hands over what is to be sent: before others send anything.
  void send() {
    if (sent_count_ != 0) worker_.transmit.push(*worker_.view, slot_, sent_.data(), sent_count_);
    sent_count_ = 0;
  }

 private:
  /// Of the frames that may leave a port; the last port is remembered, and what goes there.
  std::uint32_t size_limit(std::uint16_t slot) {
    if (slot != slot_) {
      send();
      const PortView& port = worker_.view->ports[slot];
      slot_ = slot;
      size_limit_ = port.is_open() ? port.max_frame : 0;
    }
    return size_limit_;
  }

  Worker& worker_;
  std::uint16_t slot_ = kNoSlot;
  std::uint32_t size_limit_ = 0;
  std::uint32_t sent_count_ = 0;
  std::uint32_t dropped_count_ = 0;
  std::array<rte_mbuf*, kBurst> sent_;
  std::array<rte_mbuf*, kBurst> dropped_;
};

/// Stage: runs segments, neighbours with the same one together.
void run(Worker& worker, Burst& burst) {
  Singles singles(worker);
  for (std::uint32_t i = 0; i < burst.count;) {
    const std::uint32_t index = burst.segments[i].index;
    std::uint32_t end = i + 1;
    while (end < burst.count && burst.segments[end].index == index) ++end;
    // Without a segment, the packet has been dealt with.
    if (index != SegmentStore::kNone) {
      Segment& segment = worker.segments->at(index);
      if (end - i != 1 || !singles.run(segment, burst.packets[i])) {
        singles.send();
        run_segment(worker, burst.in, segment, &burst.packets[i], end - i);
      }
    }
    i = end;
  }
}

/// Nothing but in_port decides: one segment for all.
bool run_blind(Worker& worker, Burst& burst) {
  const Worker::PortSegment& known = worker.port_segments[burst.in.slot];
  if (known.tag != cache_tag(burst.masks->classes[0].id, worker.version)) return false;
  Segment& segment = worker.segments->at(known.segment.index);
  if (segment.generation != known.segment.generation) return false;
  worker.perf.unlooked.add(burst.count);
  worker.perf.end(Stage::kLookup);
  run_segment(worker, burst.in, segment, burst.packets.data(), burst.count);
  return true;
}

}  // namespace

void process_burst(Worker& worker, std::uint16_t slot, rte_mbuf** packets,
                   std::uint16_t count) noexcept {
  const PortView& port = worker.view->ports[slot];
  Burst burst;
  burst.in = {port.number, slot, port.bridge};
  burst.masks = port.masks.get();
  if ((port.flags & (PortFlags::kDown | PortFlags::kNoRecv)) != 0) [[unlikely]] {
    rte_pktmbuf_free_bulk(packets, count);
    return worker.count_drop(DropReason::kPortConfig, count);
  }
  admit(worker, burst, packets, count);
  if (burst.count == 0) return;
  if (burst.masks->is_blind && run_blind(worker, burst)) return;
  if (worker.cache.is_enabled() && !burst.masks->is_blind) {
    make_keys(worker, burst);
    probe(worker, burst);
    check_segments(worker, burst);
  } else {
    classify(burst, [](std::uint32_t) {});
    burst.missed = static_cast<std::uint32_t>((std::uint64_t{1} << burst.count) - 1);
  }
  worker.perf.end(Stage::kLookup);
  if (burst.missed != 0) {
    walk_missed(worker, burst);
    worker.perf.end(Stage::kWalk);
  }
  if (burst.tracked != 0) track_burst(worker, burst);
  run(worker, burst);
}

}  // namespace hoist::software

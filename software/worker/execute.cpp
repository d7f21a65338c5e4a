// SPDX-License-Identifier: BSD-3-Clause
#include "worker/execute.hpp"

#include <rte_ether.h>
#include <rte_mbuf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "conntrack/help_packet.hpp"
#include "conntrack/packet_facts.hpp"
#include "meter/meter.hpp"
#include "pipeline/edit_op.hpp"
#include "pipeline/track_op.hpp"
#include "worker/judge_fragments.hpp"
#include "worker/normal.hpp"
#include "worker/own_packet.hpp"
#include "worker/police.hpp"
#include "worker/records.hpp"

namespace hoist::software {
namespace {

/// One packet on its way through a segment's code.
class Run {
 public:
  Run(Worker& worker, const Ingress& in, const SegmentCode& code, rte_mbuf* packet,
      const Journey& journey)
      : worker_(worker),
        in_(in),
        code_(code),
        packet_(packet),
        journey_(journey),
        has_layers_(journey.has_layers),
        layers_(journey.layers) {}

  /// From op `first` on. Returns the meter op that dropped the packet, or null.
  const Op* run(std::size_t first) {
    const std::uint64_t* data = code_.data();
    for (const Op& op : code_.ops().subspan(first)) {
      if (is_lost_) break;
      switch (op.code) {
        case OpCode::kOutput:
          send(op.b, op.a == kTakesPacket);
          break;
        case OpCode::kFlood:
        case OpCode::kAll:
          flood(op);
          break;
        case OpCode::kNormal:
          normal(op);
          break;
        case OpCode::kController:
          controller(data + op.d);
          break;
        case OpCode::kTrack:
          track(op);
          break;
        case OpCode::kClearTrack:
          journey_.track = {};
          break;
        case OpCode::kDrop:
          count(static_cast<DropReason>(op.b));
          break;
        case OpCode::kMeter:
          meter(op);
          break;
        default:
          edit(op, data);
          break;
      }
    }
    if (!is_done_) worker_.count_drop(static_cast<DropReason>(code_.final_reason));
    if (packet_ != nullptr) rte_pktmbuf_free(packet_);
    return dropped_by_;
  }

 private:
  void count(DropReason reason) {
    worker_.count_drop(reason);
    is_done_ = true;
  }

  /// The packet, or a copy if it is needed again. Null: there was no buffer, which is counted.
  rte_mbuf* hand_out(bool takes_packet) {
    if (takes_packet) return std::exchange(packet_, nullptr);
    rte_mbuf* copy = rte_pktmbuf_copy(packet_, worker_.shared->pool, 0, UINT32_MAX);
    if (copy == nullptr) worker_.count_drop(DropReason::kNoBuffer);
    return copy;
  }

  void meter(const Op& op) {
    if (police(worker_, *meter_of(op), &packet_, 1).count != 0) return;
    packet_ = nullptr;
    is_lost_ = is_done_ = true;
    dropped_by_ = &op;
  }

  void send(std::uint16_t slot, bool takes_packet) {
    is_done_ = true;
    const PortView& port = worker_.view->ports[slot];
    if (const auto refusal = refuses(port)) return worker_.count_drop(*refusal);
    rte_mbuf* out = hand_out(takes_packet);
    if (out == nullptr) return;
    worker_.transmit.push(*worker_.view, slot, out);
  }
  [[nodiscard]] std::optional<DropReason> refuses(const PortView& port) const {
    if (!port.is_present || (port.flags & PortFlags::kDown) != 0) return DropReason::kPortGone;
    if ((port.flags & PortFlags::kNoFwd) != 0) return DropReason::kPortConfig;
    if (packet_->pkt_len > port.max_frame) return DropReason::kTooLong;
    return std::nullopt;
  }

  void flood(const Op& op) {
    const bool heeds_no_flood = op.code == OpCode::kFlood;
    send_to_all(PortNo{op.c}, heeds_no_flood, op.a == kTakesPacket);
  }
  void send_to_all(PortNo in_port, bool heeds_no_flood, bool takes_packet) {
    const std::uint32_t stay_out =
        PortFlags::kDown | PortFlags::kNoFwd | (heeds_no_flood ? PortFlags::kNoFlood : 0u);
    std::uint16_t last = kNoSlot;
    for (const std::uint16_t slot : worker_.view->bridges[in_.bridge].slots) {
      const PortView& port = worker_.view->ports[slot];
      if (port.number == in_port || (port.flags & stay_out) != 0) continue;
      if (last != kNoSlot) send(last, false);
      last = slot;
    }
    if (last != kNoSlot) send(last, takes_packet);
  }

  void normal(const Op& op) {
    const PortNo in_port{op.c};
    const NormalDecision decision = decide_normal(worker_, in_.bridge, in_port, *packet_);
    switch (decision.kind) {
      case NormalDecision::Kind::kNowhere:
        return;
      case NormalDecision::Kind::kFlood:
        return send_to_all(in_port, true, op.a == kTakesPacket);
      case NormalDecision::Kind::kPort: {
        const std::uint16_t slot = worker_.view->slot_of(in_.bridge, decision.port);
        if (slot == kNoSlot) return count(DropReason::kPortGone);
        return send(slot, op.a == kTakesPacket);
      }
    }
  }

  void controller(const std::uint64_t* data) {
    PacketInState state;
    std::memcpy(&state, data, sizeof state);
    data += sizeof state / sizeof *data;
    const std::uint16_t slot = worker_.view->slot_of(in_.bridge, PortNo{state.in_port});
    const bool is_port = slot != kNoSlot;
    if (is_port && (worker_.view->ports[slot].flags & PortFlags::kNoPacketIn) != 0) return;
    is_done_ = true;
    if (!may_go_to_controller()) return worker_.count_drop(DropReason::kMeter);
    const std::uint32_t frame_size = packet_->pkt_len;
    const auto room =
        worker_.to_control.reserve(sizeof(PacketInRecord) + state.userdata_size + frame_size);
    if (room.empty()) return worker_.count_drop(DropReason::kControllerFull);
    PacketInRecord record{.bridge = in_.bridge,
                          .reason = state.reason,
                          .table_id = state.table_id,
                          .rule = state.rule,
                          .controller_id = state.controller_id,
                          .max_len = state.max_len,
                          .userdata_size = state.userdata_size,
                          .frame_size = frame_size,
                          .key = {}};
    parse(*packet_, PortNo{state.in_port}, record.key);
    for (std::uint64_t m = state.state_map; m != 0; m &= m - 1) {
      words(record.key)[kPacketWords + static_cast<std::size_t>(std::countr_zero(m))] = *data++;
    }
    std::uint8_t* at = room.data();
    std::memcpy(at, &record, sizeof record);
    at += sizeof record;
    std::memcpy(at, data, state.userdata_size);
    copy_frame(at + state.userdata_size);
    worker_.to_control.commit();
  }
  /// OFPM_CONTROLLER: what it drops, only the controller does not see.
  [[nodiscard]] bool may_go_to_controller() const {
    const BridgeTables& bridge = *worker_.view->bridges[in_.bridge].tables;
    // Acquire: pairs with the release in set_meter(): the meter is there.
    Meter* meter = bridge.controller_meter.load(std::memory_order_acquire);
    if (meter == nullptr) return true;
    const auto length =
        static_cast<std::uint16_t>(std::min<std::uint32_t>(packet_->pkt_len, 0xffff));
    constexpr std::uint16_t kL3Offset = RTE_ETHER_HDR_LEN;
    MeterVerdict verdict;
    meter->police({&length, 1}, &kL3Offset, worker_.meter_time, verdict);
    return verdict.drop == 0;
  }
  void copy_frame(std::uint8_t* to) const {
    for (const rte_mbuf* m = packet_; m != nullptr; m = m->next) {
      std::memcpy(to, rte_pktmbuf_mtod(m, const void*), m->data_len);
      to += m->data_len;
    }
  }

  void edit(const Op& op, const std::uint64_t* data) {
    if (!make_own()) return;
    find_layers();
    apply_edit(*packet_, layers_, op, data);
    // Another tuple may be another connection's.
    if (is_tuple_edit(op)) journey_.track.connection = {};
  }
  void find_layers() {
    if (has_layers_) return;
    FlowKey key;
    layers_ = parse(*packet_, in_.number, key);
    has_layers_ = true;
  }
  static bool is_tuple_edit(const Op& op) {
    return op.code == OpCode::kSetField && field(FieldId{op.a}).prerequisite >= Prerequisite::kIp;
  }

  void track(const Op& op) {
    const std::uint64_t* data = code_.data() + op.d;
    const auto& branch = *reinterpret_cast<const TrackBranch*>(data);
    ConnectionTracker& tracker = *worker_.shared->tracker;
    TrackOutcome outcome;
    if (journey_.is_fragment || !tracker.track_again(branch.request, journey_.track, outcome)) {
      find_layers();
      if (layers_.has(Layers::kFragment)) {
        if (hold(op, branch)) return;
        journey_.track = {};  // Alone it belongs to nothing.
      }
      const TrackedPacket facts = packet_facts(*packet_, layers_, branch.request.zone);
      outcome = tracker.track(branch.request, facts, moment_of(worker_), journey_.track);
    }
    if (outcome.refusal == TrackOutcome::Refusal::kNatExhausted) {
      is_lost_ = true;
      return count(DropReason::kNatExhausted);
    }
    if (outcome.translated.family != 0) {
      if (!make_own()) return;
      find_layers();
      (void)translate_packet(*packet_, layers_, outcome.translated, journey_.track);
    }
    if (outcome.is_helped) {
      const bool is_translated = outcome.translated.family != 0;
      help_packet(tracker, *packet_, layers_, journey_.track, is_translated);
    }
    if (branch.has_table) fork(data, op.a == kTakesPacket);
  }

  /// Keeps a fragment until its packet is whole; then all of that goes on from here. False: it is
  /// none that may be kept.
  bool hold(const Op& op, const TrackBranch& branch) {
    const auto fragment = read_fragment(*packet_, layers_);
    if (!fragment) return false;
    const FragmentKey key = key_of(*fragment, op, branch);
    const auto admission = worker_.fragments->add(key, *fragment, packet_, worker_.now_ms);
    if (admission == FragmentTable::Admission::kRefused) return false;
    const bool was_done = std::exchange(is_done_, true);
    rte_mbuf* held = std::exchange(packet_, nullptr);
    // Without a table, what comes behind ct waits for the whole packet.
    is_lost_ = !branch.has_table;
    if (branch.has_table && op.a != kTakesPacket) {
      packet_ = rte_pktmbuf_copy(held, worker_.shared->pool, 0, UINT32_MAX);
      is_lost_ = packet_ == nullptr;
      if (is_lost_) worker_.count_drop(DropReason::kNoBuffer);
    }
    if (admission == FragmentTable::Admission::kComplete) release(key, op, branch, was_done);
    return true;
  }
  [[nodiscard]] FragmentKey key_of(const Fragment& fragment, const Op& op,
                                   const TrackBranch& branch) const {
    const auto before = code_.ops().first(static_cast<std::size_t>(&op - code_.ops().data()));
    const auto is_track = [](const Op& other) { return other.code == OpCode::kTrack; };
    FragmentKey key = fragment.key;
    key.in_port = to_integer(in_.number);
    key.zone = branch.request.zone;
    key.action = static_cast<std::uint16_t>(std::ranges::count_if(before, is_track));
    key.branches = static_cast<std::uint8_t>(journey_.branches);
    key.bridge = in_.bridge;
    return key;
  }
  void release(const FragmentKey& key, const Op& op, const TrackBranch& branch, bool was_done) {
    std::array<HeldFragment, FragmentTable::kPartsMost> held;
    const std::span<HeldFragment> parts(held.data(), worker_.fragments->take(key, held));
    Journey next{.track = journey_.track, .branches = journey_.branches, .is_fragment = true};
    if (!judge_fragments(worker_, branch.request, parts, next.track)) return;
    if (branch.has_table) ++next.branches;
    for (const HeldFragment& part : parts) {
      if (part.packet == nullptr) continue;
      if (branch.has_table) {
        branch_off(worker_, in_, code_.data() + op.d, part.packet, next);
        continue;
      }
      Run rest(worker_, in_, code_, part.packet, next);
      rest.is_done_ = was_done;
      rest.run(static_cast<std::size_t>(&op - code_.ops().data()) + 1);
    }
  }

  void fork(const std::uint64_t* data, bool takes_packet) {
    is_done_ = true;
    rte_mbuf* out = hand_out(takes_packet);
    if (out == nullptr) return;
    branch_off(worker_, in_, data, out,
               {.track = journey_.track, .branches = journey_.branches + 1});
  }

  bool make_own() {
    packet_ = own_packet(worker_, packet_);
    is_lost_ = packet_ == nullptr;
    if (is_lost_) count(DropReason::kNoBuffer);
    return !is_lost_;
  }

  Worker& worker_;
  const Ingress& in_;
  const SegmentCode& code_;
  rte_mbuf* packet_;
  Journey journey_;
  bool is_done_ = false;  ///< It went somewhere, or its loss is counted.
  bool is_lost_ = false;
  bool has_layers_;
  Layers layers_;
  const Op* dropped_by_ = nullptr;
};

// A port that takes them all, all being short enough: the common case.
bool send_batch(Worker& worker, std::uint16_t slot, rte_mbuf** packets, std::uint32_t count,
                std::uint32_t longest) {
  const PortView& port = worker.view->ports[slot];
  if (!port.is_open() || longest > port.max_frame) return false;
  worker.transmit.push(*worker.view, slot, packets, count);
  return true;
}

/// Packets one by one from op `first` on. What a meter drops before further lookups counts for the
/// rules up to it alone.
void run_code(Worker& worker, const Ingress& in, Segment& segment, std::size_t first,
              std::span<rte_mbuf*> packets, const Journey& journey = {}) {
  TrafficCount count;
  for (rte_mbuf* packet : packets) {
    const std::uint32_t size = packet->pkt_len;
    const Op* dropped_by = Run(worker, in, *segment.code, packet, journey).run(first);
    if (dropped_by != nullptr && dropped_by->c != SegmentStore::kNone) {
      worker.segments->at(dropped_by->c).count(1, size, worker.now_ms);
    } else {
      count += {1, size};
    }
  }
  segment.count(count.packets, count.bytes, worker.now_ms);
}

/// A segment that begins with meters: these are asked once for all packets.
void run_metered(Worker& worker, const Ingress& in, Segment& segment,
                 std::span<rte_mbuf*> packets) {
  const std::span<const Op> ops = segment.code->ops();
  std::size_t next = 0;
  for (; next < ops.size() && ops[next].code == OpCode::kMeter && !packets.empty(); ++next) {
    const Policed left = police(worker, *meter_of(ops[next]), packets.data(),
                                static_cast<std::uint32_t>(packets.size()));
    const std::uint64_t dropped = packets.size() - left.count;
    const bool goes_on = ops[next].c != SegmentStore::kNone;
    Segment& counts = goes_on ? worker.segments->at(ops[next].c) : segment;
    if (dropped != 0) counts.count(dropped, left.dropped_bytes, worker.now_ms);
    packets = packets.first(left.count);
  }
  if (!packets.empty()) run_code(worker, in, segment, next, packets);
}

}  // namespace

void run_segment(Worker& worker, const Ingress& in, Segment& segment, rte_mbuf** packets,
                 std::uint32_t count) noexcept {
  std::uint64_t bytes = 0;
  std::uint32_t longest = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    bytes += packets[i]->pkt_len;
    longest = std::max(longest, packets[i]->pkt_len);
  }
  if (segment.fate == SegmentFate::kRun) {
    const std::span<rte_mbuf*> all(packets, count);
    if (segment.meter != nullptr) return run_metered(worker, in, segment, all);
    return run_code(worker, in, segment, 0, all);
  }
  segment.count(count, bytes, worker.now_ms);
  std::size_t first = 0;
  switch (segment.fate) {
    case SegmentFate::kMeter:
      count = police(worker, *segment.meter, packets, count).count;
      first = 1;
      [[fallthrough]];
    case SegmentFate::kOutput:
      if (send_batch(worker, segment.port_slot, packets, count, longest)) return;
      break;
    case SegmentFate::kDrop:
      rte_pktmbuf_free_bulk(packets, count);
      return worker.count_drop(segment.drop_reason, count);
    case SegmentFate::kRun:
    case SegmentFate::kTrack:
      break;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    Run(worker, in, *segment.code, packets[i], {}).run(first);
  }
}

void run_segment(Worker& worker, const Ingress& in, Segment& segment, rte_mbuf* packet,
                 const Journey& journey) noexcept {
  const bool is_plain = segment.fate != SegmentFate::kRun && segment.fate != SegmentFate::kTrack;
  if (is_plain) return run_segment(worker, in, segment, &packet, 1);
  run_code(worker, in, segment, 0, {&packet, 1}, journey);
}

void run_loose(Worker& worker, const Ingress& in, const SegmentCode& code, rte_mbuf* packet,
               const Journey& journey) noexcept {
  const std::uint32_t size = packet->pkt_len;
  const Op* dropped_by = Run(worker, in, code, packet, journey).run(0);
  const std::size_t steps = dropped_by == nullptr ? code.step_count : dropped_by->b;
  for (const Step& step : code.steps().first(steps)) {
    LooseTableCount& table = worker.loose_tables[step.bridge][step.table_id];
    table.lookups.add(1);
    if (step.rule == RuleId::kNone) continue;
    table.matches.add(1);
    LooseRuleCount& rule = worker.loose_rules[to_integer(step.rule)];
    rule.packets.add(1);
    rule.bytes.add(size);
    rule.last_used_ms.set(worker.now_ms);
  }
  // Release: pairs with the acquire of the control thread, which then sees the counts.
  if (code.step_count != 0) worker.has_loose_counts.store(true, std::memory_order_release);
}

void drop(Worker& worker, rte_mbuf* packet, DropReason reason) noexcept {
  rte_pktmbuf_free(packet);
  worker.count_drop(reason);
}

}  // namespace hoist::software

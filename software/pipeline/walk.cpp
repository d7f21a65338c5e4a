// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/walk.hpp"

#include <rte_mbuf.h>

#include <algorithm>
#include <cstring>

#include "packet/drop_precedence.hpp"
#include "packet/edit.hpp"
#include "pipeline/edit_op.hpp"
#include "pipeline/field_bits.hpp"
#include "pipeline/on_trail.hpp"
#include "pipeline/prerequisite.hpp"

namespace hoist::software {
namespace {

constexpr std::uint8_t kReasonNoMatch = 0, kReasonAction = 1, kReasonInvalidTtl = 2;

}  // namespace

Walker::Walker(rte_mbuf* copy) : copy_(copy), frames_(std::make_unique<Frame[]>(kFrames)) {}

Result<std::unique_ptr<Walker>> Walker::create(rte_mempool& pool) {
  rte_mbuf* copy = rte_pktmbuf_alloc(&pool);
  if (copy == nullptr) return failure(Errc::kFull, "no packet buffer for a worker's copy");
  return std::unique_ptr<Walker>(new Walker(copy));
}

Walker::~Walker() { rte_pktmbuf_free(copy_); }

void Walker::begin(const Place& place, const rte_mbuf& packet, const FlowKey& key,
                   const Layers& layers) {
  place_ = place;
  packet_ = &packet;
  key_ = key;
  layers_ = layers;
  ingress_ = in_port();
  needs_policing_ = is_policing_ = false;
  begin_again();
}

void Walker::begin_again() {
  is_dscp_open_ = false;
  has_copy_ = is_uncovered_ = is_stopped_ = runs_action_set_ = false;
  // Of a damaged packet the key does not tell how it is damaged.
  is_cacheable_ = !layers_.is_malformed();
  reason_ = DropReason::kRule;
  lookups_ = 0;
  depth_ = stack_size_ = 0;
  action_set_.clear();
  path_.reset();
  recorder_.reset();
}

void Walker::start_with(const Entry* entry) { start_ = {.entry = entry}; }

void Walker::start_at(std::uint8_t table_id) { start_ = {.table_id = table_id, .looks_up = true}; }

void Walker::start_at(std::uint8_t table_id, std::span<const FieldValue> stack) {
  start_at(table_id);
  start_.stack_size = std::min(stack.size(), kStack);
  std::copy_n(stack.begin(), start_.stack_size, start_stack_.begin());
  stack_size_ = start_.stack_size;
  stack_ = start_stack_;
  start_.is_behind_ct = true;
  start_key_ = key_;
}

void Walker::start_in(const Program& program, RuleId rule, std::uint8_t table_id) {
  start_ = {.program = &program, .rule = rule, .table_id = table_id};
}

const SegmentCode& Walker::finish() {
  run();
  if (needs_policing_) {
    // Once more, for this packet alone, with what its meters say of it.
    key_ = {};
    layers_ = parse(*packet_, ingress_, key_);
    if (start_.is_behind_ct) key_ = start_key_;
    begin_again();
    stack_size_ = start_.stack_size;
    if (stack_size_ != 0) stack_ = start_stack_;
    recorder_.leave();
    needs_policing_ = is_cacheable_ = false;
    is_policing_ = true;
    run();
  }
  if (path_.is_full()) reason_ = DropReason::kTooDeep;
  return path_.finish(reason_);
}

void Walker::run() {
  if (start_.program != nullptr) {
    frames_[depth_++] = {start_.program, 0, 0, start_.table_id, start_.rule};
  } else if (start_.looks_up) {
    frames_[depth_++] = {nullptr, 0, 0, start_.table_id, RuleId::kNone};
    look_up(start_.table_id, in_port(), Miss::kDrops, true);
  } else {
    enter(start_.entry, 0, 0, Miss::kDrops, false);
  }
  run_frames(0);
  if (!is_stopped_ || runs_action_set_) run_action_set();
}

// The outermost frame stays when it is done: the action set runs in its name.
void Walker::run_frames(std::size_t base) {
  while (!is_stopped_ && depth_ > base) {
    Frame& f = frame();
    if (f.next < f.program->op_count) {
      run_op(*f.program, f.program->ops()[f.next++]);
    } else if (depth_ > 1) {
      --depth_;
    } else {
      return;
    }
  }
}

void Walker::run_action_set() {
  if (action_set_.is_empty()) return;
  is_stopped_ = runs_action_set_ = false;
  depth_ = 1;
  const auto items = action_set_.in_order();
  std::array<ActionSet::Item, 256> copy;  // A rule reached from here may write into the set.
  const auto end = std::ranges::copy(items, copy.begin()).out;
  for (auto item = copy.begin(); item != end && !is_stopped_; ++item) {
    run_op(*item->program, *item->op);
    run_frames(1);
    depth_ = 1;
  }
}

void Walker::run_op(const Program& program, const Op& op) {
  const std::uint64_t* data = program.data();
  if (!stays_on_trail(op) || (recorder_.is_tracked() && asks_tracking(op))) recorder_.leave();
  switch (op.code) {
    case OpCode::kOutput:
      return output(PortNo{op.c}, op.b);
    case OpCode::kController:
      return controller(op, op.a, data + op.d + 1, static_cast<std::uint32_t>(data[op.d]));
    case OpCode::kSetField: {
      FieldValue value;
      FieldValue mask;
      std::memcpy(value.data(), data + op.d, 16);
      std::memcpy(mask.data(), data + op.d + 2, 16);
      return set(FieldId{op.a}, value, mask);
    }
    case OpCode::kDecTtl:
    case OpCode::kDecMplsTtl:
      return dec_ttl(op, data + op.d);
    case OpCode::kMeter:
      return meter(*meter_of(op));
    case OpCode::kSetVlan:
    case OpCode::kPushVlan:
    case OpCode::kPopVlan:
    case OpCode::kPushMpls:
    case OpCode::kPopMpls:
    case OpCode::kCopyTtlOut:
    case OpCode::kCopyTtlIn:
      return edit(op, data);
    case OpCode::kMove:
      return move(op);
    case OpCode::kOutputReg: {
      const PackedBits bits = PackedBits::of(op.c);
      const std::uint64_t port = low64(read(FieldId{op.a}, bits.start, bits.count));
      return output(PortNo{static_cast<std::uint32_t>(port)}, op.b);
    }
    case OpCode::kStackPush: {
      if (stack_size_ == kStack) return stop(DropReason::kTooDeep);
      const PackedBits bits = PackedBits::of(op.c);
      stack_[stack_size_++] = read(FieldId{op.a}, bits.start, bits.count);
      return;
    }
    case OpCode::kStackPop:
      return pop_stack(op);
    case OpCode::kResubmit:
      return resubmit(op);
    case OpCode::kExit:
      is_stopped_ = runs_action_set_ = true;
      return;
    case OpCode::kClear:
      return action_set_.clear();
    case OpCode::kWrite:
      ++frame().next;
      if (!action_set_.write(program, op)) stop(DropReason::kTooDeep);
      return;
    case OpCode::kMetadata:
      return write_metadata(data + op.d);
    case OpCode::kGoto:
      return look_up(op.a, in_port(), Miss::kDrops, true);
    case OpCode::kTrack:
      return track(data + op.d);
    case OpCode::kClearTrack:
      clear_tracked(key_);
      return path_.emit(op);
    case OpCode::kFlood:
    case OpCode::kAll:
    case OpCode::kNormal:
    case OpCode::kDrop:
      return;  // Only in segments.
  }
}

void Walker::stop(DropReason reason) noexcept {
  is_stopped_ = true;
  runs_action_set_ = false;
  reason_ = reason;
}

void Walker::read_key() noexcept {
  if (is_uncovered_) is_cacheable_ = false;
}

void Walker::read_dscp() noexcept {
  if (!is_dscp_open_) return;
  needs_policing_ = true;
  stop(DropReason::kMeter);
}

bool Walker::consults_dscp(const Classifier& table) const {
  constexpr std::uint8_t kDscpBits = 0xfc;
  const FlowKey mask = table.consulted(in_port(), packet_class(key_));
  return (mask.ip_tos & kDscpBits) != 0;
}

void Walker::look_up(std::uint8_t table_id, PortNo as_in_port, Miss miss, bool is_goto) {
  const Frame& from = frame();
  if (++lookups_ > kMaxLookups || from.depth >= kMaxDepth) return stop(DropReason::kTooDeep);
  const bool goes_back = table_id <= from.table_id && !is_goto;
  const auto depth = static_cast<std::uint16_t>(from.depth + (goes_back ? 1 : 0));
  read_key();
  // A trail keeps neither what an edit has made of the packet nor other ports.
  const bool is_as_received = !has_copy_ && as_in_port == ingress_ && in_port() == ingress_;
  if (!is_as_received || table_id >= kTableCount) recorder_.leave();
  recorder_.look_up(table_id, key_);
  const Entry* entry = nullptr;
  const BridgeTables& tables = *place_.view->bridges[place_.bridge].tables;
  if (const Classifier* table = table_id < kTableCount ? tables.table(table_id) : nullptr) {
    const Be32 own = key_.in_port;
    key_.in_port = Be32{to_integer(as_in_port)};
    if (is_dscp_open_ && consults_dscp(*table)) read_dscp();
    entry = table->lookup(key_, place_.version);
    key_.in_port = own;
  }
  enter(entry, table_id, depth, miss, is_goto);
}

void Walker::enter(const Entry* entry, std::uint8_t table_id, std::uint16_t depth, Miss miss,
                   bool is_goto) {
  const RuleId rule = entry == nullptr ? RuleId::kNone : entry->rule;
  recorder_.found(entry);
  path_.step({.rule = rule, .table_id = table_id, .bridge = place_.bridge});
  if (entry == nullptr) {
    if (miss == Miss::kDrops) stop(DropReason::kTableMiss);
    return;
  }
  if (is_goto) --depth_;
  frames_[depth_++] = {entry->program, 0, depth, table_id, rule};
}

void Walker::resubmit(const Op& op) {
  const std::uint8_t table_id = op.a == 255 ? frame().table_id : op.a;
  const PortNo as = PortNo{op.c} == PortNo::kInPort ? in_port() : PortNo{op.c};
  look_up(table_id, as, Miss::kIsNothing, false);
}

void Walker::output(PortNo port, std::uint16_t max_len) {
  switch (port) {
    case PortNo::kInPort:
      return send(in_port());
    case PortNo::kTable:
      return look_up(0, in_port(), Miss::kDrops, false);
    case PortNo::kNormal:
      return path_.emit({.code = OpCode::kNormal, .c = to_integer(in_port())});
    case PortNo::kFlood:
      return path_.emit({.code = OpCode::kFlood, .c = to_integer(in_port())});
    case PortNo::kAll:
      return path_.emit({.code = OpCode::kAll, .c = to_integer(in_port())});
    case PortNo::kController:
      return controller({.code = OpCode::kController, .b = max_len}, kReasonOfOutput, nullptr, 0);
    default:
      if (port != in_port()) return send(port);
      path_.emit({.code = OpCode::kDrop, .b = to_integer(DropReason::kIngressPort)});
  }
}

void Walker::send(PortNo port) {
  const std::uint16_t slot = place_.view->slot_of(place_.bridge, port);
  if (slot != kNoSlot) return path_.emit({.code = OpCode::kOutput, .b = slot});
  path_.emit({.code = OpCode::kDrop, .b = to_integer(DropReason::kPortGone)});
}

void Walker::controller(const Op& op, std::uint8_t reason, const void* userdata,
                        std::uint32_t size) {
  const Frame& f = frame();
  if (reason == kReasonOfOutput) {
    reason = f.program->is_table_miss ? kReasonNoMatch : kReasonAction;
  }
  path_.controller({.rule = to_integer(f.rule),
                    .table_id = f.table_id,
                    .reason = reason,
                    .controller_id = static_cast<std::uint16_t>(op.c),
                    .max_len = op.b,
                    .userdata_size = size,
                    .in_port = to_integer(in_port())},
                   key_, userdata);
}

void Walker::meter(Meter& meter) {
  // Whoever changes packets may send them different ways.
  if (is_policing_ || meter.may_remark()) recorder_.leave();
  if (is_policing_) return police(meter);
  is_dscp_open_ |= meter.may_remark();
  path_.meter(meter);
}

void Walker::police(Meter& meter) {
  const std::uint32_t size = has_copy_ ? copy_->pkt_len : packet_->pkt_len;
  const auto length = static_cast<std::uint16_t>(std::min<std::uint32_t>(size, 0xffff));
  MeterVerdict verdict;
  meter.police({&length, 1}, &layers_.l2_end, place_.meter_time, verdict);
  if (verdict.drop != 0) {
    path_.emit({.code = OpCode::kDrop, .b = to_integer(DropReason::kMeter)});
    return stop(DropReason::kMeter);
  }
  if (verdict.remark == 0 || !layers_.is_ip()) return;
  copy_packet();
  const std::uint8_t before = dscp_of(*copy_, layers_);
  const std::uint8_t after = raised_drop_precedence(before, verdict.prec_level[0]);
  const Field& dscp = field(FieldId::kIpDscp);
  if (after != before) set(dscp.id, field_value(after), full_mask(dscp));
}

void Walker::copy_packet() {
  if (has_copy_) return;
  has_copy_ = true;
  rte_pktmbuf_reset(copy_);
  const std::uint16_t room = rte_pktmbuf_tailroom(copy_);
  const std::uint16_t size = std::min(packet_->data_len, room);
  std::memcpy(rte_pktmbuf_mtod(copy_, void*), rte_pktmbuf_mtod(packet_, void*), size);
  copy_->data_len = size;
  copy_->pkt_len = packet_->pkt_len;  // Its length is what it says of itself, though it is cut.
}

void Walker::edit(const Op& op, const std::uint64_t* data) {
  copy_packet();
  is_uncovered_ |= uncovers(op, key_);
  apply_edit(*copy_, layers_, op, data);
  layers_ = parse(*copy_, in_port(), key_);
  if (op.code != OpCode::kSetField) path_.emit(op);
}

void Walker::set(FieldId id, const FieldValue& value, const FieldValue& mask) {
  const Field& f = field(id);
  if (!is_packet_field(f)) return hoist::set_field(key_, f, value, mask);
  std::array<std::uint64_t, 4> data;
  std::memcpy(&data[0], value.data(), 16);
  std::memcpy(&data[2], mask.data(), 16);
  edit({.code = OpCode::kSetField, .a = to_integer(id)}, data.data());
  path_.set_field(id, value, mask);
}

void Walker::dec_ttl(const Op& op, const std::uint64_t* data) {
  read_key();
  const bool is_mpls = op.code == OpCode::kDecMplsTtl;
  const bool is_there = is_mpls ? wire::is_mpls(key_.eth_type.host()) && layers_.mpls_count != 0
                                : wire::is_ip(key_.eth_type.host());
  if (!is_there) return;
  const std::uint32_t ttl = is_mpls ? key_.mpls_lse.host() & 0xff : key_.ip_ttl;
  if (ttl > 1) return edit({.code = op.code}, nullptr);
  static constexpr std::uint64_t kPlain[] = {0};
  if (is_mpls) return expire(kPlain, 1);
  expire(data + 1, data[0]);
}

void Walker::expire(const std::uint64_t* controllers, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto id = static_cast<std::uint32_t>(controllers[i]);
    controller({.code = OpCode::kController, .b = 0xffff, .c = id}, kReasonInvalidTtl, nullptr, 0);
  }
  path_.emit({.code = OpCode::kDrop, .b = to_integer(DropReason::kTtlExpired)});
  stop(DropReason::kTtlExpired);
}

void Walker::move(const Op& op) {
  const FieldId source{op.a};
  const FieldId target{static_cast<std::uint8_t>(op.b)};
  if (!is_met(field(source).prerequisite, key_) || !is_met(field(target).prerequisite, key_))
    return;
  const PackedBits bits = PackedBits::of(op.c);
  write(target, bits.target_start, bits.count, read(source, bits.start, bits.count));
}

void Walker::pop_stack(const Op& op) {
  if (stack_size_ == 0) return;
  const FieldValue& value = stack_[--stack_size_];
  const PackedBits bits = PackedBits::of(op.c);
  if (!is_met(field(FieldId{op.a}).prerequisite, key_)) return;
  write(FieldId{op.a}, bits.start, bits.count, value);
}

void Walker::write_metadata(const std::uint64_t* data) {
  key_.metadata = Be64{(key_.metadata.host() & ~data[1]) | (data[0] & data[1])};
}

// The packet goes on in a table of its own when it is tracked; here it is untracked from now on
// (ovs-actions(7)).
void Walker::track(const std::uint64_t* data) {
  TrackCode code;
  std::memcpy(static_cast<void*>(&code), data, sizeof code);
  read_key();
  TrackBranch branch{.request = resolve_track(data, key_),
                     .in_port = to_integer(in_port()),
                     .table_id = code.table_id,
                     .has_table = code.has_table,
                     .stack_count = 0,
                     .state_map = 0};
  clear_tracked(key_);
  // What other rules have put into the action set cannot go with it yet.
  if (code.has_table && !action_set_.is_empty()) return stop(DropReason::kAction);
  path_.track(branch, key_, {stack_.data(), stack_size_});
}

FieldValue Walker::read(FieldId id, unsigned start, unsigned count) {
  read_key();
  if (id == FieldId::kIpDscp || id == FieldId::kIpTos) read_dscp();
  return extract_bits(get_field(key_, field(id)), start, count);
}

void Walker::write(FieldId id, unsigned start, unsigned count, const FieldValue& value) {
  FieldValue ones;
  ones.fill(0xff);
  const FieldValue mask = deposit_bits(ones, start, count);
  FieldValue shifted = deposit_bits(value, start, count);
  for (std::size_t i = 0; i < shifted.size(); ++i) shifted[i] &= mask[i];
  set(id, shifted, mask);
}

}  // namespace hoist::software

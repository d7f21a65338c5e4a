// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/effects.hpp"

#include <algorithm>
#include <cstring>

#include "hoist/field.hpp"
#include "pipeline/field_bits.hpp"
#include "pipeline/track_op.hpp"

namespace hoist::software {
namespace {

FlowKey bits_of(FieldId id, unsigned start, unsigned count) {
  FieldValue ones;
  ones.fill(0xff);
  FlowKey out{};
  const FieldValue mask = deposit_bits(ones, start, count);
  set_field(out, field(id), mask, mask);
  return out;
}
FlowKey all_of(FieldId id) { return bits_of(id, 0, field(id).bits); }

class EffectsFinder {
 public:
  EffectsFinder(const Program& program, std::uint8_t table_id)
      : program_(program), table_id_(table_id) {}

  Effects find() {
    for (const Op& op : program_.ops()) visit(op);
    return std::move(out_);
  }

 private:
  void visit(const Op& op) {
    const PackedBits bits = PackedBits::of(op.c);
    switch (op.code) {
      case OpCode::kSetField:
        return writes(FieldId{op.a}, 0, field(FieldId{op.a}).bits, &op);
      case OpCode::kMove: {
        const FieldId source{op.a};
        const FieldId target{static_cast<std::uint8_t>(op.b)};
        reads_prerequisite(source);
        reads(bits_of(source, bits.start, bits.count));
        return writes(target, bits.target_start, bits.count, nullptr);
      }
      case OpCode::kStackPop:
        return writes(FieldId{op.a}, bits.start, bits.count, nullptr);
      case OpCode::kOutputReg:
      case OpCode::kStackPush:
        return reads(bits_of(FieldId{op.a}, bits.start, bits.count));
      case OpCode::kDecTtl:
        reads_layout();
        reads(all_of(FieldId::kIpTtl));
        return merge_writes(all_of(FieldId::kIpTtl));
      case OpCode::kDecMplsTtl:
      case OpCode::kCopyTtlOut:
      case OpCode::kCopyTtlIn:
        reads_layout();
        reads_lse();
        return merge_writes(all_of(FieldId::kMplsTtl));
      case OpCode::kMeter:  // A band may remark, if not now then later.
        return merge_writes(all_of(FieldId::kIpDscp));
      case OpCode::kSetVlan:
      case OpCode::kPushVlan:
      case OpCode::kPopVlan:
        return writes_tags();
      case OpCode::kPushMpls:
      case OpCode::kPopMpls:
        reads_layout();
        reads_lse();
        reads(all_of(FieldId::kIpTtl));
        return writes_anything();
      case OpCode::kResubmit:
        out_.targets.set(op.a == 255 ? table_id_ : op.a);
        if (PortNo{op.c} != PortNo::kInPort) out_.in_ports.push_back(PortNo{op.c});
        return;
      case OpCode::kTrack:
        return tracks(program_.data() + op.d);
      case OpCode::kGoto:
        return (void)out_.targets.set(op.a);
      case OpCode::kOutput:
        if (PortNo{op.c} == PortNo::kTable) out_.targets.set(0);
        return;
      default:
        return;
    }
  }

  void reads(const FlowKey& mask) { hoist::software::merge(out_.reads, packet_mask(mask)); }
  void merge_writes(const FlowKey& mask) { hoist::software::merge(out_.writes, packet_mask(mask)); }

  // A tuple decides what becomes of the packet behind ct; with NAT it changes.
  void tracks(const std::uint64_t* data) {
    TrackCode code;
    std::memcpy(static_cast<void*>(&code), data, sizeof code);
    reads_layout();
    FlowKey tuple{};
    tuple.nw_src = tuple.nw_dst = Be32{0xffffffff};
    tuple.ipv6_src.fill(0xff);
    tuple.ipv6_dst.fill(0xff);
    tuple.tp_src = tuple.tp_dst = Be16{0xffff};
    reads(tuple);
    if (code.request.translates) merge_writes(tuple);
    if (code.has_table) out_.targets.set(code.table_id);
    if (code.has_zone_field) reads(bits_of(FieldId{code.zone_field}, code.zone_start, 16));
    const auto* at = reinterpret_cast<const std::uint8_t*>(data) + sizeof code;
    for (unsigned i = 0; i < code.exec_count; ++i, at += sizeof(TrackExec)) {
      TrackExec exec;
      std::memcpy(static_cast<void*>(&exec), at, sizeof exec);
      const PackedBits bits = PackedBits::of(exec.bits);
      if (exec.is_move) reads(bits_of(FieldId{exec.source}, bits.start, bits.count));
    }
  }

  // Which headers there are decides what an edit can touch.
  void reads_layout() {
    FlowKey mask{};
    mask.eth_type = Be16{0xffff};
    mask.ip_proto = mask.ip_frag = 0xff;
    mask.vlan_tci = mask.inner_vlan_tci = Be16{kVlanPresent};
    reads(mask);
  }
  void reads_lse() {
    FlowKey mask{};
    mask.mpls_lse = Be32{0xffffffff};
    reads(mask);
  }
  void reads_prerequisite(FieldId id) {
    if (field(id).prerequisite == Prerequisite::kNone) return;
    reads_layout();
    if (field(id).prerequisite < Prerequisite::kNd) return;
    FlowKey mask{};
    mask.tp_src = mask.tp_dst = Be16{0xffff};
    reads(mask);
  }

  void writes_tags() {
    reads_layout();
    FlowKey mask{};
    mask.vlan_tci = mask.inner_vlan_tci = Be16{0xffff};
    reads(mask);
    merge_writes(mask);
    // A third tag may come to light.
    mask = {};
    mask.eth_type = Be16{0xffff};
    merge_writes(mask);
  }
  void writes_anything() {
    out_.changes_class = true;
    FlowKey all;
    std::memset(static_cast<void*>(&all), 0xff, sizeof all);
    all.in_port = Be32{0};
    merge_writes(all);
  }

  void writes(FieldId id, unsigned start, unsigned count, const Op* set) {
    const Field& f = field(id);
    if (id == FieldId::kInPort) return writes_in_port(set);
    if (f.offset >= kPacketWords * 8) return;
    reads_layout();
    reads_prerequisite(id);
    switch (id) {
      case FieldId::kVlanTci:
      case FieldId::kVlanVid:
        return writes_tags();
      case FieldId::kEthType:
      case FieldId::kIpProto:
      case FieldId::kMplsBos:
      case FieldId::kIcmpv6Type:
      case FieldId::kIcmpv6Code:
        reads_lse();
        return writes_anything();
      case FieldId::kNdSll:
      case FieldId::kNdTll:
        reads(all_of(id));  // Without the option there is nothing to write to.
        break;
      default:
        break;
    }
    merge_writes(bits_of(id, start, count));
  }
  void writes_in_port(const Op* set) {
    if (set == nullptr) {
      out_.moves_in_port = true;
      return;
    }
    FieldValue value;
    std::memcpy(value.data(), program_.data() + set->d, 16);
    out_.in_ports.push_back(PortNo{static_cast<std::uint32_t>(low64(value))});
  }

  const Program& program_;
  std::uint8_t table_id_;
  Effects out_;
};

}  // namespace

PacketMask packet_mask(const FlowKey& mask) noexcept {
  PacketMask out;
  std::memcpy(out.data(), &mask, sizeof out);
  return out;
}

void Effects::merge(const Effects& other) {
  targets |= other.targets;
  hoist::software::merge(reads, other.reads);
  hoist::software::merge(writes, other.writes);
  changes_class |= other.changes_class;
  moves_in_port |= other.moves_in_port;
  for (const PortNo port : other.in_ports) {
    if (std::ranges::find(in_ports, port) == in_ports.end()) in_ports.push_back(port);
  }
}

Effects effects_of(const Program& program, std::uint8_t table_id) {
  return EffectsFinder(program, table_id).find();
}

}  // namespace hoist::software

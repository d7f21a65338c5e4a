// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/track_op.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "packet/wire.hpp"
#include "pipeline/field_bits.hpp"
#include "pipeline/op.hpp"

namespace hoist::software {
namespace {

NatRange nat_range(const NatAction& nat) {
  using Kind = NatAction::Kind;
  NatRange out{};
  if (nat.kind == Kind::kSource) out.kind = NatKind::kSource;
  if (nat.kind == Kind::kDestination) out.kind = NatKind::kDestination;
  out.first = nat.first;
  out.last = nat.last == Ipv6Address{} ? nat.first : nat.last;
  out.first_port = nat.first_port;
  out.last_port = std::max(nat.first_port, nat.last_port);
  out.family = nat.family;
  out.flags = static_cast<std::uint8_t>((nat.is_persistent ? NatRange::kPersistent : 0) |
                                        (nat.is_random ? NatRange::kRandom : 0));
  return out;
}

Helper helper_of(std::uint16_t alg) {
  if (alg == kAlgFtp) return Helper::kFtp;
  return alg == kAlgTftp ? Helper::kTftp : Helper::kNone;
}

TrackExec exec_of(const SetFieldAction& a) {
  return {.target = to_integer(a.field),
          .source = 0,
          .is_move = false,
          .bits = 0,
          .value = a.value,
          .mask = a.mask};
}
TrackExec exec_of(const MoveAction& a) {
  return {.target = to_integer(a.target.field),
          .source = to_integer(a.source.field),
          .is_move = true,
          .bits = PackedBits{a.source.start, a.target.start, a.source.count}.packed(),
          .value = {},
          .mask = {}};
}

template <class T>
void append(std::vector<std::uint64_t>& data, const T& value) {
  static_assert(sizeof(T) % 8 == 0);
  const std::size_t at = data.size();
  data.resize(at + sizeof(T) / 8);
  std::memcpy(&data[at], &value, sizeof value);
}

/// Value and mask of one exec.
void work_out(const TrackExec& exec, const FlowKey& key, FieldValue& value, FieldValue& mask) {
  value = exec.value;
  mask = exec.mask;
  if (!exec.is_move) return;
  const PackedBits bits = PackedBits::of(exec.bits);
  const FieldValue from = get_field(key, field(FieldId{exec.source}));
  value = deposit_bits(extract_bits(from, bits.start, bits.count), bits.target_start, bits.count);
  FieldValue ones;
  ones.fill(0xff);
  mask = deposit_bits(ones, bits.target_start, bits.count);
}

void apply(FieldId target, const FieldValue& value, const FieldValue& mask, TrackRequest& request) {
  if (target == FieldId::kCtMark) {
    const auto m = static_cast<std::uint32_t>(low64(mask));
    const auto v = static_cast<std::uint32_t>(low64(value));
    request.mark = (request.mark & ~m) | (v & m);
    request.mark_mask |= m;
    return;
  }
  std::array<std::uint64_t, 2> v, m;
  std::memcpy(v.data(), value.data(), sizeof v);
  std::memcpy(m.data(), mask.data(), sizeof m);
  for (std::size_t i = 0; i < 2; ++i) {
    request.label[i] = (request.label[i] & ~m[i]) | (v[i] & m[i]);
    request.label_mask[i] |= m[i];
  }
}

}  // namespace

void compile_track(const CtAction& action, std::vector<std::uint64_t>& data) {
  TrackCode code{};
  code.request.commits = action.commit;
  code.request.forces = action.force;
  code.request.zone = action.zone;
  code.request.translates = action.nat.has_value();
  code.request.helper = helper_of(action.alg);
  if (action.nat) code.request.nat = nat_range(*action.nat);
  code.has_table = action.table_id.has_value();
  code.table_id = action.table_id.value_or(0);
  code.has_zone_field = action.zone_source.has_value();
  if (action.zone_source) {
    code.zone_field = to_integer(action.zone_source->field);
    code.zone_start = action.zone_source->start;
  }
  code.exec_count = static_cast<std::uint16_t>(action.exec.size());
  append(data, code);
  for (const CtAction::Exec& exec : action.exec) {
    append(data, std::visit([](const auto& a) { return exec_of(a); }, exec));
  }
}

TrackRequest resolve_track(const std::uint64_t* data, const FlowKey& key) noexcept {
  TrackCode code;
  std::memcpy(static_cast<void*>(&code), data, sizeof code);
  TrackRequest request = code.request;
  if (code.has_zone_field) {
    const FieldValue whole = get_field(key, field(FieldId{code.zone_field}));
    request.zone = static_cast<std::uint16_t>(low64(extract_bits(whole, code.zone_start, 16)));
  }
  const auto* at = reinterpret_cast<const std::uint8_t*>(data) + sizeof code;
  for (unsigned i = 0; i < code.exec_count; ++i, at += sizeof(TrackExec)) {
    TrackExec exec;
    std::memcpy(static_cast<void*>(&exec), at, sizeof exec);
    FieldValue value, mask;
    work_out(exec, key, value, mask);
    apply(FieldId{exec.target}, value, mask, request);
  }
  return request;
}

void clear_tracked(FlowKey& key) noexcept {
  key.ct_state = Be32{0};
  key.ct_mark = Be32{0};
  key.ct_zone = Be16{0};
  key.ct_nw_proto = 0;
  key.ct_label = {};
  key.ct_nw_src = key.ct_nw_dst = Be32{0};
  key.ct_tp_src = key.ct_tp_dst = Be16{0};
  key.ct_ipv6_src = key.ct_ipv6_dst = {};
}

void write_tracked(const PacketTrack& track, FlowKey& key) noexcept {
  clear_tracked(key);
  key.ct_state = Be32{track.state};
  if (track.state == 0) return;
  key.ct_zone = Be16{track.zone};
  key.ct_mark = Be32{track.mark};
  std::memcpy(key.ct_label.data(), track.label.data(), sizeof track.label);
  const Tuple& t = track.original;
  if (t.family == 0) return;
  key.ct_nw_proto = t.ip_proto;
  if (t.family == 4) {
    std::memcpy(static_cast<void*>(&key.ct_nw_src), t.src.data(), 4);
    std::memcpy(static_cast<void*>(&key.ct_nw_dst), t.dst.data(), 4);
  } else {
    key.ct_ipv6_src = t.src;
    key.ct_ipv6_dst = t.dst;
  }
  const bool is_icmp = t.ip_proto == (t.family == 4 ? wire::kIpIcmp : wire::kIpIcmpv6);
  const std::uint16_t type_code = t.dst_port.host();
  key.ct_tp_src = is_icmp ? Be16{static_cast<std::uint16_t>(type_code >> 8)} : t.src_port;
  key.ct_tp_dst = is_icmp ? Be16{static_cast<std::uint16_t>(type_code & 0xff)} : t.dst_port;
}

std::span<const FieldValue> restore_state(const std::uint64_t* data, FlowKey& key) noexcept {
  TrackBranch branch;
  std::memcpy(static_cast<void*>(&branch), data, sizeof branch);
  data += sizeof branch / sizeof *data;
  for (std::uint64_t m = branch.state_map; m != 0; m &= m - 1) {
    words(key)[kPacketWords + static_cast<std::size_t>(std::countr_zero(m))] = *data++;
  }
  return {reinterpret_cast<const FieldValue*>(data), branch.stack_count};
}

}  // namespace hoist::software

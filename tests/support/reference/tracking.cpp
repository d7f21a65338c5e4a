// SPDX-License-Identifier: BSD-3-Clause
// What ct does to a packet on its way (ovs-actions(7), ct and ct_clear; ovs-fields(7), ct_state).
#include <algorithm>

#include "support/reference/execution.hpp"

namespace hoist::reference {
namespace {

constexpr std::uint32_t kNew = 0x01, kEstablished = 0x02, kReply = 0x08, kInvalid = 0x10,
                        kTracked = 0x20, kSourceNat = 0x40, kDestinationNat = 0x80;
constexpr std::uint32_t kNatBits = kSourceNat | kDestinationNat;

/// Says whether a packet may be the first of a connection: an answer may not.
bool may_open(const Conversation& c) {
  if (!c.is_icmp()) return true;
  return c.icmp_type == 8 || c.icmp_type == 13 || c.icmp_type == 15 || c.icmp_type == 128;
}

void put(FlowKey& key, FieldId id, const FieldValue& value) {
  set_field(key, field(id), value, full_mask(field(id)));
}
void put(FlowKey& key, FieldId id, std::uint64_t value) { put(key, id, field_value(value)); }

FieldValue address_value(const Ipv6Address& address, std::uint8_t family) {
  FieldValue out{};
  if (family == 4) {
    std::copy_n(address.begin(), 4, out.begin() + 12);
  } else {
    std::copy_n(address.begin(), 16, out.begin());
  }
  return out;
}

}  // namespace

std::uint64_t Execution::now_ms() const { return bridge_.now_ns_ / 1'000'000; }

void Execution::clear_tracked() {
  for (const FieldId id :
       {FieldId::kCtState, FieldId::kCtZone, FieldId::kCtMark, FieldId::kCtLabel,
        FieldId::kCtNwProto, FieldId::kCtNwSrc, FieldId::kCtNwDst, FieldId::kCtIpv6Src,
        FieldId::kCtIpv6Dst, FieldId::kCtTpSrc, FieldId::kCtTpDst}) {
    put(key_, id, FieldValue{});
  }
}

void Execution::track(const CtAction& a) {
  const std::uint16_t zone =
      a.zone_source ? static_cast<std::uint16_t>(low64(read(*a.zone_source))) : a.zone;
  const FlowKey asked = key_;
  clear_tracked();
  if (!find_out(a, zone)) return stop(DropReason::kNatExhausted);
  if (track_.connection) label(a, asked);
  if (!a.table_id) return;
  Execution copy = *this;
  copy.fate_ = {};
  copy.lookups_ = 0;
  copy.ingress_bytes_ = frame_.size();
  copy.write_tracked();
  copy.look_up(*a.table_id, in_port(), Miss::kDrops);
  copy.run_action_set();
  add(copy.finish());
}

/// False: the packet cannot go on.
bool Execution::find_out(const CtAction& a, std::uint16_t zone) {
  Connections& all = bridge_.connections_;
  const bool is_known = track_.connection && track_.zone == zone && !a.force &&
                        all.is_alive(*track_.connection, now_ms());
  if (!is_known) {
    if (track_.zone != zone) track_ = {};
    track_.zone = zone;
    track_.connection.reset();
    track_.packet = find_conversation(frame_);
    if (!track_.packet) {
      track_.state = kInvalid | kTracked;
      return true;
    }
    if (!meet(a, zone)) return false;
    track_.state |= kTracked;
  }
  if (track_.connection && a.nat) translate();
  return true;
}

bool Execution::meet(const CtAction& a, std::uint16_t zone) {
  Connections& all = bridge_.connections_;
  const std::uint32_t kept = track_.state & kNatBits;
  auto found = all.find(zone, *track_.packet, now_ms());
  if (found && found->is_reply && a.force) {
    all.close(found->index);
    found.reset();
  }
  if (found) {
    all.see(*found, now_ms());
    const bool is_both = all.at(found->index).seen == Connection::Seen::kBothWays;
    track_.connection = found->index;
    track_.is_reply = found->is_reply;
    track_.state = kept | (is_both ? kEstablished : kNew) | (found->is_reply ? kReply : 0);
    return true;
  }
  track_.is_reply = false;
  track_.state = may_open(*track_.packet) ? kNew : kInvalid;
  if (track_.state != kNew || !a.commit) return true;
  const bool moves = a.nat && a.nat->kind != NatAction::Kind::kExisting;
  track_.connection = all.open(zone, *track_.packet, moves ? &*a.nat : nullptr, now_ms());
  return track_.connection || !moves;
}

void Execution::translate() {
  const Connection& c = bridge_.connections_.at(*track_.connection);
  if ((track_.state & kNatBits) != 0 || c.nat == NatAction::Kind::kExisting) return;
  const bool moves_source = (c.nat == NatAction::Kind::kSource) != track_.is_reply;
  track_.state |= moves_source ? kSourceNat : kDestinationNat;
  become(frame_, (track_.is_reply ? c.forward : c.reply).reversed());
  parse();
}

void Execution::label(const CtAction& a, const FlowKey& asked) {
  Connection& c = bridge_.connections_.at(*track_.connection);
  FlowKey marked{};
  put(marked, FieldId::kCtMark, c.mark);
  put(marked, FieldId::kCtLabel, c.label);
  for (const CtAction::Exec& exec : a.exec) {
    if (const auto* set = std::get_if<SetFieldAction>(&exec)) {
      set_field(marked, field(set->field), set->value, set->mask);
      continue;
    }
    const auto& move = std::get<MoveAction>(exec);
    std::swap(key_, marked);
    FlowKey from = asked;
    std::swap(key_, from);
    const FieldValue value = read(move.source);
    std::swap(key_, from);
    write(move.target, value);
    std::swap(key_, marked);
  }
  c.mark = marked.ct_mark.host();
  c.label = get_field(marked, field(FieldId::kCtLabel));
}

void Execution::write_tracked() {
  put(key_, FieldId::kCtState, track_.state);
  put(key_, FieldId::kCtZone, track_.zone);
  Conversation from = track_.packet.value_or(Conversation{});
  if (track_.connection) {
    const Connection& c = bridge_.connections_.at(*track_.connection);
    put(key_, FieldId::kCtMark, c.mark);
    put(key_, FieldId::kCtLabel, c.label);
    from = c.forward;
  }
  if (from.family == 0) return;
  put(key_, FieldId::kCtNwProto, from.ip_proto);
  const bool is_v4 = from.family == 4;
  put(key_, is_v4 ? FieldId::kCtNwSrc : FieldId::kCtIpv6Src, address_value(from.src, from.family));
  put(key_, is_v4 ? FieldId::kCtNwDst : FieldId::kCtIpv6Dst, address_value(from.dst, from.family));
  put(key_, FieldId::kCtTpSrc, from.is_icmp() ? from.icmp_type : from.src_port);
  put(key_, FieldId::kCtTpDst, from.is_icmp() ? 0 : from.dst_port);
}

void Execution::add(Fate other) {
  std::ranges::move(other.sent, std::back_inserter(fate_.sent));
  std::ranges::move(other.packet_ins, std::back_inserter(fate_.packet_ins));
  for (std::size_t i = 0; i < kDropReasonCount; ++i) fate_.drops[i] += other.drops[i];
}

}  // namespace hoist::reference

// SPDX-License-Identifier: BSD-3-Clause
#include "support/pipeline/random_instructions.hpp"

#include <array>
#include <functional>

#include "support/pipeline/random_match.hpp"
#include "support/pipeline/random_meters.hpp"

namespace hoist::test {
namespace {

using enum FieldId;

bool one_in(Random& random, unsigned n) { return random() % n == 0; }

constexpr std::array kPacketFields = {
    kEthDst,  kEthSrc,   kVlanVid,  kVlanPcp,  kMplsLabel, kMplsTc,    kNwSrc,  kNwDst,
    kIpv6Src, kIpv6Dst,  kIpDscp,   kIpEcn,    kIpTtl,     kIpv6Label, kArpOp,  kArpSpa,
    kArpTpa,  kArpSha,   kArpTha,   kTcpSrc,   kTcpDst,    kUdpSrc,    kUdpDst, kSctpSrc,
    kSctpDst, kIcmpType, kIcmpCode, kNdTarget, kNdSll,     kNdTll};
constexpr std::array kStateFields = {
    kReg0, static_cast<FieldId>(to_integer(kReg0) + 1), kXreg0, kMetadata, kTunnelId, kPktMark};

/// Writes actions for one rule, keeping track of what its packets look like.
class Author {
 public:
  Author(Random& random, const Palette& palette, const Match& match, std::uint8_t table_id)
      : random_(random), palette_(palette), packet_(match), table_id_(table_id) {}

  ActionList actions(unsigned count_max) {
    ActionList out;
    for (auto n = random_() % (count_max + 1); n > 0; --n) add_change(out);
    return out;
  }

  void add_output(ActionList& out) {
    const PortNo port{static_cast<std::uint32_t>(1 + random_() % palette_.port_count)};
    if (palette_.has_normal && one_in(random_, 3)) {
      return out.push_back(OutputAction{PortNo::kNormal, 0});
    }
    if (palette_.has_controller && one_in(random_, 4)) return add_controller(out);
    if (palette_.has_flooding && one_in(random_, 4)) {
      constexpr std::array kPorts = {PortNo::kFlood, PortNo::kAll, PortNo::kInPort, PortNo{99}};
      return out.push_back(OutputAction{kPorts[random_() % kPorts.size()], 0});
    }
    out.push_back(OutputAction{port, 0});
  }

  /// Tracks the packet, maybe to go on in a later table.
  void add_tracking(ActionList& out) {
    if (one_in(random_, 8)) return out.push_back(CtClearAction{});
    CtAction ct{.commit = one_in(random_, 2), .zone = static_cast<std::uint16_t>(random_() % 2)};
    ct.force = ct.commit && one_in(random_, 4);
    if (one_in(random_, 6)) ct.zone_source = FieldBits{kReg0, 0, 16};
    if (table_id_ + 1 < palette_.table_count && !one_in(random_, 4)) {
      const auto later = table_id_ + 1 + random_() % (palette_.table_count - table_id_ - 1u);
      ct.table_id = static_cast<std::uint8_t>(later);
    }
    if (one_in(random_, 3)) ct.nat = nat(ct.commit);
    if (ct.commit && one_in(random_, 2)) {
      const FieldId id = one_in(random_, 2) ? kCtMark : kCtLabel;
      ct.exec.emplace_back(std::get<SetFieldAction>(set(id)));
      if (one_in(random_, 3)) ct.exec.emplace_back(MoveAction{{kReg0, 0, 2}, {kCtMark, 1, 2}});
    }
    out.push_back(ct);
  }

 private:
  NatAction nat(bool commits) {
    NatAction out;
    if (!commits || !allows(packet_, Prerequisite::kIpv4) || one_in(random_, 3)) return out;
    out.kind = one_in(random_, 2) ? NatAction::Kind::kSource : NatAction::Kind::kDestination;
    out.family = 4;
    out.first = {30, 0, 0, static_cast<std::uint8_t>(1 + random_() % 2)};
    return out;
  }

  void add_change(ActionList& out) {
    switch (random_() % 6) {
      case 0:
      case 1:
        if (palette_.has_rewrites) add_rewrite(out);
        return;
      case 2:
        if (palette_.has_tags) add_tag(out);
        return;
      case 3:
        if (palette_.has_registers) add_state(out);
        return;
      case 4:
        if (palette_.has_resubmit) add_resubmit(out);
        return;
      default:
        if (one_in(random_, 4)) add_output(out);
    }
  }

  Action set(FieldId id) {
    const Field& f = field(id);
    FieldValue mask = full_mask(f);
    const bool is_masked = f.is_maskable && id != kVlanVid && one_in(random_, 4);
    FieldValue value = random_value(f, random_);
    if (id == kVlanVid) value = field_value(low64(value) | kVlanPresent);
    for (std::size_t i = 0; i < mask.size(); ++i) {
      if (is_masked) mask[i] = static_cast<std::uint8_t>(mask[i] & random_());
      value[i] = static_cast<std::uint8_t>(value[i] & mask[i]);
    }
    return SetFieldAction{.field = id, .value = value, .mask = mask};
  }

  void add_rewrite(ActionList& out) {
    if (one_in(random_, 5) && allows(packet_, Prerequisite::kIp)) {
      if (one_in(random_, 4)) return out.push_back(SetNwTtlAction{9});
      return out.push_back(DecNwTtlAction{});
    }
    if (one_in(random_, 3) && allows(packet_, Prerequisite::kMpls)) {
      if (one_in(random_, 3)) return out.push_back(SetMplsTtlAction{9});
      if (one_in(random_, 3)) return out.push_back(CopyTtlOutAction{});
      if (one_in(random_, 3)) return out.push_back(CopyTtlInAction{});
      return out.push_back(DecMplsTtlAction{});
    }
    for (int tries = 0; tries < 8; ++tries) {
      const FieldId id = kPacketFields[random_() % kPacketFields.size()];
      if (allows(packet_, field(id).prerequisite) && (id != kVlanVid || has_tag())) {
        return out.push_back(set(id));
      }
    }
  }

  [[nodiscard]] bool has_tag() const { return allows(packet_, Prerequisite::kVlan); }

  void add_tag(ActionList& out) {
    switch (random_() % 5) {
      case 0:
        out.push_back(
            PushVlanAction{one_in(random_, 3) ? std::uint16_t{0x88a8} : std::uint16_t{0x8100}});
        know(kVlanVid, kVlanPresent, kVlanPresent);
        return;
      case 1:
        if (has_tag() || one_in(random_, 3)) {
          out.push_back(PopVlanAction{});
          forget(kVlanTci);
        }
        return;
      case 2:
        if (one_in(random_, 2)) {
          out.push_back(SetVlanVidAction{static_cast<std::uint16_t>(random_() % 8)});
        } else {
          out.push_back(SetVlanPcpAction{static_cast<std::uint8_t>(random_() % 8)});
        }
        know(kVlanVid, kVlanPresent, kVlanPresent);
        return;
      case 3:
        out.push_back(PushMplsAction{0x8847});
        become(0x8847);
        return;
      default:
        if (!allows(packet_, Prerequisite::kMpls)) return;
        const std::uint16_t type = one_in(random_, 2) ? 0x0800 : 0x86dd;
        out.push_back(PopMplsAction{type});
        become(type);
    }
  }

  void add_state(ActionList& out) {
    const FieldId id = kStateFields[random_() % kStateFields.size()];
    const auto count = static_cast<std::uint8_t>(1 + random_() % 16);
    switch (random_() % 4) {
      case 0:
        return out.push_back(MoveAction{{kEthSrc, 0, count}, {id, 0, count}});
      case 1:
        if (allows(packet_, Prerequisite::kIpv4)) {
          return out.push_back(MoveAction{{kNwDst, 0, count}, {id, 4, count}});
        }
        return out.push_back(MoveAction{{id, 0, count}, {kMetadata, 8, count}});
      case 2:
        out.push_back(StackPushAction{{id, 0, count}});
        return out.push_back(StackPopAction{{kReg0, 0, count}});
      default:
        return out.push_back(set(id));
    }
  }

  void add_resubmit(ActionList& out) {
    if (table_id_ + 1 >= palette_.table_count) return;
    const auto later = table_id_ + 1 + random_() % (palette_.table_count - table_id_ - 1u);
    const PortNo as = one_in(random_, 4) ? PortNo{2} : PortNo::kInPort;
    out.push_back(ResubmitAction{.in_port = as, .table_id = static_cast<std::uint8_t>(later)});
    packet_ = {};  // What the other table does to it is unknown.
  }

  void add_controller(ActionList& out) {
    if (one_in(random_, 2)) return out.push_back(OutputAction{PortNo::kController, 128});
    out.push_back(ControllerAction{.max_len = 64, .userdata = {1, 2, 3}});
  }

  void know(FieldId id, std::uint64_t value, std::uint64_t mask) {
    set_field(packet_.value, field(id), field_value(value), field_value(mask));
    set_field(packet_.mask, field(id), field_value(mask), field_value(mask));
  }
  void forget(FieldId id) {
    set_field(packet_.value, field(id), {}, full_mask(field(id)));
    set_field(packet_.mask, field(id), {}, full_mask(field(id)));
  }
  void become(std::uint16_t eth_type) {
    forget(kIpProto);
    know(kEthType, eth_type, 0xffff);
  }

  Random& random_;
  const Palette& palette_;
  Match packet_;
  std::uint8_t table_id_;
};

}  // namespace

Palette random_palette(Random& random) {
  Palette p;
  p.table_count = static_cast<std::uint8_t>(1 + random() % 4);
  p.has_rewrites = !one_in(random, 3);
  p.has_tags = one_in(random, 2);
  p.has_registers = one_in(random, 3);
  p.has_resubmit = one_in(random, 3);
  p.has_write_actions = one_in(random, 3);
  p.has_controller = one_in(random, 3);
  p.has_flooding = one_in(random, 3);
  p.has_normal = one_in(random, 6);
  p.has_meters = one_in(random, 3);
  p.has_tracking = one_in(random, 4);
  if (p.has_tracking) {
    p.table_count = static_cast<std::uint8_t>(2 + random() % 3);
    p.has_tags = p.has_write_actions = p.has_normal = p.has_meters = false;
  }
  return p;
}

namespace {

std::uint32_t random_meter(Random& random) {
  return static_cast<std::uint32_t>(1 + random() % kRandomMeters);
}

}  // namespace

Instructions random_instructions(Random& random, const Palette& palette, const Match& match,
                                 std::uint8_t table_id) {
  Instructions i;
  Author author(random, palette, match, table_id);
  i.apply_actions = author.actions(one_in(random, 2) ? 0 : 4);
  if (palette.has_tracking && !one_in(random, 3)) author.add_tracking(i.apply_actions);
  if (palette.has_meters && one_in(random, 2)) i.meter_id = random_meter(random);
  if (palette.has_meters && one_in(random, 6)) {
    i.apply_actions.push_back(MeterAction{random_meter(random)});
  }
  if (!one_in(random, 3)) author.add_output(i.apply_actions);
  if (palette.has_write_actions && one_in(random, 2)) {
    Author later(random, palette, match, palette.table_count);
    i.write_actions = later.actions(3);
    later.add_output(i.write_actions);
    i.has_clear_actions = one_in(random, 4);
  }
  if (palette.has_registers && one_in(random, 4)) {
    const std::uint64_t mask = one_in(random, 2) ? ~std::uint64_t{0} : 0x3;
    i.write_metadata = Instructions::Metadata{.value = random() & mask & 0xff, .mask = mask};
  }
  const bool has_later = table_id + 1 < palette.table_count;
  if (has_later && one_in(random, 2)) {
    const auto later = table_id + 1 + random() % (palette.table_count - table_id - 1u);
    i.goto_table = static_cast<std::uint8_t>(later);
  }
  if (palette.has_resubmit && !i.goto_table && one_in(random, 12)) {
    i.apply_actions.push_back(ExitAction{});
  }
  return i;
}

ActionList random_packet_out(Random& random, const Palette& palette) {
  Author author(random, palette, {}, 0);
  ActionList actions = author.actions(3);
  if (palette.has_meters && one_in(random, 3)) {
    actions.push_back(MeterAction{random_meter(random)});
  }
  author.add_output(actions);
  if (one_in(random, 3)) actions.push_back(OutputAction{PortNo::kTable, 0});
  return actions;
}

}  // namespace hoist::test

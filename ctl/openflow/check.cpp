// SPDX-License-Identifier: BSD-3-Clause
#include "openflow/check.hpp"

#include <string>

#include "openflow/layers.hpp"
#include "openflow/wire.hpp"

namespace hoist::openflow {
namespace {

using F = FieldId;

/// Follows actions in order. A call answers whether the next action makes sense.
class Follower {
 public:
  Follower(Layers layers, Version version, bool knows_packet)
      : layers_(layers), is_of10_(version == Version::kOf10), knows_packet_(knows_packet) {}

  Decoded<void> operator()(const OutputAction& a) const {
    if (is_port_number(a.port) && a.port != PortNo::kAny) return {};
    return fault(ErrorName::kActionBadOutPort, "output to no port");
  }
  Decoded<void> operator()(const EnqueueAction& a) const {
    if (is_port_number(a.port) && a.port != PortNo::kAny) return {};
    return fault(ErrorName::kActionBadOutPort, "enqueue to no port");
  }
  Decoded<void> operator()(const OutputRegAction& a) const { return read(a.source.field); }
  Decoded<void> operator()(const StackPushAction& a) const { return read(a.source.field); }
  Decoded<void> operator()(const StackPopAction& a) { return write(a.target.field); }
  Decoded<void> operator()(const MoveAction& a) {
    if (auto done = read(a.source.field); !done) return done;
    return write(a.target.field);
  }
  Decoded<void> operator()(const SetFieldAction& a) {
    if (a.form == SetFieldAction::Form::kLegacy) {
      if (auto done = legacy(a); !done) return done;
    } else if (auto done = write(a.field); !done) {
      return done;
    }
    note(a);
    return {};
  }
  Decoded<void> operator()(const CtAction& a) const {
    if (knows_packet_ && !layers_.satisfy(Prerequisite::kIp)) {
      return fault(ErrorName::kActionMatchInconsistent, "ct where the match demands no IP");
    }
    const bool is_of_family =
        !a.nat || a.nat->family == 0 || !knows_packet_ ||
        layers_.satisfy(a.nat->family == 4 ? Prerequisite::kIpv4 : Prerequisite::kIpv6);
    if (!is_of_family) {
      return fault(ErrorName::kActionMatchInconsistent,
                   "nat to addresses of another family than the match demands");
    }
    return a.zone_source ? read(a.zone_source->field) : Decoded<void>{};
  }
  Decoded<void> operator()(const SetVlanVidAction&) { return tagged(); }
  Decoded<void> operator()(const SetVlanPcpAction&) { return tagged(); }
  Decoded<void> operator()(const PushVlanAction&) {
    ++layers_.vlans;
    return {};
  }
  Decoded<void> operator()(const PopVlanAction&) {
    if (layers_.vlans == 0) return lenient("pop_vlan where the match demands no VLAN tag");
    --layers_.vlans;
    return {};
  }
  Decoded<void> operator()(const PushMplsAction& a) {
    enter(a.ethertype);
    return {};
  }
  Decoded<void> operator()(const PopMplsAction& a) {
    const auto done = demand(Prerequisite::kMpls, "pop_mpls where the match demands no MPLS");
    enter(a.ethertype);
    return done;
  }
  Decoded<void> operator()(const SetMplsTtlAction&) const {
    return demand(Prerequisite::kMpls, "set_mpls_ttl where the match demands no MPLS");
  }
  Decoded<void> operator()(const DecMplsTtlAction&) const {
    return demand(Prerequisite::kMpls, "dec_mpls_ttl where the match demands no MPLS");
  }
  Decoded<void> operator()(const CopyTtlOutAction&) const {
    return demand(Prerequisite::kMpls, "copy_ttl_out where the match demands no MPLS");
  }
  Decoded<void> operator()(const CopyTtlInAction&) const {
    return demand(Prerequisite::kMpls, "copy_ttl_in where the match demands no MPLS");
  }
  Decoded<void> operator()(const SetNwTtlAction&) const {
    return demand(Prerequisite::kIp, "set_nw_ttl where the match demands no IP");
  }
  Decoded<void> operator()(const DecNwTtlAction&) const {
    return demand(Prerequisite::kIp, "dec_ttl where the match demands no IP");
  }
  template <class Other>
  Decoded<void> operator()(const Other&) const {
    return {};
  }

 private:
  /// Wrong from OpenFlow 1.1 on; OpenFlow 1.0 passes over such an action.
  Decoded<void> lenient(const char* why) const {
    if (is_of10_ || !knows_packet_) return {};
    return fault(ErrorName::kActionMatchInconsistent, why);
  }
  Decoded<void> demand(Prerequisite prerequisite, const char* why) const {
    if (layers_.satisfy(prerequisite)) return {};
    return lenient(why);
  }
  Decoded<void> read(F id) const {
    const Field& f = field(id);
    const bool needs_tag = id == F::kVlanVid || id == F::kVlanPcp;
    const Prerequisite need = needs_tag ? Prerequisite::kVlan : f.prerequisite;
    if (!knows_packet_ || layers_.satisfy(need)) return {};
    return fault(ErrorName::kActionMatchInconsistent,
                 std::string(f.name) + " where the match lacks its prerequisite");
  }
  Decoded<void> write(F id) const {
    const Field& f = field(id);
    if (!f.is_writable) {
      return fault(ErrorName::kActionBadSetType, std::string(f.name) + " cannot be written");
    }
    if (id == F::kCtMark || id == F::kCtLabel) {
      return fault(ErrorName::kActionBadSetArgument,
                   std::string(f.name) + " can be written only inside ct");
    }
    return read(id);
  }
  Decoded<void> legacy(const SetFieldAction& a) const {
    if (a.field == F::kTcpSrc || a.field == F::kTcpDst) {
      if (layers_.satisfy(Prerequisite::kUdp) || layers_.satisfy(Prerequisite::kSctp)) return {};
    }
    return demand(field(a.field).prerequisite,
                  "action on a field whose prerequisite the match lacks");
  }
  Decoded<void> tagged() {
    if (layers_.vlans == 0) layers_.vlans = 1;
    return {};
  }
  void enter(std::uint16_t ethertype) {
    layers_.eth_type = ethertype;
    layers_.ip_proto = Layers::kUnknown;
    layers_.icmp_type = Layers::kUnknown;
  }
  /// What a field set tells of the packet from now on.
  void note(const SetFieldAction& a) {
    if (a.mask != full_mask(field(a.field))) return;
    const auto v = static_cast<std::uint32_t>(low64(a.value));
    if (a.field == F::kEthType) layers_.eth_type = v;
    if (a.field == F::kIpProto) layers_.ip_proto = v;
    if (a.field == F::kIcmpv6Type || a.field == F::kIcmpType) layers_.icmp_type = v;
    if (a.field == F::kVlanTci) layers_.vlans = (v & kVlanPresent) != 0 ? 1 : 0;
  }

  Layers layers_;
  bool is_of10_;
  bool knows_packet_;
};

/// The action set runs in an order of its own: what pushes and pops comes before what sets fields.
Decoded<void> check_action_set(const ActionList& actions, Follower follower) {
  for (const bool is_setting : {false, true}) {
    for (const Action& action : actions) {
      if (std::holds_alternative<SetFieldAction>(action) != is_setting) continue;
      if (auto done = std::visit(follower, action); !done) return done;
    }
  }
  return {};
}

}  // namespace

Decoded<void> check(const Match& match, const Instructions& in, CheckContext context) {
  const std::uint8_t table = context.table_id == 0xff ? std::uint8_t{0} : context.table_id;
  if (in.goto_table && (*in.goto_table <= table || *in.goto_table >= kTableCount)) {
    return fault(ErrorName::kInstructionBadTableId, "goto_table " + std::to_string(*in.goto_table) +
                                                        " from table " + std::to_string(table));
  }
  if (in.apply_actions.empty() && in.write_actions.empty()) return {};
  Follower follower(Layers::of(match), context.version, true);
  for (const Action& action : in.apply_actions) {
    if (auto done = std::visit(follower, action); !done) return done;
  }
  return check_action_set(in.write_actions, follower);
}

Decoded<void> check(std::span<const Action> actions, CheckContext context) {
  Follower follower(Layers{}, context.version, false);
  for (const Action& action : actions) {
    if (auto done = std::visit(follower, action); !done) return done;
  }
  return {};
}

}  // namespace hoist::openflow

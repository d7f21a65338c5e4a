// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/edit_op.hpp"

#include <cstring>

#include "packet/edit.hpp"
#include "packet/wire.hpp"

namespace hoist::software {
namespace {

void apply_set_field(rte_mbuf& packet, Layers& layers, FieldId id,
                     const std::uint64_t* data) noexcept {
  FieldValue value;
  FieldValue mask;
  std::memcpy(value.data(), data, 16);
  std::memcpy(mask.data(), data + 2, 16);
  (void)set_field(packet, layers, field(id), value, mask);
}

// OpenFlow 1.0: writes into the outer tag, or into a new one.
void apply_set_vlan(rte_mbuf& packet, Layers& layers, std::uint16_t tci,
                    std::uint16_t mask) noexcept {
  if (layers.vlan_count == 0 && !push_vlan(packet, layers, wire::kEthVlan)) return;
  const Field& f = field(FieldId::kVlanTci);
  (void)set_field(packet, layers, f, field_value(tci | kVlanPresent),
                  field_value(mask | kVlanPresent));
}

}  // namespace

void apply_edit(rte_mbuf& packet, Layers& layers, const Op& op,
                const std::uint64_t* data) noexcept {
  // An operation that the packet cannot take changes nothing, and that is meant: (void).
  switch (op.code) {
    case OpCode::kSetField:
      return apply_set_field(packet, layers, FieldId{op.a}, data + op.d);
    case OpCode::kSetVlan:
      return apply_set_vlan(packet, layers, op.b, static_cast<std::uint16_t>(op.c));
    case OpCode::kPushVlan:
      return (void)push_vlan(packet, layers, op.b);
    case OpCode::kPopVlan:
      return (void)pop_vlan(packet, layers);
    case OpCode::kPushMpls:
      return (void)push_mpls(packet, layers, op.b);
    case OpCode::kPopMpls:
      return (void)pop_mpls(packet, layers, op.b);
    case OpCode::kDecTtl:
      return (void)dec_nw_ttl(packet, layers);
    case OpCode::kDecMplsTtl:
      return (void)dec_mpls_ttl(packet, layers);
    case OpCode::kCopyTtlOut:
      return (void)copy_ttl_out(packet, layers);
    case OpCode::kCopyTtlIn:
      return (void)copy_ttl_in(packet, layers);
    default:
      return;
  }
}

bool uncovers(const Op& op, const FlowKey& key) noexcept {
  switch (op.code) {
    case OpCode::kPopMpls:
    case OpCode::kCopyTtlOut:  // What lies below the label, no key tells.
    case OpCode::kCopyTtlIn:
      return true;
    case OpCode::kPopVlan:  // Under two tags there may be a third.
      return wire::is_vlan(key.eth_type.host());
    case OpCode::kSetField:
      switch (FieldId{op.a}) {
        case FieldId::kEthType:
        case FieldId::kIpProto:
        case FieldId::kMplsBos:
        case FieldId::kIcmpv6Type:
        case FieldId::kIcmpv6Code:
          return true;
        case FieldId::kVlanTci:
        case FieldId::kVlanVid:
          return wire::is_vlan(key.eth_type.host());
        default:
          return false;
      }
    default:
      return false;
  }
}

}  // namespace hoist::software

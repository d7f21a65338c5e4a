// SPDX-License-Identifier: BSD-3-Clause
#include <optional>

#include "openflow/action_codec.hpp"

namespace hoist::openflow {
namespace {

using F = FieldId;
using Form = SetFieldAction::Form;

/// Appends `| type 2 | length 2 | ... |` with whatever `body` appends, padded to 8.
template <class Body>
void put_action(Bytes& out, std::uint16_t type, Body body) {
  const std::size_t start = out.size();
  put16(out, type);
  put16(out, 0);
  body();
  pad_to_8(out, start);
  set16(out, start + 2, out.size() - start);
}
void put_plain(Bytes& out, std::uint16_t type) {
  put_action(out, type, [&] { put32(out, 0); });
}
void put_u8(Bytes& out, std::uint16_t type, std::uint8_t v) {
  put_action(out, type, [&] { put8(out, v); });
}
void put_u16(Bytes& out, std::uint16_t type, std::uint16_t v) {
  put_action(out, type, [&] { put16(out, v); });
}
void put_u32(Bytes& out, std::uint16_t type, std::uint32_t v) {
  put_action(out, type, [&] { put32(out, v); });
}

bool is_whole(const SetFieldAction& a) noexcept { return a.mask == full_mask(field(a.field)); }

// --- OpenFlow 1.0 ------------------------------------------------------------------------------

/// The OpenFlow 1.0 action that sets all of a field; nothing if there is none.
std::optional<std::uint16_t> of10_setter(const SetFieldAction& a) noexcept {
  const bool is_legacy = a.form == Form::kLegacy;
  if (a.field == F::kSctpSrc && is_legacy) return std::uint16_t{9};
  if (a.field == F::kSctpDst && is_legacy) return std::uint16_t{10};
  switch (a.field) {
    case F::kVlanVid:
      return std::uint16_t{1};
    case F::kVlanPcp:
      return std::uint16_t{2};
    case F::kEthSrc:
      return std::uint16_t{4};
    case F::kEthDst:
      return std::uint16_t{5};
    case F::kNwSrc:
      return std::uint16_t{6};
    case F::kNwDst:
      return std::uint16_t{7};
    case F::kIpDscp:
      return std::uint16_t{8};
    case F::kTcpSrc:
    case F::kUdpSrc:
      return std::uint16_t{9};
    case F::kTcpDst:
    case F::kUdpDst:
      return std::uint16_t{10};
    default:
      return std::nullopt;
  }
}

void put_of10_setter(Bytes& out, std::uint16_t type, const SetFieldAction& a) {
  const std::uint64_t v = low64(a.value);
  switch (a.field) {
    case F::kVlanVid:
      put_u16(out, type, static_cast<std::uint16_t>(v & kVlanVidMask));
      return;
    case F::kVlanPcp:
      put_u8(out, type, static_cast<std::uint8_t>(v));
      return;
    case F::kEthSrc:
    case F::kEthDst:
      put_action(out, type, [&] { put_bytes(out, ByteSpan(a.value).last(6)); });
      return;
    case F::kNwSrc:
    case F::kNwDst:
      put_u32(out, type, static_cast<std::uint32_t>(v));
      return;
    case F::kIpDscp:
      put_u8(out, type, static_cast<std::uint8_t>(v << 2));
      return;
    default:
      put_u16(out, type, static_cast<std::uint16_t>(v));
      return;
  }
}

void put_of10_set_field(Bytes& out, const SetFieldAction& a) {
  if (a.form == Form::kRegLoad) return put_reg_load(out, a);
  const auto setter = of10_setter(a);
  if (setter && is_whole(a)) return put_of10_setter(out, *setter, a);
  if (a.form == Form::kLegacy) return put_nicira_legacy_set(out, a);
  if (is_whole(a)) return put_reg_load(out, a);
  put_reg_load2(out, a);
}

struct PutOf10 {
  Bytes& out;

  void operator()(const OutputAction& a) const {
    put_action(out, 0, [&] {
      put16(out, port_to_16(a.port));
      put16(out, a.max_len);
    });
  }
  void operator()(const EnqueueAction& a) const {
    put_action(out, 11, [&] {
      put16(out, port_to_16(a.port));
      put_zeros(out, 6);
      put32(out, a.queue);
    });
  }
  void operator()(const SetFieldAction& a) const { put_of10_set_field(out, a); }
  void operator()(const SetVlanVidAction& a) const { put_u16(out, 1, a.vlan_vid); }
  void operator()(const SetVlanPcpAction& a) const { put_u8(out, 2, a.vlan_pcp); }
  void operator()(const PopVlanAction&) const { put_plain(out, 3); }
  /// push_vlan is a side effect of the set_vlan_vid that should follow; meters and copied TTLs have
  /// no form at all.
  template <class Other>
  void operator()(const Other&) const {}
};

// --- OpenFlow 1.3 and later --------------------------------------------------------------------

void put_oxm_set_field(Bytes& out, Version version, F id, const FieldValue& value,
                       const FieldValue& mask) {
  put_action(out, 25, [&] { put_entry(out, field(id), flavor_of(version), value, mask); });
}
void put_oxm_set_field(Bytes& out, Version version, F id, std::uint64_t value) {
  put_oxm_set_field(out, version, id, field_value(value), full_mask(field(id)));
}

struct PutOf13 {
  Bytes& out;
  Version version;
  bool& has_vlan;

  void operator()(const OutputAction& a) const {
    put_action(out, 0, [&] {
      put32(out, to_integer(a.port));
      put16(out, a.max_len);
      put_zeros(out, 6);
    });
  }
  void operator()(const EnqueueAction& a) const {
    put_u32(out, 21, a.queue);
    (*this)(OutputAction{a.port, 0xffff});
    put_nicira_action(out, PopQueueAction{});
  }
  void operator()(const SetFieldAction& a) const {
    if (is_at_least(version, Version::kOf15)) {
      put_oxm_set_field(out, version, a.field, a.value, a.mask);
    } else if (a.form == Form::kRegLoad) {
      put_reg_load(out, a);
    } else if (is_whole(a)) {
      put_oxm_set_field(out, version, a.field, a.value, a.mask);
    } else {
      put_reg_load2(out, a);
    }
  }
  void operator()(const SetVlanVidAction& a) const {
    push_if_untagged();
    put_oxm_set_field(out, version, F::kVlanVid, std::uint64_t{a.vlan_vid} | kVlanPresent);
  }
  void operator()(const SetVlanPcpAction& a) const {
    push_if_untagged();
    put_oxm_set_field(out, version, F::kVlanPcp, a.vlan_pcp);
  }
  void operator()(const CopyTtlOutAction&) const { put_plain(out, 11); }
  void operator()(const CopyTtlInAction&) const { put_plain(out, 12); }
  void operator()(const SetMplsTtlAction& a) const { put_u8(out, 15, a.ttl); }
  void operator()(const DecMplsTtlAction&) const { put_plain(out, 16); }
  void operator()(const PushVlanAction& a) const {
    put_u16(out, 17, a.ethertype);
    has_vlan = true;
  }
  void operator()(const PopVlanAction&) const {
    put_plain(out, 18);
    has_vlan = false;
  }
  void operator()(const PushMplsAction& a) const { put_u16(out, 19, a.ethertype); }
  void operator()(const PopMplsAction& a) const { put_u16(out, 20, a.ethertype); }
  void operator()(const SetQueueAction& a) const { put_u32(out, 21, a.queue_id); }
  void operator()(const GroupAction& a) const { put_u32(out, 22, a.group_id); }
  void operator()(const SetNwTtlAction& a) const { put_u8(out, 23, a.ttl); }
  void operator()(const DecNwTtlAction&) const { put_plain(out, 24); }
  void operator()(const MoveAction& a) const {
    if (!is_at_least(version, Version::kOf15)) {
      put_nicira_action(out, a);
      return;
    }
    put_action(out, 28, [&] {
      put16(out, a.source.count);
      put16(out, a.source.start);
      put16(out, a.target.start);
      put16(out, 0);
      put_header(out, header_of(field(a.source.field), Flavor::kOxm15), false);
      put_header(out, header_of(field(a.target.field), Flavor::kOxm15), false);
    });
  }
  void operator()(const MeterAction& a) const {
    if (is_at_least(version, Version::kOf15)) put_u32(out, 29, a.meter_id);
  }
  template <class Other>
  void operator()(const Other& other) const {
    put_nicira_action(out, other);
  }

 private:
  void push_if_untagged() const {
    if (!has_vlan) (*this)(PushVlanAction{0x8100});
  }
};

bool is_nicira_only(const Action& action) noexcept {
  const auto* dec_ttl = std::get_if<DecNwTtlAction>(&action);
  return dec_ttl != nullptr && !dec_ttl->controller_ids.empty();
}

}  // namespace

void put_actions(Bytes& out, const ActionList& actions, Version version, bool has_vlan) {
  for (const Action& action : actions) {
    if (const auto* ct = std::get_if<CtAction>(&action)) {
      put_ct(out, *ct, version);
    } else if (is_nicira_only(action)) {
      put_nicira_action(out, action);
    } else if (version != Version::kOf10) {
      std::visit(PutOf13{out, version, has_vlan}, action);
    } else if (!put_nicira_action(out, action) && !put_nicira_of10_action(out, action)) {
      std::visit(PutOf10{out}, action);
    }
  }
}

}  // namespace hoist::openflow

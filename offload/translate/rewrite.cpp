// SPDX-License-Identifier: BSD-3-Clause
// set_field as one SET_* action of a whole field.
#include <algorithm>

#include "translate/program_builder.hpp"

namespace hoist::offload {
namespace {

bool applies(const RewriteRow& row, const ProgramBuilder& builder) {
  if (row.eth_type != 0 && row.eth_type != builder.eth_type) return false;
  if (row.ip_proto != 0 && row.ip_proto != builder.ip_proto) return false;
  return true;
}

const RewriteRow* find_row(const ProgramBuilder& builder, FieldId field) {
  for (std::size_t i = 0; i < kRewriteRows.size(); ++i) {
    const RewriteRow& row = kRewriteRows[i];
    if (row.field == field && applies(row, builder) &&
        builder.context.capabilities.actions.test(i)) {
      return &row;
    }
  }
  return nullptr;
}

void emit_row(ProgramBuilder& builder, const RewriteRow& row, const FieldValue& value) {
  std::array<std::uint8_t, 16> conf{};
  std::copy_n(value.end() - row.bytes, row.bytes, conf.begin());
  builder.emit(row.action, conf);
  builder.program.needed.l3 |=
      row.item == RTE_FLOW_ITEM_TYPE_IPV4 || row.item == RTE_FLOW_ITEM_TYPE_IPV6;
  builder.program.needed.l4 |= row.ip_proto != 0;
}

/// nw_tos is DSCP and ECN; hardware rewrites DSCP alone.
SetFieldAction as_dscp(const SetFieldAction& action) {
  if (action.field != FieldId::kIpTos || low64(action.mask) != 0xfc) return action;
  return SetFieldAction{.field = FieldId::kIpDscp,
                        .form = action.form,
                        .value = field_value(low64(action.value) >> 2),
                        .mask = full_mask(field(FieldId::kIpDscp))};
}

/// vlan_vid has 13 bits of which one says "there is a tag"; a tag that is there keeps it.
bool rewrite_vlan(ProgramBuilder& builder, const SetFieldAction& action) {
  const std::uint64_t mask = low64(action.mask);
  const std::uint64_t value = low64(action.value);
  if (action.field == FieldId::kVlanVid && (mask & 0xfff) == 0xfff) {
    set_vlan_vid(builder, static_cast<std::uint16_t>(value & 0xfff));
    return true;
  }
  if (action.field == FieldId::kVlanPcp && mask == 7) {
    set_vlan_pcp(builder, static_cast<std::uint8_t>(value));
    return true;
  }
  return false;
}

}  // namespace

void rewrite(ProgramBuilder& builder, const SetFieldAction& original) {
  const SetFieldAction action = as_dscp(original);
  const Field& f = field(action.field);
  if (rewrite_vlan(builder, action)) return;
  const std::string name = "set_field of " + std::string(f.name);
  if (f.offset >= offsetof(FlowKey, metadata)) {
    builder.refuse_action(name);
    return;
  }
  const FieldValue full = full_mask(f);
  bool is_full = true;
  for (std::size_t i = 0; i < full.size(); ++i) is_full &= (action.mask[i] & full[i]) == full[i];
  const RewriteRow* row = is_full ? find_row(builder, action.field) : nullptr;
  if (row == nullptr) {
    builder.refuse_on_port(is_full ? name : "set_field of a part of " + std::string(f.name));
    return;
  }
  emit_row(builder, *row, action.value);
  if (action.field == FieldId::kIpTtl) builder.ttl = static_cast<std::uint8_t>(low64(action.value));
}

void rewrite_ttl(ProgramBuilder& builder, std::uint8_t ttl) {
  rewrite(builder, SetFieldAction{.field = FieldId::kIpTtl,
                                  .value = field_value(ttl),
                                  .mask = full_mask(field(FieldId::kIpTtl))});
}

}  // namespace hoist::offload

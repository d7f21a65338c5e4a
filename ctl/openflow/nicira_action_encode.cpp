// SPDX-License-Identifier: BSD-3-Clause
#include "openflow/action_codec.hpp"
#include "openflow/nicira_action.hpp"

namespace hoist::openflow {
namespace {

using N = NiciraAction;

std::size_t begin(Bytes& out, N subtype) {
  const std::size_t start = out.size();
  put16(out, 0xffff);
  put16(out, 0);
  put32(out, kNiciraId);
  put16(out, to_integer(subtype));
  return start;
}
/// Pads the action to `size` bytes, or to a multiple of 8 if it is longer, and sets its length.
void end(Bytes& out, std::size_t start, std::size_t size = 16) {
  const std::size_t used = out.size() - start;
  put_zeros(out, std::max(size, rounded_to_8(used)) - used);
  set16(out, start + 2, out.size() - start);
}

void put_range(Bytes& out, unsigned start, unsigned count) {
  put16(out, static_cast<std::uint16_t>(start << 6 | (count - 1)));
}
void put_name(Bytes& out, FieldId id) { put32(out, nxm_header_of(field(id))); }

bool bit_of(const FieldValue& value, unsigned at) noexcept {
  return (value[15 - at / 8] >> at % 8 & 1) != 0;
}

void put_load(Bytes& out, const SetFieldAction& a, unsigned first, unsigned count) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < count; ++i) value |= std::uint64_t{bit_of(a.value, first + i)} << i;
  const std::size_t start = begin(out, N::kRegLoad);
  put_range(out, first, count);
  put_name(out, a.field);
  put64(out, value);
  end(out, start, 24);
}

void put_property(Bytes& out, ControllerProperty type, ByteSpan value) {
  const std::size_t start = out.size();
  put16(out, to_integer(type));
  put16(out, static_cast<std::uint16_t>(4 + value.size()));
  put_bytes(out, value);
  pad_to_8(out, start);
}
void put_property16(Bytes& out, ControllerProperty type, std::uint16_t v) {
  const std::uint8_t value[] = {static_cast<std::uint8_t>(v >> 8), static_cast<std::uint8_t>(v)};
  put_property(out, type, value);
}

struct Put {
  Bytes& out;

  bool operator()(const ControllerAction& a) const {
    if (!a.is_version2 && !a.pause && a.userdata.empty()) {
      const std::size_t start = begin(out, N::kController);
      put16(out, a.max_len);
      put16(out, a.controller_id);
      put8(out, a.reason);
      end(out, start);
      return true;
    }
    const std::size_t start = begin(out, N::kController2);
    put_zeros(out, 6);
    if (a.max_len != 0xffff) put_property16(out, ControllerProperty::kMaxLen, a.max_len);
    if (a.controller_id != 0)
      put_property16(out, ControllerProperty::kControllerId, a.controller_id);
    if (a.reason != 1) put_property(out, ControllerProperty::kReason, ByteSpan{&a.reason, 1});
    if (!a.userdata.empty()) put_property(out, ControllerProperty::kUserdata, a.userdata);
    if (a.pause) put_property(out, ControllerProperty::kPause, {});
    end(out, start);
    return true;
  }
  bool operator()(const OutputRegAction& a) const {
    const std::size_t start = begin(out, N::kOutputReg);
    put_range(out, a.source.start, a.source.count);
    put_name(out, a.source.field);
    put16(out, a.max_len);
    end(out, start, 24);
    return true;
  }
  bool operator()(const MoveAction& a) const {
    const std::size_t start = begin(out, N::kRegMove);
    put16(out, a.source.count);
    put16(out, a.source.start);
    put16(out, a.target.start);
    put_name(out, a.source.field);
    put_name(out, a.target.field);
    end(out, start, 24);
    return true;
  }
  bool operator()(const PopQueueAction&) const {
    end(out, begin(out, N::kPopQueue));
    return true;
  }
  bool operator()(const ResubmitAction& a) const {
    const bool has_table = a.table_id != 255 || a.in_port == PortNo::kInPort;
    const std::size_t start = begin(out, has_table ? N::kResubmitTable : N::kResubmit);
    put16(out, port_to_16(a.in_port));
    if (has_table) put8(out, a.table_id);
    end(out, start);
    return true;
  }
  bool operator()(const StackPushAction& a) const { return put_stack(N::kStackPush, a.source); }
  bool operator()(const StackPopAction& a) const { return put_stack(N::kStackPop, a.target); }
  bool operator()(const NoteAction& a) const {
    const std::size_t start = begin(out, N::kNote);
    put_bytes(out, a.bytes);
    end(out, start);
    return true;
  }
  bool operator()(const ExitAction&) const {
    end(out, begin(out, N::kExit));
    return true;
  }
  bool operator()(const CtClearAction&) const {
    end(out, begin(out, N::kCtClear));
    return true;
  }
  bool operator()(const DecNwTtlAction& a) const {
    if (a.controller_ids.empty()) return false;
    const std::size_t start = begin(out, N::kDecTtlCntIds);
    put16(out, static_cast<std::uint16_t>(a.controller_ids.size()));
    put32(out, 0);
    for (const std::uint16_t id : a.controller_ids) put16(out, id);
    end(out, start);
    return true;
  }
  template <class Other>
  bool operator()(const Other&) const {
    return false;
  }

 private:
  bool put_stack(N subtype, const FieldBits& bits) const {
    const std::size_t start = begin(out, subtype);
    put16(out, bits.start);
    put_name(out, bits.field);
    put16(out, bits.count);
    end(out, start, 24);
    return true;
  }
};

/// Actions that later versions have of their own and 1.0 only as Nicira's.
struct PutOf10 {
  Bytes& out;

  bool operator()(const PushMplsAction& a) const { return put_u16(N::kPushMpls, a.ethertype); }
  bool operator()(const PopMplsAction& a) const { return put_u16(N::kPopMpls, a.ethertype); }
  bool operator()(const SetMplsTtlAction& a) const { return put_u8(N::kSetMplsTtl, a.ttl); }
  bool operator()(const DecMplsTtlAction&) const { return put_u8(N::kDecMplsTtl, 0); }
  bool operator()(const DecNwTtlAction&) const { return put_u8(N::kDecTtl, 0); }
  bool operator()(const SetQueueAction& a) const { return put_u32(N::kSetQueue, a.queue_id); }
  bool operator()(const GroupAction& a) const { return put_u32(N::kGroup, a.group_id); }
  bool operator()(const SetNwTtlAction& a) const {
    put_reg_load(out, {FieldId::kIpTtl, SetFieldAction::Form::kRegLoad, field_value(a.ttl),
                       full_mask(field(FieldId::kIpTtl))});
    return true;
  }
  template <class Other>
  bool operator()(const Other&) const {
    return false;
  }

 private:
  bool put_u8(N subtype, std::uint8_t v) const {
    const std::size_t start = begin(out, subtype);
    put8(out, v);
    end(out, start);
    return true;
  }
  bool put_u16(N subtype, std::uint16_t v) const {
    const std::size_t start = begin(out, subtype);
    put16(out, v);
    end(out, start);
    return true;
  }
  bool put_u32(N subtype, std::uint32_t v) const {
    const std::size_t start = begin(out, subtype);
    put16(out, 0);
    put32(out, v);
    end(out, start);
    return true;
  }
};

void put_set_tunnel(Bytes& out, std::uint64_t id) {
  const bool is_long = id > UINT32_MAX;
  const std::size_t start = begin(out, is_long ? N::kSetTunnel64 : N::kSetTunnel);
  if (is_long) {
    put_zeros(out, 6);
    put64(out, id);
  } else {
    put16(out, 0);
    put32(out, static_cast<std::uint32_t>(id));
  }
  end(out, start);
}

}  // namespace

void put_reg_load(Bytes& out, const SetFieldAction& action) {
  // NXM_OF_IN_PORT[] is 16 bits wide.
  const unsigned bits = action.field == FieldId::kInPort ? 16 : field(action.field).bits;
  unsigned at = 0;
  while (at < bits) {
    if (!bit_of(action.mask, at)) {
      ++at;
      continue;
    }
    unsigned count = 1;
    while (count < 64 && at + count < bits && bit_of(action.mask, at + count)) ++count;
    put_load(out, action, at, count);
    at += count;
  }
}

void put_reg_load2(Bytes& out, const SetFieldAction& action) {
  const std::size_t start = begin(out, N::kRegLoad2);
  put_zeros(out, 6);
  put_entry(out, field(action.field), Flavor::kNxm, action.value, action.mask);
  end(out, start);
}

void put_write_metadata_action(Bytes& out, std::uint64_t value, std::uint64_t mask) {
  const std::size_t start = begin(out, N::kWriteMetadata);
  put_zeros(out, 6);
  put64(out, value);
  put64(out, mask);
  end(out, start, 32);
}

bool put_nicira_action(Bytes& out, const Action& action) { return std::visit(Put{out}, action); }

bool put_nicira_of10_action(Bytes& out, const Action& action) {
  return std::visit(PutOf10{out}, action);
}

void put_nicira_legacy_set(Bytes& out, const SetFieldAction& action) {
  const std::uint64_t value = low64(action.value);
  switch (action.field) {
    case FieldId::kTunnelId:
      put_set_tunnel(out, value);
      return;
    case FieldId::kMplsLabel: {
      const std::size_t start = begin(out, N::kSetMplsLabel);
      put16(out, 0);
      put32(out, static_cast<std::uint32_t>(value));
      end(out, start);
      return;
    }
    case FieldId::kMplsTc: {
      const std::size_t start = begin(out, N::kSetMplsTc);
      put8(out, static_cast<std::uint8_t>(value));
      end(out, start);
      return;
    }
    default:
      put_reg_load(out, action);
  }
}

}  // namespace hoist::openflow

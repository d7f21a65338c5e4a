// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include "openflow/action_codec.hpp"
#include "openflow/check.hpp"
#include "openflow/layers.hpp"
#include "openflow/match_codec.hpp"
#include "openflow/request_codec.hpp"

namespace hoist::openflow {
namespace {

using Command = FlowMod::Command;

bool is_delete(const FlowMod& mod) noexcept {
  return mod.command == Command::kDelete || mod.command == Command::kDeleteStrict;
}

Decoded<void> set_command(FlowMod& mod, unsigned command) {
  if (command > 4) return fault(ErrorName::kFlowModBadCommand, "flow mod command unknown");
  mod.command = static_cast<Command>(command);
  return {};
}

Decoded<void> set_flags(FlowMod& mod, std::uint16_t flags, Version version) {
  constexpr std::uint16_t kEmergency = 1u << 2;  // OpenFlow 1.0's only
  std::uint16_t known = FlowMod::kSendFlowRem | FlowMod::kCheckOverlap;
  if (version == Version::kOf10) {
    if ((flags & kEmergency) != 0) {
      const bool times_out = mod.idle_timeout != 0 || mod.hard_timeout != 0;
      return fault(times_out ? ErrorName::kFlowModBadTimeout : ErrorName::kFlowModTableFull,
                   "emergency flows are not supported");
    }
  } else {
    known |= FlowMod::kResetCounts | FlowMod::kNoPacketCounts | FlowMod::kNoByteCounts;
  }
  if ((flags & ~known) != 0) return fault(ErrorName::kFlowModBadFlags, "flow mod flags unknown");
  mod.flags = flags;
  // OpenFlow 1.0 has no flag for it: an add always resets counters.
  if (version == Version::kOf10 && mod.command == Command::kAdd) mod.flags |= FlowMod::kResetCounts;
  return {};
}

/// set_tp_src means the port of the protocol that the match demands, where it demands one.
void name_transport(FlowMod& mod) {
  const Layers layers = Layers::of(mod.match);
  const bool is_udp = layers.satisfy(Prerequisite::kUdp);
  if (!is_udp && !layers.satisfy(Prerequisite::kSctp)) return;
  for (Action& action : mod.instructions.apply_actions.edit()) {
    auto* set = std::get_if<SetFieldAction>(&action);
    if (set == nullptr || set->form != SetFieldAction::Form::kLegacy) continue;
    if (set->field == FieldId::kTcpSrc) set->field = is_udp ? FieldId::kUdpSrc : FieldId::kSctpSrc;
    if (set->field == FieldId::kTcpDst) set->field = is_udp ? FieldId::kUdpDst : FieldId::kSctpDst;
  }
}

/// What is the same for the three forms: instructions, flags, and whether it all makes sense.
Decoded<void> finish(FlowMod& mod, Reader& in, std::uint16_t flags, Version version) {
  if (mod.table_id >= kTableCount && mod.table_id != 0xff) {
    return fault(ErrorName::kFlowModBadTableId, "table " + std::to_string(mod.table_id));
  }
  if (auto done = read_instructions(in.rest(), version, mod.instructions); !done) return done;
  if (version == Version::kOf10 && !mod.instructions.apply_actions.empty()) name_transport(mod);
  if (auto done = set_flags(mod, flags, version); !done) return done;
  if (is_delete(mod)) return {};
  return check(mod.match, mod.instructions, {version, mod.table_id});
}

/// OpenFlow 1.0 and NXM: the command may carry a table; a modify sets the cookie, and may add.
Decoded<void> set_of10_command(FlowMod& mod, std::uint16_t command, std::uint64_t cookie,
                               bool has_table_id) {
  mod.table_id = has_table_id ? static_cast<std::uint8_t>(command >> 8) : std::uint8_t{0xff};
  const unsigned bare = has_table_id ? command & 0xffu : command;
  if (auto done = set_command(mod, bare); !done) return done;
  if (mod.command == Command::kAdd) {
    mod.cookie = cookie;
  } else if (!is_delete(mod)) {
    mod.modify_adds_when_missing = true;
    if (cookie != UINT64_MAX) mod.new_cookie = cookie;
  }
  return {};
}

}  // namespace

Decoded<FlowMod> decode_flow_mod(Reader in, Version version) {
  FlowMod mod;
  mod.cookie = in.u64();
  mod.cookie_mask = in.u64();
  mod.table_id = in.u8();
  const std::uint8_t command = in.u8();
  mod.idle_timeout = in.u16();
  mod.hard_timeout = in.u16();
  mod.priority = in.u16();
  mod.buffer_id = in.u32();
  mod.out_port = PortNo{in.u32()};
  mod.out_group = in.u32();
  const std::uint16_t flags = in.u16();
  mod.importance = in.u16();
  if (!in.is_ok()) return fault(ErrorName::kBadLength, "flow mod too short");
  if (auto done = set_command(mod, command); !done) return tl::unexpected(std::move(done.error()));
  if (mod.command == Command::kAdd) mod.cookie_mask = 0;
  if (!is_at_least(version, Version::kOf14)) mod.importance = 0;
  if (!is_delete(mod)) {
    // Only deletions look at where rules output; only they may mean all tables.
    mod.out_port = PortNo::kAny;
    mod.out_group = 0xffffffff;
    if (mod.table_id == 0xff)
      return fault(ErrorName::kFlowModBadTableId, "table 255 of an addition");
  } else if (!is_port_number(mod.out_port)) {
    return fault(ErrorName::kActionBadOutPort, "out_port is no port number");
  }
  if (auto done = take_oxm_match(in, mod.match); !done)
    return tl::unexpected(std::move(done.error()));
  if (auto done = finish(mod, in, flags, version); !done)
    return tl::unexpected(std::move(done.error()));
  return mod;
}

Decoded<FlowMod> decode_of10_flow_mod(Reader in, bool has_table_id) {
  if (in.left() < 64) return fault(ErrorName::kBadLength, "flow mod too short");
  FlowMod mod;
  const Of10Match match = take_of10_match(in);
  mod.match = match.match;
  const std::uint64_t cookie = in.u64();
  const std::uint16_t command = in.u16();
  mod.idle_timeout = in.u16();
  mod.hard_timeout = in.u16();
  mod.priority = in.u16();
  mod.buffer_id = in.u32();
  mod.out_port = port_from_16(in.u16());
  const std::uint16_t flags = in.u16();
  // A rule without wildcards has the highest priority, whatever it asks for (1.0, 3.4).
  if (match.is_exact) mod.priority = 0xffff;
  if (auto done = set_of10_command(mod, command, cookie, has_table_id); !done) {
    return tl::unexpected(std::move(done.error()));
  }
  if (!is_delete(mod)) mod.out_port = PortNo::kAny;
  if (auto done = finish(mod, in, flags, Version::kOf10); !done) {
    return tl::unexpected(std::move(done.error()));
  }
  return mod;
}

Decoded<FlowMod> decode_nicira_flow_mod(Reader in, bool has_table_id) {
  FlowMod mod;
  const std::uint64_t cookie = in.u64();
  const std::uint16_t command = in.u16();
  mod.idle_timeout = in.u16();
  mod.hard_timeout = in.u16();
  mod.priority = in.u16();
  mod.buffer_id = in.u32();
  mod.out_port = port_from_16(in.u16());
  const std::uint16_t flags = in.u16();
  const std::uint16_t match_size = in.u16();
  in.skip(6);
  if (!in.is_ok()) return fault(ErrorName::kBadLength, "flow mod too short");
  CookieFilter filter;
  if (auto done = take_nxm_match(in, match_size, mod.match, filter); !done) {
    return tl::unexpected(std::move(done.error()));
  }
  if (auto done = set_of10_command(mod, command, cookie, has_table_id); !done) {
    return tl::unexpected(std::move(done.error()));
  }
  if (mod.command != Command::kAdd) {
    mod.cookie = filter.cookie;
    mod.cookie_mask = filter.mask;
    if (filter.mask != 0) mod.modify_adds_when_missing = false;
  } else if (filter.mask != 0) {
    return fault(ErrorName::kMatchBadField, "an addition cannot match a cookie");
  }
  if (!is_delete(mod)) mod.out_port = PortNo::kAny;
  if (auto done = finish(mod, in, flags, Version::kOf10); !done) {
    return tl::unexpected(std::move(done.error()));
  }
  return mod;
}

}  // namespace hoist::openflow

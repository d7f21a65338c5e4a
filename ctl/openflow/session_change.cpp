// SPDX-License-Identifier: BSD-3-Clause
// A session's requests that change something.
#include <algorithm>
#include <array>
#include <utility>

#include "openflow/session.hpp"

namespace hoist::openflow {
namespace {

constexpr std::uint32_t kNoBuffer = 0xffffffff;
constexpr std::uint16_t kDeleteCommand = 2;  // OFPGC_DELETE.
/// Connections looked at in a step: well below a millisecond.
constexpr std::uint32_t kFlushPlaces = 2048;

bool is_zero(const MacAddress& mac) noexcept {
  return std::ranges::all_of(mac, [](std::uint8_t byte) { return byte == 0; });
}

}  // namespace

Decoded<void> Session::handle(FlowMod mod, const Context& at) {
  if (Decoded<void> allowed = forbid_slave(); !allowed) return allowed;
  return apply(std::move(mod), at.xid);
}

Decoded<void> Session::apply(FlowMod&& mod, std::uint32_t xid) {
  if (mod.buffer_id != kNoBuffer) {
    return fault(ErrorName::kBufferUnknown, "hoist buffers no packets");
  }
  return bridge_.rules().apply(std::move(mod), bridge_.now_ms(), {id_, xid});
}

Decoded<void> Session::handle(const PacketOut& out, const Context& /*at*/) {
  if (Decoded<void> allowed = forbid_slave(); !allowed) return allowed;
  if (out.buffer_id != kNoBuffer) {
    return fault(ErrorName::kBufferUnknown, "hoist buffers no packets");
  }
  const bool is_port = to_integer(out.in_port) <= to_integer(PortNo::kMax);
  const bool is_reserved = out.in_port == PortNo::kController || out.in_port == PortNo::kLocal ||
                           out.in_port == PortNo::kAny;
  if (!is_port && !is_reserved) return fault(ErrorName::kBadPort, "no such ingress port");
  if (Decoded<void> fit = bridge_.check_actions(out.actions); !fit) return fit;
  const PortNo in_port = out.in_port == PortNo::kAny ? PortNo::kController : out.in_port;
  const Result<void> sent =
      bridge_.planes().datapath().packet_out(bridge_.id(), in_port, out.frame, out.actions);
  if (sent) return {};
  Fault why = fault_of(sent.error());
  if (sent.error().code == Errc::kInvalidArgument) why.name = ErrorName::kBadPacket;
  return tl::unexpected<Fault>(std::move(why));
}

Decoded<void> Session::check(const PortMod& mod) const {
  const std::optional<PortDesc> port = bridge_.port(mod.port_no);
  if (!port) return fault(ErrorName::kPortModBadPort, "no such port");
  if (!is_zero(mod.hw_addr) && mod.hw_addr != port->status.mac) {
    return fault(ErrorName::kPortModBadHwAddr, "not this port's address");
  }
  constexpr std::uint32_t kKnown = PortFlags::kDown | PortFlags::kNoRecv | PortFlags::kNoFwd |
                                   PortFlags::kNoPacketIn | PortFlags::kNoFlood;
  if ((mod.mask & ~kKnown) != 0) {
    return fault(ErrorName::kPortModBadConfig, "unknown port configuration");
  }
  return {};
}

Decoded<void> Session::handle(const PortMod& mod, const Context& /*at*/) {
  if (Decoded<void> allowed = forbid_slave(); !allowed) return allowed;
  if (Decoded<void> fit = check(mod); !fit) return fit;
  const Result<void> result = bridge_.set_port_flags(mod.port_no, mod.config, mod.mask);
  if (!result) return fault(ErrorName::kPortModBadConfig, result.error().message);
  return {};
}

Decoded<void> Session::handle(const TableMod& mod, const Context& /*at*/) {
  if (Decoded<void> allowed = forbid_slave(); !allowed) return allowed;
  if (mod.table_id >= kTableCount && mod.table_id != RuleFilter::kAllTables) {
    return fault(ErrorName::kTableModBadTable, "no such table");
  }
  if (mod.config != 0) return fault(ErrorName::kTableModBadConfig, "tables have no options");
  return {};
}

Decoded<void> Session::handle(const GroupMod& mod, const Context& /*at*/) {
  if (Decoded<void> allowed = forbid_slave(); !allowed) return allowed;
  if (mod.command == kDeleteCommand) return {};  // There are none.
  return fault(ErrorName::kGroupModOutOfGroups, "groups are not supported");
}

Decoded<void> Session::handle(MeterMod mod, const Context& at) {
  if (Decoded<void> allowed = forbid_slave(); !allowed) return allowed;
  return bridge_.apply(std::move(mod), {id_, at.xid});
}

/// One that is not there is gone: no error, as in Open vSwitch.
Decoded<void> Session::handle(const NxCtFlush& flush, const Context& /*at*/) {
  if (Decoded<void> allowed = forbid_slave(); !allowed) return allowed;
  Connections* connections = connections_of(bridge_.planes().datapath());
  if (connections == nullptr) return fault(ErrorName::kPermission, "no connections are tracked");
  if (const auto tuple = flush.filter.whole_tuple()) {
    connections->flush_one(flush.filter.zone.value_or(0), *tuple);
    return {};
  }
  wait_for([connections, filter = flush.filter, cursor = Connections::Cursor{}]() mutable {
    std::uint64_t flushed = 0;
    return connections->flush(cursor, kFlushPlaces, filter, flushed) ? Progress::kRunning
                                                                     : Progress::kDone;
  });
  return {};
}

Decoded<void> Session::handle(const BundleControl& control, const Context& at) {
  if (Decoded<void> allowed = forbid_slave(); !allowed) return allowed;
  Decoded<void> result;
  switch (control.type) {
    case BundleTable::kOpen:
      result = bundles_.open(control.bundle_id, control.flags);
      break;
    case BundleTable::kClose:
      result = bundles_.close(control.bundle_id, control.flags);
      break;
    case BundleTable::kDiscard:
      result = bundles_.discard(control.bundle_id);
      break;
    case BundleTable::kCommit: {
      const Decoded<Bundle> bundle = bundles_.take(control.bundle_id, control.flags);
      result = bundle ? commit(*bundle) : tl::unexpected<Fault>(bundle.error());
      break;
    }
    default:
      return fault(ErrorName::kBundleBadType, "unknown bundle request");
  }
  if (result) encode_bundle_reply(output_, to(at), control);
  return result;
}

Decoded<void> Session::handle(const BundleAdd& add, const Context& at) {
  if (Decoded<void> allowed = forbid_slave(); !allowed) return allowed;
  const Decoded<void> fit = check(add, at);
  if (!fit) {
    bundles_.spoil(add.bundle_id);
    return fit;
  }
  if (const auto inner = decode(add.message, dialect()); !inner) {
    bundles_.spoil(add.bundle_id);
    encode_error(output_, to(at), inner.error(), add.message);
    return {};
  }
  return bundles_.add(add.bundle_id, add.flags, add.message);
}

Decoded<void> Session::check(const BundleAdd& add, const Context& at) const {
  const std::optional<Header> header = Header::read(add.message);
  if (!header || header->length != add.message.size()) {
    return fault(ErrorName::kBundleMessageBadLength, "inner message has another length");
  }
  if (header->xid != at.xid) {
    return fault(ErrorName::kBundleMessageBadXid, "inner message has another xid");
  }
  if (header->version != static_cast<std::uint8_t>(version_)) {
    return fault(ErrorName::kBundleMessageUnsupported, "inner message has another version");
  }
  // OFPT_FLOW_MOD, OFPT_GROUP_MOD, OFPT_PORT_MOD: the same numbers from OpenFlow 1.3 on.
  constexpr std::array<std::uint8_t, 3> kBundled = {14, 15, 16};
  if (std::ranges::find(kBundled, header->type) == kBundled.end()) {
    return fault(ErrorName::kBundleMessageUnsupported, std::string(type_name(*header)));
  }
  return {};
}

/// All or nothing: every message is tried against the rules as the ones before leave them.
Decoded<void> Session::commit(const Bundle& bundle) {
  std::vector<PortMod> port_mods;
  bool is_good = true;
  bundle.for_each([&](std::span<const std::uint8_t> message) {
    const Decoded<void> result = apply_inner(message, port_mods);
    if (result) return true;
    const Header header = *Header::read(message);
    refuse({header.xid, message}, result.error());
    is_good = false;
    return false;
  });
  if (!is_good) {
    bridge_.rules().rollback();
    return fault(ErrorName::kBundleMessageFailed, "a message of the bundle failed");
  }
  bridge_.flush();
  for (const PortMod& mod : port_mods) {
    const Result<void> result = bridge_.set_port_flags(mod.port_no, mod.config, mod.mask);
    if (!result) return fault(ErrorName::kBundleMessageFailed, result.error().message);
  }
  return {};
}

Decoded<void> Session::apply_inner(std::span<const std::uint8_t> message,
                                   std::vector<PortMod>& port_mods) {
  auto request = decode(message, dialect());
  const Header header = *Header::read(message);
  if (!request) return fault(ErrorName::kBundleMessageFailed, request.error().detail);
  if (auto* mod = std::get_if<FlowMod>(&*request)) return apply(std::move(*mod), header.xid);
  if (const auto* mod = std::get_if<GroupMod>(&*request))
    return handle(*mod, {header.xid, message});
  if (const auto* mod = std::get_if<PortMod>(&*request)) {
    port_mods.push_back(*mod);
    return check(*mod);
  }
  return fault(ErrorName::kBundleMessageUnsupported, std::string(type_name(header)));
}

}  // namespace hoist::openflow

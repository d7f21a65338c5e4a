// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include "openflow/action_codec.hpp"
#include "openflow/nicira_action.hpp"

// NXAST_CT (nicira-ext.h), behind the subtype:
//
//     0        2            6                   8         9    12    14
//     | flags  | zone_src   | zone or its bits  | table   | pad | alg | actions ...
//
// and NXAST_NAT inside it:
//
//     0     2       4                 6
//     | pad | flags | range_present   | what is present ...
namespace hoist::openflow {
namespace {

using N = NiciraAction;
using Kind = NatAction::Kind;

constexpr std::uint16_t kCommit = 1, kForce = 2;
constexpr std::uint8_t kNoTable = 0xff;
constexpr std::uint16_t kNatSource = 1, kNatDestination = 2, kNatPersistent = 4, kNatHash = 8,
                        kNatRandom = 16, kNatFlags = 31;
constexpr std::uint16_t kIpv4First = 1, kIpv4Last = 2, kIpv6First = 4, kIpv6Last = 8,
                        kPortFirst = 16, kPortLast = 32;

Decoded<void> bad(const char* why) { return fault(ErrorName::kActionBadArgument, why); }

bool is_before(const Ipv6Address& a, const Ipv6Address& b) { return a < b; }

Ipv6Address take_ipv4(Reader& in) {
  const auto four = in.array<4>();
  Ipv6Address out{};
  std::ranges::copy(four, out.begin());
  return out;
}

Decoded<void> read_addresses(Reader& in, std::uint16_t present, NatAction& nat) {
  const bool has_ipv4 = (present & kIpv4First) != 0;
  const bool has_ipv6 = (present & kIpv6First) != 0;
  if (has_ipv4 && (present & (kIpv6First | kIpv6Last)) != 0) return bad("nat: two families");
  if (!has_ipv4 && (present & kIpv4Last) != 0) return bad("nat: last address without first");
  if (!has_ipv6 && (present & kIpv6Last) != 0) return bad("nat: last address without first");
  if (!has_ipv4 && !has_ipv6) return {};
  nat.family = has_ipv4 ? 4 : 6;
  nat.first = has_ipv4 ? take_ipv4(in) : in.array<16>();
  if (nat.first == Ipv6Address{}) return bad("nat: address is zero");
  if ((present & (kIpv4Last | kIpv6Last)) != 0) {
    nat.last = has_ipv4 ? take_ipv4(in) : in.array<16>();
    if (is_before(nat.last, nat.first)) return bad("nat: last address before the first");
  }
  return {};
}

Decoded<void> read_ports(Reader& in, std::uint16_t present, NatAction& nat) {
  if ((present & kPortFirst) == 0) {
    return (present & kPortLast) == 0 ? Decoded<void>{} : bad("nat: last port without first");
  }
  if (nat.family == 0) return bad("nat: ports without an address");
  nat.first_port = in.u16();
  if (nat.first_port == 0) return bad("nat: port is zero");
  if ((present & kPortLast) == 0) return {};
  nat.last_port = in.u16();
  return nat.last_port < nat.first_port ? bad("nat: last port before the first") : Decoded<void>{};
}

Decoded<void> read_nat(Reader in, CtAction& ct) {
  if (ct.nat) return bad("ct with two nat");
  in.skip(2);
  const std::uint16_t flags = in.u16();
  const std::uint16_t present = in.u16();
  const bool both_ends = (flags & kNatSource) != 0 && (flags & kNatDestination) != 0;
  const bool both_ways = (flags & kNatHash) != 0 && (flags & kNatRandom) != 0;
  if ((flags & ~kNatFlags) != 0 || both_ends || both_ways) return bad("nat: flags");
  NatAction nat;
  if ((flags & kNatSource) != 0) nat.kind = Kind::kSource;
  if ((flags & kNatDestination) != 0) nat.kind = Kind::kDestination;
  nat.is_persistent = (flags & kNatPersistent) != 0;
  nat.is_hash = (flags & kNatHash) != 0;
  nat.is_random = (flags & kNatRandom) != 0;
  if (auto done = read_addresses(in, present, nat); !done) return done;
  if (auto done = read_ports(in, present, nat); !done) return done;
  if (!in.is_ok()) return bad("nat: cut short");
  ct.nat = nat;
  return {};
}

bool is_of_connection(FieldId id) { return id == FieldId::kCtMark || id == FieldId::kCtLabel; }

Decoded<void> add_exec(const Action& action, CtAction& ct) {
  if (const auto* set = std::get_if<SetFieldAction>(&action)) {
    if (!is_of_connection(set->field)) {
      return fault(ErrorName::kActionBadSetArgument, "ct writes mark and label alone");
    }
    ct.exec.emplace_back(*set);
    return {};
  }
  if (const auto* move = std::get_if<MoveAction>(&action)) {
    if (!is_of_connection(move->target.field)) {
      return fault(ErrorName::kActionBadSetArgument, "ct writes mark and label alone");
    }
    ct.exec.emplace_back(*move);
    return {};
  }
  return bad("ct does not take this action inside");
}

Decoded<void> read_inner(ByteSpan bytes, Version version, CtAction& ct) {
  Reader in(bytes);
  while (in.left() != 0) {
    const ByteSpan all = in.rest();
    const std::uint16_t type = in.u16();
    const std::uint16_t length = in.u16();
    if (length < 8 || length % 8 != 0 || length > all.size()) {
      return fault(ErrorName::kActionBadLength, "action inside ct");
    }
    Reader body(in.bytes(length - 4u));
    const bool is_nicira = type == 0xffff && length >= 16 && body.u32() == kNiciraId;
    if (is_nicira && body.u16() == to_integer(N::kNat)) {
      if (auto done = read_nat(body, ct); !done) return done;
      continue;
    }
    Instructions inner;
    if (auto done = read_actions(all.first(length), version, inner); !done) return done;
    for (const Action& action : inner.apply_actions) {
      if (auto done = add_exec(action, ct); !done) return done;
    }
  }
  return {};
}

Decoded<void> read_zone(Reader& in, CtAction& ct) {
  Reader source(in.bytes(4));
  const bool is_plain = is_all_zeros(source.rest());
  const std::uint16_t raw = in.u16();
  if (is_plain) {
    ct.zone = raw;
    return {};
  }
  const auto f = take_field(source, kActionErrors);
  if (!f) return tl::unexpected(f.error());
  const auto count = static_cast<std::uint16_t>((raw & 0x3f) + 1);
  const auto bits = checked_bits({**f, static_cast<std::uint16_t>(raw >> 6), count}, false);
  if (!bits) return tl::unexpected(bits.error());
  if (bits->count != 16) return fault(ErrorName::kActionBadSetLength, "a ct zone has 16 bits");
  ct.zone_source = *bits;
  return {};
}

void put_nat(Bytes& out, const NatAction& nat) {
  const std::size_t start = out.size();
  put16(out, 0xffff);
  put16(out, 0);
  put32(out, kNiciraId);
  put16(out, to_integer(N::kNat));
  put16(out, 0);
  unsigned flags = 0;
  if (nat.kind == Kind::kSource) flags |= kNatSource;
  if (nat.kind == Kind::kDestination) flags |= kNatDestination;
  if (nat.is_persistent) flags |= kNatPersistent;
  if (nat.is_hash) flags |= kNatHash;
  if (nat.is_random) flags |= kNatRandom;
  put16(out, static_cast<std::uint16_t>(flags));
  unsigned present = 0;
  const std::size_t present_at = out.size();
  put16(out, 0);
  const std::size_t size = nat.family == 4 ? 4 : 16;
  const auto put_address = [&](const Ipv6Address& address, unsigned bit) {
    if (nat.family == 0 || address == Ipv6Address{}) return;
    present |= nat.family == 4 ? bit : bit << 2;
    put_bytes(out, ByteSpan{address.data(), size});
  };
  put_address(nat.first, kIpv4First);
  put_address(nat.last, kIpv4Last);
  if (nat.first_port != 0) {
    present |= kPortFirst;
    put16(out, nat.first_port);
    if (nat.last_port != 0) {
      present |= kPortLast;
      put16(out, nat.last_port);
    }
  }
  set16(out, present_at, present);
  pad_to_8(out, start);
  set16(out, start + 2, out.size() - start);
}

}  // namespace

Decoded<void> read_ct(Reader in, Version version, ActionList& out) {
  CtAction ct;
  const std::uint16_t flags = in.u16();
  ct.commit = (flags & kCommit) != 0;
  ct.force = (flags & kForce) != 0;
  if ((flags & ~(kCommit | kForce)) != 0 || (ct.force && !ct.commit)) return bad("ct: flags");
  if (auto done = read_zone(in, ct); !done) return done;
  const std::uint8_t table_id = in.u8();
  if (table_id != kNoTable) ct.table_id = table_id;
  in.skip(3);
  ct.alg = in.u16();
  if (!in.is_ok()) return fault(ErrorName::kActionBadLength, "ct cut short");
  if (auto done = read_inner(in.rest(), version, ct); !done) return done;
  const bool needs_commit =
      !ct.exec.empty() || (ct.nat && (ct.nat->kind != Kind::kExisting || ct.nat->family != 0));
  if (needs_commit && !ct.commit) return bad("ct without commit does no more than nat");
  out.push_back(std::move(ct));
  return {};
}

void put_ct(Bytes& out, const CtAction& action, Version version) {
  const std::size_t start = out.size();
  put16(out, 0xffff);
  put16(out, 0);
  put32(out, kNiciraId);
  put16(out, to_integer(N::kCt));
  put16(out,
        static_cast<std::uint16_t>((action.commit ? kCommit : 0) | (action.force ? kForce : 0)));
  if (action.zone_source) {
    put32(out, nxm_header_of(field(action.zone_source->field)));
    put16(out, static_cast<std::uint16_t>(action.zone_source->start << 6 |
                                          (action.zone_source->count - 1)));
  } else {
    put32(out, 0);
    put16(out, action.zone);
  }
  put8(out, action.table_id.value_or(kNoTable));
  put_zeros(out, 3);
  put16(out, action.alg);
  if (action.nat) put_nat(out, *action.nat);
  ActionList inner;
  for (const CtAction::Exec& exec : action.exec) {
    std::visit([&](const auto& a) { inner.emplace_back(a); }, exec);
  }
  put_actions(out, inner, version, false);
  set16(out, start + 2, out.size() - start);
}

}  // namespace hoist::openflow

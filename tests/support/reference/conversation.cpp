// SPDX-License-Identifier: BSD-3-Clause
#include "support/reference/conversation.hpp"

#include <algorithm>

#include "support/reference/checksums.hpp"

namespace hoist::reference {
namespace {

/// Of an ICMP or ICMPv6 question and answer (RFC 792, RFC 4443).
constexpr std::array<std::array<std::uint8_t, 2>, 3> kIcmpPairs = {{{8, 0}, {13, 14}, {15, 16}}};
constexpr std::array<std::array<std::uint8_t, 2>, 1> kIcmpv6Pairs = {{{128, 129}}};

template <class Pairs>
std::optional<std::uint8_t> partner(const Pairs& pairs, std::uint8_t type) {
  for (const auto& pair : pairs) {
    if (type == pair[0]) return pair[1];
    if (type == pair[1]) return pair[0];
  }
  return std::nullopt;
}
std::optional<std::uint8_t> partner(std::uint8_t family, std::uint8_t type) {
  return family == 4 ? partner(kIcmpPairs, type) : partner(kIcmpv6Pairs, type);
}

bool read_transport(View frame, const Layers& l, Conversation& out) {
  const std::size_t at = l.transport_at;
  const std::size_t size = l.network_end - at;
  if (out.is_icmp()) {
    if (size < 8 || frame[at + 1] != 0 || !partner(out.family, frame[at])) return false;
    out.icmp_type = frame[at];
    out.src_port = get16(frame, at + 4);
    return true;
  }
  if (l.ip_proto != 17 && l.ip_proto != 132) return l.ip_proto != 6;
  if (l.transport == Transport::kNone) return false;
  out.src_port = get16(frame, at);
  out.dst_port = get16(frame, at + 2);
  if (l.ip_proto == 17) {
    const std::size_t says = get16(frame, at + 4);
    if (says < 8 || says > size) return false;
    // Over IPv6 there must be a checksum (RFC 8200, 8.1).
    if (out.family == 6 && get16(frame, at + 6) == 0) return false;
  }
  return out.src_port != 0 && out.dst_port != 0;
}

}  // namespace

Conversation Conversation::reversed() const {
  Conversation out = *this;
  std::swap(out.src, out.dst);
  if (is_icmp()) {
    out.icmp_type = partner(family, icmp_type).value_or(255);
  } else {
    std::swap(out.src_port, out.dst_port);
  }
  return out;
}

std::optional<Conversation> find_conversation(const Bytes& frame) {
  const Layers l = find_layers(frame);
  const bool is_ip = l.network == Network::kIpv4 || l.network == Network::kIpv6;
  if (!is_ip || l.ip_frag != 0) return std::nullopt;
  Conversation out;
  out.family = l.network == Network::kIpv4 ? 4 : 6;
  out.ip_proto = l.ip_proto;
  const std::size_t size = out.family == 4 ? 4 : 16;
  const auto from =
      frame.begin() + static_cast<std::ptrdiff_t>(l.network_at) + (size == 4 ? 12 : 8);
  std::copy_n(from, size, out.src.begin());
  std::copy_n(from + static_cast<std::ptrdiff_t>(size), size, out.dst.begin());
  if (!read_transport(frame, l, out) || !Checksums(frame).are_right()) return std::nullopt;
  return out;
}

void become(Bytes& frame, const Conversation& other) {
  const Checksums checksums(frame);
  const Layers l = find_layers(frame);
  const std::size_t size = other.family == 4 ? 4 : 16;
  const auto to = frame.begin() + static_cast<std::ptrdiff_t>(l.network_at) + (size == 4 ? 12 : 8);
  std::copy_n(other.src.begin(), size, to);
  std::copy_n(other.dst.begin(), size, to + static_cast<std::ptrdiff_t>(size));
  if (other.is_icmp()) {
    put16(frame, l.transport_at + 4, other.src_port);
  } else if (other.ip_proto == 17 || other.ip_proto == 132) {
    put16(frame, l.transport_at, other.src_port);
    put16(frame, l.transport_at + 2, other.dst_port);
  }
  checksums.repair(frame);
}

std::optional<Connections::Found> Connections::find(std::uint16_t zone, const Conversation& packet,
                                                    std::uint64_t now_ms) const {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const Connection& c = all_[i];
    if (c.zone != zone || !is_alive(i, now_ms)) continue;
    if (c.forward == packet) return Found{i, false};
    if (c.reply == packet) return Found{i, true};
  }
  return std::nullopt;
}

void Connections::see(const Found& found, std::uint64_t now_ms) {
  Connection& c = all_[found.index];
  const bool is_icmp = c.forward.ip_proto == 1 || c.forward.ip_proto == 58;
  if (found.is_reply) {
    c.seen = Connection::Seen::kBothWays;
  } else if (c.seen == Connection::Seen::kFirst && !is_icmp) {
    c.seen = Connection::Seen::kMore;
  }
  // udp_multiple, icmp_reply; udp_single, icmp_first.
  c.expires_ms = now_ms + (c.seen == Connection::Seen::kBothWays ? 30'000 : 60'000);
}

std::optional<std::size_t> Connections::open(std::uint16_t zone, const Conversation& packet,
                                             const NatAction* nat, std::uint64_t now_ms) {
  Connection c{.zone = zone,
               .forward = packet,
               .reply = packet.reversed(),
               .expires_ms = now_ms + 60'000};  // udp_first, icmp_first.
  const auto add = [&]() -> std::size_t {
    all_.push_back(c);
    return all_.size() - 1;
  };
  const auto is_free = [&] { return !find(zone, c.reply, now_ms); };
  if (nat == nullptr) return is_free() ? std::optional(add()) : std::nullopt;
  c.nat = nat->kind;
  (nat->kind == NatAction::Kind::kSource ? c.reply.dst : c.reply.src) = nat->first;
  // The sender's own port, else one near it, of those that are as privileged.
  const bool has_ports = packet.ip_proto == 17 || packet.ip_proto == 132 || packet.ip_proto == 1;
  if (!has_ports) return is_free() ? std::optional(add()) : std::nullopt;
  const std::uint16_t own = packet.src_port;
  const unsigned first = own < 512 ? 1 : own < 1024 ? 600 : 1024;
  const unsigned last = own < 512 ? 511 : own < 1024 ? 1023 : 65535;
  for (unsigned i = 0, port = own; i < 128; ++i, port = port == last ? first : port + 1) {
    (packet.is_icmp() ? c.reply.src_port : c.reply.dst_port) = static_cast<std::uint16_t>(port);
    if (is_free()) return add();
  }
  return std::nullopt;
}

}  // namespace hoist::reference

// SPDX-License-Identifier: BSD-3-Clause
#include "support/packet_builder.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "support/internet_checksum.hpp"

namespace hoist::test {
namespace {

using Layer = Packet::Layer;
using Layers = std::span<const Layer>;

[[noreturn]] void no_address(std::string_view text) {
  std::fprintf(stderr, "not an address: %.*s\n", static_cast<int>(text.size()), text.data());
  std::abort();
}

void put8(Bytes& out, unsigned v) { out.push_back(static_cast<std::uint8_t>(v)); }
void put16(Bytes& out, unsigned v) {
  put8(out, v >> 8);
  put8(out, v);
}
void put32(Bytes& out, std::uint32_t v) {
  put16(out, v >> 16);
  put16(out, v);
}
template <class Range>
void put(Bytes& out, const Range& bytes) {
  for (const std::uint8_t b : bytes) out.push_back(b);  // insert() trips GCC 12's -Warray-bounds.
}
void set16(Bytes& at, std::size_t offset, unsigned v) {
  at[offset] = static_cast<std::uint8_t>(v >> 8);
  at[offset + 1] = static_cast<std::uint8_t>(v);
}

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;  // Clang 14 does not find it by itself.

// 0x88b5 and 253 are the numbers for experiments.
unsigned ether_type(Layers rest, std::size_t body_size) {
  if (rest.empty()) return 0x88b5;
  return std::visit(Overloaded{[](const Vlan& l) -> unsigned { return l.tpid; },
                               [](const Mpls& l) -> unsigned { return l.ethertype; },
                               [](const Arp& l) -> unsigned { return l.ethertype; },
                               [](const Ipv4&) -> unsigned { return 0x0800; },
                               [](const Ipv6&) -> unsigned { return 0x86dd; },
                               [&](const Llc&) { return static_cast<unsigned>(body_size); },
                               [&](const Snap&) { return static_cast<unsigned>(body_size); },
                               [](const auto&) -> unsigned { return 0x88b5; }},
                    rest.front());
}

unsigned ip_protocol(Layers rest) {
  if (rest.empty()) return 253;
  return std::visit(
      Overloaded{
          [](const Tcp&) -> unsigned { return 6; }, [](const Udp&) -> unsigned { return 17; },
          [](const Sctp&) -> unsigned { return 132; }, [](const Icmp&) -> unsigned { return 1; },
          [](const Icmpv6&) -> unsigned { return 58; },
          [](const Neighbour&) -> unsigned { return 58; },
          [](const Ipv4&) -> unsigned { return 4; }, [](const Ipv6&) -> unsigned { return 41; },
          [](const Ipv6Extension& l) -> unsigned { return l.type; },
          [](const Ipv6Fragment&) -> unsigned { return 44; },
          [](const auto&) -> unsigned { return 253; }},
      rest.front());
}

// Sum of the pseudo header of the innermost IP layer among `outer` (RFC 9293, 3.1; RFC 8200, 8.1).
std::uint64_t pseudo_header(Layers outer, unsigned protocol, std::size_t l4_size) {
  for (std::size_t i = outer.size(); i-- > 0;) {
    Bytes bytes;
    if (const auto* v4 = std::get_if<Ipv4>(&outer[i])) {
      put32(bytes, v4->src.host());
      put32(bytes, v4->dst.host());
    } else if (const auto* v6 = std::get_if<Ipv6>(&outer[i])) {
      put(bytes, v6->src);
      put(bytes, v6->dst);
    } else {
      continue;
    }
    put32(bytes, static_cast<std::uint32_t>(l4_size));
    put32(bytes, protocol);
    return checksum_add(bytes);
  }
  return 0;
}

// Writes a checksum at `offset` of a header: the one given, or that of header, body and `sum`.
void set_checksum(Bytes& header, std::size_t offset, const Bytes& body, std::uint64_t sum,
                  std::optional<std::uint16_t> given) {
  Bytes all = header;
  put(all, body);
  set16(header, offset, given ? *given : checksum_finish(checksum_add(all, sum)));
}

/// Writes one layer's header, given what is around it.
struct Writer {
  Layers outer, inner;
  const Bytes& body;

  Bytes operator()(const Bytes& l) const { return l; }
  Bytes operator()(const Eth& l) const {
    Bytes out;
    put(out, l.dst);
    put(out, l.src);
    put16(out, l.type ? *l.type : ether_type(inner, body.size()));
    return out;
  }
  // The TPID belongs to the layer before, so what follows the TCI is the next one's type.
  Bytes operator()(const Vlan& l) const {
    Bytes out;
    put16(out, static_cast<unsigned>(l.pcp << 13 | l.cfi << 12 | l.vid));
    put16(out, l.type ? *l.type : ether_type(inner, body.size()));
    return out;
  }
  Bytes operator()(const Llc& l) const { return {l.dsap, l.ssap, l.control}; }
  Bytes operator()(const Snap& l) const {
    Bytes out{0xaa, 0xaa, 0x03};
    put8(out, l.oui >> 16);
    put16(out, l.oui);
    put16(out, l.type ? *l.type : ether_type(inner, body.size()));
    return out;
  }
  Bytes operator()(const Mpls& l) const {
    const bool is_bottom = inner.empty() || !std::holds_alternative<Mpls>(inner.front());
    Bytes out;
    put32(out, l.label << 12 | std::uint32_t{l.tc} << 9 |
                   std::uint32_t{l.bos.value_or(is_bottom)} << 8 | l.ttl);
    return out;
  }
  Bytes operator()(const Arp& l) const {
    Bytes out;
    put16(out, l.hardware);
    put16(out, l.protocol);
    put8(out, l.hardware_bytes);
    put8(out, l.protocol_bytes);
    put16(out, l.op);
    put(out, l.sha);
    put32(out, l.spa.host());
    put(out, l.tha);
    put32(out, l.tpa.host());
    return out;
  }
  Bytes operator()(const Ipv4& l) const {
    const std::size_t header_size = 20 + l.options.size();
    Bytes out;
    put8(out, static_cast<unsigned>(l.version << 4) | l.ihl.value_or(header_size / 4));
    put8(out, l.tos);
    put16(out, l.total_length.value_or(header_size + body.size()));
    put16(out, l.id);
    put16(out, static_cast<unsigned>(l.dont_fragment << 14 | l.more_fragments << 13) |
                   l.fragment_offset);
    put8(out, l.ttl);
    put8(out, l.proto ? *l.proto : ip_protocol(inner));
    put16(out, 0);
    put32(out, l.src.host());
    put32(out, l.dst.host());
    put(out, l.options);
    set_checksum(out, 10, {}, 0, l.checksum);
    return out;
  }
  Bytes operator()(const Ipv6& l) const {
    Bytes out;
    put32(out, std::uint32_t{l.version} << 28 | std::uint32_t{l.traffic_class} << 20 | l.label);
    put16(out, l.payload_length.value_or(body.size()));
    put8(out, l.next_header ? *l.next_header : ip_protocol(inner));
    put8(out, l.hop_limit);
    put(out, l.src);
    put(out, l.dst);
    return out;
  }
  // AH counts its length in words of 4 bytes, less 2; the others in 8 bytes beyond the first 8.
  Bytes operator()(const Ipv6Extension& l) const {
    Bytes out;
    put8(out, l.next_header ? *l.next_header : ip_protocol(inner));
    put8(out, 0);
    put(out, l.body);
    out.resize(std::max<std::size_t>(8, (out.size() + 7) / 8 * 8));
    out[1] = l.length.value_or(l.type == 51 ? out.size() / 4 - 2 : out.size() / 8 - 1);
    return out;
  }
  Bytes operator()(const Ipv6Fragment& l) const {
    Bytes out;
    put8(out, l.next_header ? *l.next_header : ip_protocol(inner));
    put8(out, 0);
    put16(out, static_cast<unsigned>(l.offset << 3 | l.more));
    put32(out, l.id);
    return out;
  }
  Bytes operator()(const Tcp& l) const {
    const std::size_t header_size = 20 + l.options.size();
    Bytes out;
    put16(out, l.src);
    put16(out, l.dst);
    put32(out, l.seq);
    put32(out, l.ack);
    put16(out, static_cast<unsigned>(l.data_offset.value_or(header_size / 4) << 12) | l.flags);
    put16(out, l.window);
    put16(out, 0);
    put16(out, l.urgent);
    put(out, l.options);
    set_checksum(out, 16, body, pseudo_header(outer, 6, out.size() + body.size()), l.checksum);
    return out;
  }
  Bytes operator()(const Udp& l) const {
    Bytes out;
    put16(out, l.src);
    put16(out, l.dst);
    put16(out, l.length.value_or(8 + body.size()));
    put16(out, 0);
    set_checksum(out, 6, body, pseudo_header(outer, 17, 8 + body.size()), l.checksum);
    if (!l.checksum && out[6] == 0 && out[7] == 0) set16(out, 6, 0xffff);
    return out;
  }
  Bytes operator()(const Sctp& l) const {
    Bytes out;
    put16(out, l.src);
    put16(out, l.dst);
    put32(out, l.tag);
    put32(out, 0);
    Bytes all = out;
    put(all, body);
    const std::uint32_t crc = l.checksum ? *l.checksum : crc32c(all);
    for (std::size_t i = 0; i < 4; ++i) out[8 + i] = static_cast<std::uint8_t>(crc >> (8 * i));
    return out;
  }
  Bytes operator()(const Icmp& l) const {
    Bytes out{l.type, l.code, 0, 0};
    put32(out, l.rest);
    set_checksum(out, 2, body, 0, l.checksum);
    return out;
  }
  Bytes operator()(const Icmpv6& l) const {
    Bytes out{l.type, l.code, 0, 0};
    put32(out, l.rest);
    set_checksum(out, 2, body, pseudo_header(outer, 58, out.size() + body.size()), l.checksum);
    return out;
  }
  Bytes operator()(const Neighbour& l) const {
    Bytes out{l.type, l.code, 0, 0};
    put32(out, l.rest);
    put(out, l.target);
    for (const auto& [type, address] : {std::pair{1u, l.sll}, std::pair{2u, l.tll}}) {
      if (!address) continue;
      put8(out, type);
      put8(out, 1);
      put(out, *address);
    }
    set_checksum(out, 2, body, pseudo_header(outer, 58, out.size() + body.size()), l.checksum);
    return out;
  }
};

}  // namespace

MacAddress mac(std::string_view text) {
  MacAddress out{};
  unsigned b[6];
  const std::string copy(text);
  if (std::sscanf(copy.c_str(), "%2x:%2x:%2x:%2x:%2x:%2x", &b[0], &b[1], &b[2], &b[3], &b[4],
                  &b[5]) != 6) {
    no_address(text);
  }
  std::transform(b, b + 6, out.begin(), [](unsigned v) { return static_cast<std::uint8_t>(v); });
  return out;
}

Be32 ip4(std::string_view text) {
  std::uint32_t wire = 0;
  if (inet_pton(AF_INET, std::string(text).c_str(), &wire) != 1) no_address(text);
  return Be32::from_wire(wire);
}

Ipv6Address ip6(std::string_view text) {
  Ipv6Address out{};
  if (inet_pton(AF_INET6, std::string(text).c_str(), out.data()) != 1) no_address(text);
  return out;
}

Packet& Packet::payload(std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i);
  return payload(std::move(bytes));
}

Bytes Packet::bytes() const {
  const Layers layers(layers_);
  Bytes body;
  for (std::size_t i = layers.size(); i-- > 0;) {
    Bytes out = std::visit(Writer{layers.first(i), layers.subspan(i + 1), body}, layers[i]);
    put(out, body);
    body = std::move(out);
  }
  body.resize(std::max(body.size(), frame_size_));
  return body;
}

}  // namespace hoist::test

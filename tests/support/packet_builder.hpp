// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "hoist/types.hpp"

namespace hoist::test {

using Bytes = std::vector<std::uint8_t>;

/// Addresses from text, for tests to read well: mac("02:00:00:00:00:01"), ip4("10.0.0.1"),
/// ip6("fd00::1"). Text that is none ends the test program.
[[nodiscard]] MacAddress mac(std::string_view text);
[[nodiscard]] Be32 ip4(std::string_view text);
[[nodiscard]] Ipv6Address ip6(std::string_view text);

// The layers. Members that are optional are worked out from what follows, unless given. All
// integers are in host order.

struct Eth {
  MacAddress dst = {0x02, 0, 0, 0, 0, 0x02};
  MacAddress src = {0x02, 0, 0, 0, 0, 0x01};
  std::optional<std::uint16_t> type;  ///< Ethernet type, or length before Llc and Snap.
};
struct Vlan {
  std::uint16_t vid = 1;
  std::uint8_t pcp = 0;
  bool cfi = false;  ///< As on the wire; a FlowKey has kVlanPresent instead.
  std::uint16_t tpid = 0x8100;
  std::optional<std::uint16_t> type;
};
/// 802.2 without SNAP, after an Ethernet length.
struct Llc {
  std::uint8_t dsap = 0x42, ssap = 0x42, control = 0x03;
};
/// 802.2 with SNAP, after an Ethernet length.
struct Snap {
  std::uint32_t oui = 0;
  std::optional<std::uint16_t> type;
};
struct Mpls {
  std::uint32_t label = 16;
  std::uint8_t tc = 0;
  std::uint8_t ttl = 64;
  std::optional<bool> bos;
  std::uint16_t ethertype = 0x8847;
};
struct Arp {
  std::uint16_t op = 1;
  MacAddress sha = {0x02, 0, 0, 0, 0, 0x01};
  Be32 spa{0x0a000001};
  MacAddress tha = {};
  Be32 tpa{0x0a000002};
  std::uint16_t hardware = 1, protocol = 0x0800;
  std::uint8_t hardware_bytes = 6, protocol_bytes = 4;
  std::uint16_t ethertype = 0x0806;  ///< 0x8035 for RARP.
};
struct Ipv4 {
  Be32 src{0x0a000001};
  Be32 dst{0x0a000002};
  std::optional<std::uint8_t> proto;
  std::uint8_t tos = 0;
  std::uint8_t ttl = 64;
  std::uint16_t id = 1;
  std::uint16_t fragment_offset = 0;  ///< In units of 8 bytes.
  bool more_fragments = false, dont_fragment = false;
  Bytes options{};  ///< A multiple of 4 bytes.
  std::optional<std::uint16_t> total_length, checksum;
  std::optional<std::uint8_t> ihl;  ///< Header length in words of 4 bytes.
  std::uint8_t version = 4;
};
struct Ipv6 {
  Ipv6Address src = {0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  Ipv6Address dst = {0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2};
  std::optional<std::uint8_t> next_header;
  std::uint8_t traffic_class = 0;
  std::uint8_t hop_limit = 64;
  std::uint32_t label = 0;
  std::optional<std::uint16_t> payload_length;
  std::uint8_t version = 6;
};
/// Hop-by-hop (0), routing (43), destination options (60), AH (51), mobility (135) and their like.
struct Ipv6Extension {
  std::uint8_t type = 0;
  Bytes body{};  ///< What follows next header and length; padded with zeros to whole units.
  std::optional<std::uint8_t> next_header, length;
};
struct Ipv6Fragment {
  std::uint16_t offset = 0;  ///< In units of 8 bytes.
  bool more = false;
  std::uint32_t id = 1;
  std::optional<std::uint8_t> next_header;
};
struct Tcp {
  std::uint16_t src = 1000, dst = 80;
  std::uint16_t flags = 0x010;  ///< 12 bits.
  std::uint32_t seq = 1, ack = 1;
  std::uint16_t window = 1000, urgent = 0;
  Bytes options{};  ///< A multiple of 4 bytes.
  std::optional<std::uint8_t> data_offset;
  std::optional<std::uint16_t> checksum;
};
struct Udp {
  std::uint16_t src = 1000, dst = 53;
  std::optional<std::uint16_t> length, checksum;
};
struct Sctp {
  std::uint16_t src = 1000, dst = 80;
  std::uint32_t tag = 1;
  std::optional<std::uint32_t> checksum;
};
struct Icmp {
  std::uint8_t type = 8, code = 0;
  std::uint32_t rest = 0;  ///< Identifier and sequence number, of an echo.
  std::optional<std::uint16_t> checksum;
};
struct Icmpv6 {
  std::uint8_t type = 128, code = 0;
  std::uint32_t rest = 0;
  std::optional<std::uint16_t> checksum;
};
/// ICMPv6 neighbour solicitation (135) or advertisement (136) with its options.
struct Neighbour {
  std::uint8_t type = 135, code = 0;
  Ipv6Address target = {0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2};
  std::optional<MacAddress> sll, tll;
  std::uint32_t rest = 0;
  std::optional<std::uint16_t> checksum;
};

/// Builds a frame layer by layer:
///   Packet().eth().vlan({.vid = 5}).ipv4({.ttl = 1}).udp({.dst = 53}).payload(10).bytes()
/// Lengths, types, protocol numbers, bottom-of-stack bits and checksums come out right unless
/// given.
class Packet {
 public:
  using Layer = std::variant<Eth, Vlan, Llc, Snap, Mpls, Arp, Ipv4, Ipv6, Ipv6Extension,
                             Ipv6Fragment, Tcp, Udp, Sctp, Icmp, Icmpv6, Neighbour, Bytes>;

  Packet& eth(Eth layer = {}) { return add(std::move(layer)); }
  Packet& vlan(Vlan layer = {}) { return add(std::move(layer)); }
  Packet& llc(Llc layer = {}) { return add(std::move(layer)); }
  Packet& snap(Snap layer = {}) { return add(std::move(layer)); }
  Packet& mpls(Mpls layer = {}) { return add(std::move(layer)); }
  Packet& arp(Arp layer = {}) { return add(std::move(layer)); }
  Packet& ipv4(Ipv4 layer = {}) { return add(std::move(layer)); }
  Packet& ipv6(Ipv6 layer = {}) { return add(std::move(layer)); }
  Packet& extension(Ipv6Extension layer = {}) { return add(std::move(layer)); }
  Packet& fragment(Ipv6Fragment layer = {}) { return add(std::move(layer)); }
  Packet& tcp(Tcp layer = {}) { return add(std::move(layer)); }
  Packet& udp(Udp layer = {}) { return add(std::move(layer)); }
  Packet& sctp(Sctp layer = {}) { return add(std::move(layer)); }
  Packet& icmp(Icmp layer = {}) { return add(std::move(layer)); }
  Packet& icmpv6(Icmpv6 layer = {}) { return add(std::move(layer)); }
  Packet& neighbour(Neighbour layer = {}) { return add(std::move(layer)); }
  Packet& payload(Bytes bytes) { return add(std::move(bytes)); }
  /// `size` bytes 0, 1, 2, ...
  Packet& payload(std::size_t size);
  /// Zeros after the end of all layers, up to this frame size: Ethernet padding (counted by no
  /// length).
  Packet& pad_to(std::size_t frame_size) {
    frame_size_ = frame_size;
    return *this;
  }

  [[nodiscard]] Bytes bytes() const;

 private:
  Packet& add(Layer layer) {
    layers_.push_back(std::move(layer));
    return *this;
  }
  std::vector<Layer> layers_;
  std::size_t frame_size_ = 0;
};

}  // namespace hoist::test

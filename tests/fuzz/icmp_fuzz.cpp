// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as an ICMP or ICMPv6 message: what is tracked as an error of a connection must be
// readable as such again after NAT, with all checksums, the quoted ones too, as right as they were.
// Input: family (bit 0: IPv6), type, code, four bytes of the header, what the message quotes.
#include <algorithm>
#include <cstdlib>
#include <span>

#include "conntrack/packet_facts.hpp"
#include "packet/wire.hpp"
#include "support/internet_checksum.hpp"
#include "support/test_mbuf.hpp"

namespace {

using namespace hoist;
using namespace hoist::software;
using Span = std::span<const std::uint8_t>;

constexpr std::size_t kHeader = 7;

void require(bool holds) {
  if (!holds) std::abort();
}

/// An error of a port unreachable kind quotes what went out from where it is sent to.
test::Bytes quote(Span input, bool is_ipv6) {
  test::Bytes out(input.begin(), input.end());
  const std::size_t at = is_ipv6 ? 8 : 12;
  const Ipv6Address there = test::Ipv6{}.dst;
  const test::Bytes dst =
      is_ipv6 ? test::Bytes(there.begin(), there.end()) : test::Bytes{10, 0, 0, 2};
  if (out.size() >= at + dst.size()) std::ranges::copy(dst, out.begin() + static_cast<long>(at));
  return out;
}

test::Bytes frame_of(Span input) {
  const bool is_ipv6 = (input[0] & 1) != 0;
  const std::uint32_t rest = wire::load32(input.data() + 3);
  const test::Bytes quoted = quote(input.subspan(kHeader), is_ipv6);
  test::Packet packet;
  packet.eth();
  if (is_ipv6) {
    packet.ipv6().icmpv6({.type = input[1], .code = input[2], .rest = rest});
  } else {
    packet.ipv4().icmp({.type = input[1], .code = input[2], .rest = rest});
  }
  return packet.payload(quoted).bytes();
}

/// The quoted datagram, from its IP header on.
struct Quoted {
  Span ip;
  std::size_t header_size;
  std::uint8_t ip_proto;

  Quoted(Span frame, std::size_t l4_offset, std::uint8_t family)
      : ip(frame.subspan(l4_offset + 8)) {
    header_size = family == 4 ? (ip[0] & 15u) * 4u : 40u;
    ip_proto = family == 4 ? ip[9] : ip[6];
  }
  [[nodiscard]] Span l4() const { return ip.subspan(header_size); }
  /// Where in l4() the checksum is; 0: nowhere, or not quoted, or not used.
  [[nodiscard]] std::size_t checksum_at() const {
    const std::size_t at = ip_proto == 6                     ? 16
                           : ip_proto == 17                  ? 6
                           : ip_proto == 1 || ip_proto == 58 ? 2
                                                             : 0;
    if (at == 0 || l4().size() < at + 2) return 0;
    return ip_proto == 17 && l4()[6] == 0 && l4()[7] == 0 ? 0 : at;
  }
  [[nodiscard]] std::uint16_t sum_of_l4() const {
    const bool has_addresses = ip_proto != 1;
    const Span addresses =
        header_size == 40 && ip[0] >> 4 == 6 ? ip.subspan(8, 32) : ip.subspan(12, 8);
    const std::uint64_t sum = has_addresses ? test::checksum_add(addresses) : 0;
    return test::checksum_finish(test::checksum_add(l4(), sum));
  }
  [[nodiscard]] std::uint16_t sum_of_header() const {
    return test::checksum_finish(test::checksum_add(ip.first(header_size)));
  }
};

/// Zero has two forms.
bool is_same(std::uint16_t a, std::uint16_t b) { return a % 0xffff == b % 0xffff; }

void check_translated(const test::Bytes& frame, bool moves_source) {
  test::TestMbuf packet(frame);
  FlowKey key{};
  Layers layers = parse(*packet, PortNo{1}, key);
  const TrackedPacket facts = packet_facts(*packet, layers, 0);
  if (!facts.is_sound || !facts.is_related) return;
  const std::uint8_t family = facts.tuple.family;
  const Quoted before(frame, layers.l4_offset, family);

  Tuple wanted = facts.tuple;
  (moves_source ? wanted.src : wanted.dst)[family == 4 ? 3 : 15] ^= 0x55;
  if (before.ip_proto == 6 || before.ip_proto == 17 || before.ip_proto == 132) {
    (moves_source ? wanted.src_port : wanted.dst_port) = Be16{0x1234};
  }
  PacketTrack track;
  track.is_related = true;
  track.state = moves_source ? CtState::kSourceNat : CtState::kDestinationNat;
  require(translate_packet(*packet, layers, wanted, track));

  require(layers == parse(*packet, PortNo{1}, key));
  const TrackedPacket after = packet_facts(*packet, layers, 0);
  require(after.is_sound && after.is_related && after.tuple == wanted);
  const test::Bytes translated = packet.bytes();
  const Quoted now(translated, layers.l4_offset, family);
  if (family == 4) require(is_same(before.sum_of_header(), now.sum_of_header()));
  if (before.checksum_at() != 0) require(is_same(before.sum_of_l4(), now.sum_of_l4()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < kHeader || size > 1400) return 0;
  const test::Bytes frame = frame_of({data, size});
  // An error that moves the source of its tuple goes out with the quoted destination as its source.
  check_translated(frame, false);
  check_translated(frame, true);
  return 0;
}

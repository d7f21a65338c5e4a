// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "hoist/types.hpp"

namespace hoist::software {

/// What identifies one direction of a connection. Padding-free, so it is compared and hashed as
/// five words. IPv4 addresses take the first four bytes of their place, the rest is zero.
///
/// ICMP and ICMPv6 echo and the like: src_port is the identifier, dst_port type << 8 | code.
/// Protocols without ports: both are 0.
struct alignas(8) Tuple {
  std::array<std::uint8_t, 16> src;
  std::array<std::uint8_t, 16> dst;
  Be16 src_port;
  Be16 dst_port;
  std::uint16_t zone;
  std::uint8_t ip_proto;
  std::uint8_t family;  ///< 4 or 6; 0: no tuple.

  bool operator==(const Tuple&) const = default;
};
static_assert(sizeof(Tuple) == 40);

using TupleWords = std::array<std::uint64_t, 5>;

[[nodiscard]] inline TupleWords words_of(const Tuple& tuple) noexcept {
  TupleWords out;
  std::memcpy(out.data(), &tuple, sizeof out);
  return out;
}
[[nodiscard]] inline Tuple tuple_of(const TupleWords& words) noexcept {
  Tuple out;
  std::memcpy(static_cast<void*>(&out), words.data(), sizeof out);
  return out;
}

/// The ICMP or ICMPv6 type of the answer to a message of this type (RFC 792, RFC 4443), 255 where
/// there is none.
[[nodiscard]] std::uint8_t answer_type(std::uint8_t ip_proto, std::uint8_t type) noexcept;

/// Says whether the protocol has ports that NAT may change, or an identifier that stands for them.
[[nodiscard]] bool has_ports(std::uint8_t ip_proto) noexcept;

/// The tuple of packets that go the other way.
[[nodiscard]] Tuple reversed(const Tuple& tuple) noexcept;

__extension__ using TupleProduct = unsigned __int128;

/// `seed`: random, so that nobody outside can choose tuples that collide.
[[nodiscard]] inline std::uint32_t hash_of(const TupleWords& w, std::uint64_t seed) noexcept {
  const auto fold = [](std::uint64_t a, std::uint64_t b) noexcept {
    const TupleProduct product = static_cast<TupleProduct>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  };
  const std::uint64_t a = fold(w[0] ^ seed, w[1] ^ 0xa0761d6478bd642full);
  const std::uint64_t b = fold(w[2] ^ seed, w[3] ^ 0xe7037ed1a0b428dbull);
  const std::uint64_t c = fold(w[4] ^ a ^ seed, b ^ 0x8ebc6af09c88c6e3ull);
  return static_cast<std::uint32_t>(c ^ c >> 32);
}

}  // namespace hoist::software

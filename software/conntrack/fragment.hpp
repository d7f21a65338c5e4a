// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "packet/parse.hpp"

struct rte_mbuf;

namespace hoist::software {

/// What fragments of one packet have in common, at one ct action. Without padding.
struct FragmentKey {
  std::array<std::uint8_t, 16> src{};  ///< As in a Tuple.
  std::array<std::uint8_t, 16> dst{};
  std::uint32_t id = 0;  ///< The IP header's identification.
  std::uint32_t in_port = 0;
  std::uint16_t zone = 0;
  std::uint16_t action = 0;   ///< Which ct of those on the path.
  std::uint8_t branches = 0;  ///< How often it has gone on in a table behind ct.
  std::uint8_t bridge = 0;
  std::uint8_t family = 0;    ///< 4 or 6.
  std::uint8_t ip_proto = 0;  ///< IPv6: 0, as only the first fragment's counts (RFC 8200, 4.5).

  bool operator==(const FragmentKey&) const = default;
};
static_assert(sizeof(FragmentKey) == 48 && std::has_unique_object_representations_v<FragmentKey>);

/// What a fragment says of itself. Offsets count from the first byte of the frame.
struct Fragment {
  FragmentKey key;               ///< As far as the packet tells: addresses, id, family, ip_proto.
  std::uint16_t l3_offset;       ///< Of the IP header.
  std::uint16_t headers_end;     ///< Of what comes before the payload, IPv6's fragment header too.
  std::uint16_t payload_offset;  ///< In the whole packet's payload, in bytes.
  std::uint16_t payload_size;
  bool is_last;

  /// Bytes from the IP header on.
  [[nodiscard]] std::uint32_t size() const noexcept {
    return std::uint32_t{headers_end} - l3_offset + payload_size;
  }
};

/// Reads an IP fragment; `layers` is what parse() says of it. None: it is none, it is damaged, has
/// no payload, its IPv4 checksum is wrong, or it reaches beyond 65,535 bytes. Any thread.
[[nodiscard]] std::optional<Fragment> read_fragment(const rte_mbuf& packet,
                                                    const Layers& layers) noexcept;

}  // namespace hoist::software

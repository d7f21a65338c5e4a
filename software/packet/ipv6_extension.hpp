// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "packet/wire.hpp"

namespace hoist::software {

/// OFPIEH_* (OpenFlow 1.3, 7.2.3.8): which IPv6 extension headers a packet has.
struct Exthdr {
  static constexpr std::uint16_t kNoNext = 1 << 0, kEsp = 1 << 1, kAuth = 1 << 2, kDest = 1 << 3,
                                 kFrag = 1 << 4, kRouter = 1 << 5, kHop = 1 << 6,
                                 kUnexpectedRepeat = 1 << 7, kUnexpectedOrder = 1 << 8;
};

/// The extension headers between an IPv6 header and what it carries.
struct Ipv6Extensions {
  std::size_t size = 0;  ///< Bytes of all of them.
  std::size_t proto_offset =
      0;  ///< Of the byte that holds ip_proto, from the first header; only if size > 0.
  std::uint16_t exthdr = 0;   ///< Exthdr bits.
  std::uint8_t ip_proto = 0;  ///< What follows; 44 for a fragment that is not the first.
  std::uint8_t ip_frag = 0;   ///< As FlowKey::ip_frag.
  bool is_route_pending = false;
  bool is_sound = false;  ///< False: a header does not fit; the other members mean nothing.
};

/// Says whether walk_ipv6_extensions() finds anything to tell from this type on. Most packets have
/// TCP or UDP here, and so none.
[[nodiscard]] constexpr bool has_ipv6_extensions(std::uint8_t next_header) noexcept {
  return wire::is_extension(next_header) || next_header == wire::kIpEsp ||
         next_header == wire::kIpNoNext;
}

/// Walks from the header of type `next_header` at `at`, of which `readable` bytes may be read.
[[nodiscard]] Ipv6Extensions walk_ipv6_extensions(std::uint8_t next_header, const std::uint8_t* at,
                                                  std::size_t readable) noexcept;

}  // namespace hoist::software

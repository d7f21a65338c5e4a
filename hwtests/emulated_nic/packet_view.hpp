// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "fields.hpp"

namespace emulated_nic {

/// Where the headers of a frame lie, in bytes from its start. 0: not there.
struct Layers {
  std::uint16_t vlan_count = 0;
  std::uint16_t l3 = 0;        ///< IPv4, IPv6 or ARP header.
  std::uint16_t l4 = 0;        ///< Whole TCP, UDP, SCTP, ICMP or ICMPv6 header of a first fragment.
  std::uint32_t presence = 0;  ///< Presence bits.
};

/// Finds the headers of the `frame` (its first segment) and copies them into the packet slots of
/// `fields`; the port, MARK, META and TAG slots stay. Headers that are cut short are not there; an
/// L4 item's presence follows from the protocol number alone, with zero ports where a later
/// fragment or a short frame has none.
Layers view_packet(std::span<const std::uint8_t> frame, Fields& fields);

}  // namespace emulated_nic

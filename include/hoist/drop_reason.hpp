// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hoist {

/// Why a packet went no further. Every packet that a worker frees without sending it has one.
enum class DropReason : std::uint8_t {
  kRule,            ///< The rule that matched has no output.
  kTableMiss,       ///< No rule matched in the last table looked up.
  kTtlExpired,      ///< dec_ttl met a TTL of 0 or 1.
  kPortGone,        ///< The output names a port that is not there or is down.
  kIngressPort,     ///< Output to the port it came from, without IN_PORT (OpenFlow 1.3, 4.5).
  kMalformed,       ///< The frame is shorter than an Ethernet header or longer than its buffer.
  kEgressFull,      ///< The egress queue did not take it.
  kTooLong,         ///< Longer than the egress port's MTU allows.
  kControllerFull,  ///< The ring to the control thread was full.
  kNoBuffer,        ///< No mbuf for a copy or for room at the head of the frame.
  kTooDeep,         ///< More lookups for one packet than kMaxLookups.
  kStaleToken,      ///< A resume token whose meaning has changed, on a packet already rewritten.
  kAction,          ///< An action that the packet cannot take, such as pop_vlan without a tag.
  kPortConfig,      ///< OFPPC_NO_RECV or OFPPC_NO_FWD.
  kNatExhausted,    ///< ct: all addresses and ports of the range are taken.
  kMeter,           ///< Beyond a meter's rate.
  kFragmentLost,    ///< ct: other fragments of the packet did not come in time.
  kCount,
};

inline constexpr std::size_t kDropReasonCount = static_cast<std::size_t>(DropReason::kCount);

/// The name that counters, ctl and metrics show, indexed by DropReason.
inline constexpr std::array<std::string_view, kDropReasonCount> kDropReasonNames = {
    "rule",        "table_miss",  "ttl_expired",     "port_gone", "ingress_port", "malformed",
    "egress_full", "too_long",    "controller_full", "no_buffer", "too_deep",     "stale_token",
    "action",      "port_config", "nat_exhausted",   "meter",
    "fragment_lost"};

}  // namespace hoist

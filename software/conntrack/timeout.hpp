// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hoist::software {

/// Why a connection will be forgotten if nothing comes; in Open vSwitch's order and names
/// (CT_Timeout_Policy).
enum class Timeout : std::uint8_t {
  kTcpSynSent,
  kTcpSynRecv,
  kTcpEstablished,
  kTcpFinWait,
  kTcpTimeWait,
  kTcpClose,
  kUdpFirst,
  kUdpSingle,
  kUdpMultiple,
  kIcmpFirst,
  kIcmpReply,
  kCount,
};
inline constexpr std::size_t kTimeoutCount = static_cast<std::size_t>(Timeout::kCount);

inline constexpr std::array<std::string_view, kTimeoutCount> kTimeoutNames = {
    "tcp_syn_sent", "tcp_syn_recv", "tcp_established", "tcp_fin_wait", "tcp_time_wait", "tcp_close",
    "udp_first",    "udp_single",   "udp_multiple",    "icmp_first",   "icmp_reply"};

using TimeoutSeconds = std::array<std::uint32_t, kTimeoutCount>;

/// Open vSwitch's.
inline constexpr TimeoutSeconds kDefaultTimeouts_s = {30, 30, 86400, 900, 45, 30,
                                                      60, 60, 30,    60,  30};

}  // namespace hoist::software

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "hoist/connections.hpp"

namespace hoist::software {

/// Why a connection will be forgotten if nothing comes; in the order of
/// kConnectionTimeoutNames.
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

static_assert(kTimeoutCount == kConnectionTimeoutNames.size());

}  // namespace hoist::software

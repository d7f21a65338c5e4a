// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hoist/error.hpp"

namespace hoist::openflow {

/// Where OpenFlow is listened for or connected to, in Open vSwitch's words: "ptcp:6653:127.0.0.1",
/// "punix:/run/hoist/br0.mgmt", "tcp:192.0.2.1:6653", "tcp:[2001:db8::1]:6653", "unix:/run/c.sock".
struct Target {
  static constexpr std::uint16_t kDefaultPort = 6653;

  enum class Kind : std::uint8_t { kListenTcp, kListenUnix, kConnectTcp, kConnectUnix };
  Kind kind = Kind::kListenTcp;
  std::string address;  ///< IP address or path; an empty one listens on all addresses.
  std::uint16_t port = kDefaultPort;

  [[nodiscard]] bool is_listener() const noexcept {
    return kind == Kind::kListenTcp || kind == Kind::kListenUnix;
  }
  /// Fails with kInvalidArgument.
  static Result<Target> parse(std::string_view text);
  bool operator==(const Target&) const = default;
};

}  // namespace hoist::openflow

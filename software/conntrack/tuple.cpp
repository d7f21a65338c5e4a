// SPDX-License-Identifier: BSD-3-Clause
#include "conntrack/tuple.hpp"

#include "packet/wire.hpp"

namespace hoist::software {

std::uint8_t answer_type(std::uint8_t ip_proto, std::uint8_t type) noexcept {
  if (ip_proto == wire::kIpIcmpv6) {
    if (type == 128) return 129;
    if (type == 129) return 128;
    return 255;
  }
  switch (type) {
    case 8:
      return 0;
    case 0:
      return 8;
    case 13:
      return 14;
    case 14:
      return 13;
    case 15:
      return 16;
    case 16:
      return 15;
    default:
      return 255;
  }
}

bool has_ports(std::uint8_t ip_proto) noexcept {
  return ip_proto == wire::kIpTcp || ip_proto == wire::kIpUdp || ip_proto == wire::kIpSctp ||
         ip_proto == wire::kIpIcmp;
}

Tuple reversed(const Tuple& tuple) noexcept {
  Tuple out = tuple;
  out.src = tuple.dst;
  out.dst = tuple.src;
  if (tuple.ip_proto == wire::kIpIcmp || tuple.ip_proto == wire::kIpIcmpv6) {
    const std::uint16_t type_code = tuple.dst_port.host();
    const auto type = static_cast<std::uint8_t>(type_code >> 8);
    const unsigned answer = answer_type(tuple.ip_proto, type);
    out.dst_port = Be16{static_cast<std::uint16_t>(answer << 8 | (type_code & 0xff))};
  } else {
    out.src_port = tuple.dst_port;
    out.dst_port = tuple.src_port;
  }
  return out;
}

}  // namespace hoist::software

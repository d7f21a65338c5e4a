// SPDX-License-Identifier: BSD-3-Clause
#include "conntrack/connection_filter.hpp"

#include "packet/wire.hpp"

namespace hoist::software {
namespace {

bool fits_port(std::uint16_t wanted, std::uint16_t is) noexcept {
  return wanted == 0 || wanted == is;
}
bool fits_address(const Ipv6Address& wanted, const Ipv6Address& is) noexcept {
  return wanted == Ipv6Address{} || wanted == is;
}

bool fits(const TupleFilter& filter, const Tuple& tuple) noexcept {
  if (!fits_address(filter.src, tuple.src) || !fits_address(filter.dst, tuple.dst)) return false;
  const std::uint16_t src_port = tuple.src_port.host();
  const std::uint16_t dst_port = tuple.dst_port.host();
  if (tuple.ip_proto == wire::kIpIcmp || tuple.ip_proto == wire::kIpIcmpv6) {
    return fits_port(filter.icmp_id, src_port) &&
           fits_port(filter.icmp_type, static_cast<std::uint16_t>(dst_port >> 8)) &&
           fits_port(filter.icmp_code, static_cast<std::uint16_t>(dst_port & 0xff)) &&
           filter.src_port == 0 && filter.dst_port == 0;
  }
  return fits_port(filter.src_port, src_port) && fits_port(filter.dst_port, dst_port);
}

}  // namespace

Tuple tuple_of(std::uint16_t zone, const ConnectionTuple& tuple) noexcept {
  return {tuple.src, tuple.dst,      Be16{tuple.src_port}, Be16{tuple.dst_port},
          zone,      tuple.ip_proto, tuple.family};
}

ConnectionTuple report_of(const Tuple& tuple) noexcept {
  return {tuple.src,      tuple.dst,   tuple.src_port.host(), tuple.dst_port.host(),
          tuple.ip_proto, tuple.family};
}

bool fits(const ConnectionFilter& filter, const Tuple& forward, const Tuple& reply) noexcept {
  if (filter.zone && *filter.zone != forward.zone) return false;
  if (filter.family != 0 && filter.family != forward.family) return false;
  if (filter.ip_proto != 0 && filter.ip_proto != forward.ip_proto) return false;
  return fits(filter.original, forward) && fits(filter.reply, reply);
}

bool fits(const ConnectionFilter& filter, const ConnectionReport& report) noexcept {
  if (((report.mark ^ filter.mark) & filter.mark_mask) != 0) return false;
  for (std::size_t i = 0; i < report.label.size(); ++i) {
    if (((report.label[i] ^ filter.label[i]) & filter.label_mask[i]) != 0) return false;
  }
  return true;
}

}  // namespace hoist::software

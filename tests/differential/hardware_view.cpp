// SPDX-License-Identifier: BSD-3-Clause
#include "hardware_view.hpp"

#include "support/reference/layers.hpp"

namespace hoist::test {

bool is_sound(const Bytes& frame) {
  const reference::Layers l = reference::find_layers(frame);
  const std::uint16_t type = l.eth_type;
  if (type == 0x0800 || type == 0x86dd) {
    if (l.network == reference::Network::kNone) return false;
    const bool is_known = l.ip_proto == 6 || l.ip_proto == 17 || l.ip_proto == 132 ||
                          l.ip_proto == (type == 0x0800 ? 1 : 58);
    return !l.is_transport_reached || !is_known || l.transport != reference::Transport::kNone;
  }
  if (type == 0x8100 || type == 0x88a8) return l.vlan_at.size() == 2;
  if (type == 0x0806 || type == 0x8035) {
    // Of arp_op software sees one byte (ovs-fields(7)).
    return l.network != reference::Network::kNone && frame[l.network_at + 6] == 0;
  }
  if (type == 0x8847 || type == 0x8848) return l.mpls_at.has_value();
  return l.is_ethernet;
}

Seen see(const BurstResult& result) {
  Seen seen{.sent = {}, .packet_ins = result.packet_ins.size()};
  for (const auto& [port, frames] : result.sent) {
    if (!frames.empty()) seen.sent[port] = frames;
  }
  return seen;
}

}  // namespace hoist::test

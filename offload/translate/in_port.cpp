// SPDX-License-Identifier: BSD-3-Clause
// in_port: a port item in the embedded switch; nothing where rules belong to one port.
#include <cstring>

#include "translate/match_builder.hpp"
#include "translate/port_item.hpp"

namespace hoist::offload {

void put_port(HwMatch& pattern, PortMatch form, EthdevId ethdev) noexcept {
  if (form == PortMatch::kPortId) {
    rte_flow_item_port_id spec{};
    rte_flow_item_port_id mask{};
    spec.id = to_integer(ethdev);
    mask.id = 0xffffffff;
    pattern.need(Layer::kPort, RTE_FLOW_ITEM_TYPE_PORT_ID);
    pattern.put(Layer::kPort, 0, &spec, &mask, sizeof spec);
    return;
  }
  rte_flow_item_ethdev spec{};
  rte_flow_item_ethdev mask{};
  spec.port_id = to_integer(ethdev);
  mask.port_id = 0xffff;
  pattern.need(Layer::kPort, RTE_FLOW_ITEM_TYPE_REPRESENTED_PORT);
  pattern.put(Layer::kPort, 0, &spec, &mask, sizeof spec);
}

void put_any_port(HwMatch& pattern, PortMatch form) noexcept {
  if (form == PortMatch::kNone || pattern.has(Layer::kPort)) return;
  pattern.need(Layer::kPort, form == PortMatch::kPortId ? RTE_FLOW_ITEM_TYPE_PORT_ID
                                                        : RTE_FLOW_ITEM_TYPE_REPRESENTED_PORT);
}

void express_in_port(MatchBuilder& builder) {
  if (builder.left.mask.in_port.wire() == 0) return;
  if (builder.left.mask.in_port.wire() != 0xffffffff) return;  // no field of OpenFlow does that
  const PortNo number{builder.left.value.in_port.host()};
  builder.left.mask.in_port = Be32{0};
  const DomainPort* port = builder.context.ports.find(number);
  if (port == nullptr || !port->is_member) {
    builder.is_never = true;
    return;
  }
  if (!builder.context.capabilities.has(Feature::kTransfer)) return;
  put_port(builder.pattern, builder.context.capabilities.match_port, port->ethdev);
}

}  // namespace hoist::offload

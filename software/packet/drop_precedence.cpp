// SPDX-License-Identifier: BSD-3-Clause
#include "packet/drop_precedence.hpp"

#include <rte_mbuf.h>

#include "hoist/field.hpp"
#include "packet/edit.hpp"
#include "packet/wire.hpp"

namespace hoist::software {

std::uint8_t dscp_of(const rte_mbuf& packet, const Layers& layers) noexcept {
  const std::uint8_t* header = rte_pktmbuf_mtod(&packet, const std::uint8_t*) + layers.l3_offset;
  const bool is_v6 = layers.eth_type == wire::kEthIpv6;
  const unsigned tos = is_v6 ? wire::load16(header) >> 4 & 0xff : header[1];
  return static_cast<std::uint8_t>(tos >> 2);
}

void raise_drop_precedence(rte_mbuf& packet, Layers& layers, unsigned levels) noexcept {
  if (!layers.is_ip()) return;
  const std::uint8_t before = dscp_of(packet, layers);
  const std::uint8_t after = raised_drop_precedence(before, levels);
  if (after == before) return;
  const Field& f = field(FieldId::kIpDscp);
  (void)set_field(packet, layers, f, field_value(after), full_mask(f));
}

}  // namespace hoist::software
